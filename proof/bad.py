#!/usr/bin/env python3
"""Makes the files of `bad/` from certificates of the kernel's tests: each is one fault, its checksum right again (but
for the file that is cut), so that nothing but the fault refuses it. Needs PyPI's xxhash. `check.sh` runs them."""

import os
import struct

import xxhash

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "../kernel/tests/data")


def read(name):
    return open(os.path.join(TESTS, name + ".cert"), "rb").read()[:-8]


def write(name, data, seal=True):
    if seal:
        data += xxhash.xxh3_64(data).intdigest().to_bytes(8, "little")
    open(os.path.join(HERE, "bad", name + ".cert"), "wb").write(data)


def blocks(data):
    """The places of the blocks of a certificate with one section: of the rank, and of each entry."""
    at, found = data.index(b"\n\n") + 4, []
    while True:
        count, rank = struct.unpack_from("<II", data, at)
        if count == 0:
            return found
        place, at, entries = at + 4, at + 8, []
        for _ in range(count):
            men = int.from_bytes(data[at : at + 8], "little").bit_count()
            size = 8 + (men + 1) // 2 + 4
            entries.append((at, at + size))
            at += size
        found.append((place, entries))


def swapped(data, one, other):
    """Two entries of one length change places."""
    (a, b), (c, d) = sorted([one, other])
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def main():
    queen = read("queen")
    plies = queen.split(b" wins in ")[1].split(b" ")[0]
    claim = b"claim White wins in " + plies + b" plies"
    assert claim in queen
    for version in [b"3", b"5"]:
        write("version-" + version.decode(), queen.replace(b"theta-certificate 4", b"theta-certificate " + version, 1))
    write("cut", queen[: len(queen) // 2], seal=False)
    write("cut-and-sealed", queen[: len(queen) // 2])
    found = blocks(queen)
    write("forward", swapped(queen, found[0][1][0], found[1][1][0]))
    write("claim-too-few-plies", queen.replace(claim, b"claim White wins in 1 plies", 1))
    write("claim-of-the-other-side", queen.replace(claim, b"claim Black wins in " + plies + b" plies", 1))
    write("claim-of-a-draw", queen.replace(claim, b"claim draw", 1))
    # All ranks one ply apart, so that the claim of as many plies as there are blocks seems to be carried.
    lying = bytearray(queen.replace(claim, b"claim White wins in %d plies" % len(found), 1))
    for number, (place, _) in enumerate(blocks(bytes(lying))):
        struct.pack_into("<I", lying, place, number + 1)
    write("ranks-lie", bytes(lying))
    root = queen.split(b"\n")[1]
    write("root-illegal", queen.replace(root, b"root 8/8/8/8/8/8/1k6/KQ6 w - -", 1))
    write("root-other", queen.replace(root, b"root 8/8/8/8/8/8/5k2/KR6 w - -", 1))


if __name__ == "__main__":
    main()
