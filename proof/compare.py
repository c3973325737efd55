#!/usr/bin/env python3
"""The kernel and the proved checker against one another: certificates of the tests, attack files, fresh certificates of
every engine, and mutants of all of them with the checksum made right again.

The kernel may only accept what the proved checker accepts too; where the proof accepts more, it is for one of the
reasons named below (strictness). Needs PyPI's xxhash. Run: THETA=target/release/theta compare.py [FRESH] [MUTANTS]
"""

import collections
import glob
import os
import random
import re
import subprocess
import sys
import tempfile

import xxhash

HERE = os.path.dirname(os.path.abspath(__file__))
THETA = os.environ.get("THETA", os.path.join(HERE, "../target/release/theta"))
PROVED = os.path.join(HERE, "build/theta-proved")

# What the kernel asks for and the proof does not need.
STRICT = [
    ("not a legal position", "an entry's position is not legal"),
    ("more men", "an entry has more men than the root"),
    ("answered twice", "a position stands there twice"),
    ("a move is given in stalemate", "a move is given in stalemate"),
    ("checksum", "the checksum"),
    ("damaged", "bytes that mean nothing"),
    ("aim", "nodes that are not used, or an aim as text"),
    ("header", "the header's form"),
]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


def verdicts(path):
    kernel = run([THETA, "--cache", "none", "--time", "60", "verify", path])
    return kernel, run([PROVED, path])


def compare(path, count, notes, tell=False):
    (theirs, said), (ours, why) = verdicts(path)
    if tell:
        first = [text.strip().split("\n")[0][:70] for text in (said, why)]
        print(f"  {os.path.basename(path)}: kernel {theirs}: {first[0]!a}; proof {ours}: {first[1]!a}")
    covered = ours != 3
    if theirs == 0 and ours == 1:
        raise SystemExit(f"{path}: the kernel accepts, the proof rejects: {said} / {why}")
    if ours == 2 and theirs == 2:
        count["neither reads it"] += 1
    elif ours == 2 and "another version" in why:
        count["another version: not read"] += 1
    elif not covered:
        count["not covered"] += 1
    elif ours == 0 and theirs == 0:
        count["both accept"] += 1
    elif ours == 0:
        reason = next((name for piece, name in STRICT if piece in said), None)
        if reason is None:
            raise SystemExit(f"{path}: only the proof accepts, for no reason known here: {said}")
        notes[reason] += 1
        count["only the proof accepts (strictness)"] += 1
    else:
        count["both reject"] += 1


def checksum(data):
    return xxhash.xxh3_64(data).intdigest().to_bytes(8, "little")


def squares(rng, men):
    return rng.sample(range(64), men)


def random_fen(rng):
    """A position with few men; most are legal."""
    men = ["K", "k"] + [rng.choice("QRBNPqrbnp") for _ in range(rng.choice([1, 1, 2, 2, 3]))]
    board = {}
    for man, square in zip(men, squares(rng, len(men))):
        if man in "Pp" and square // 8 in (0, 7):
            return None
        board[square] = man
    rows = []
    for rank in range(7, -1, -1):
        text, gap = "", 0
        for file in range(8):
            man = board.get(8 * rank + file)
            if man:
                text += (str(gap) if gap else "") + man
                gap = 0
            else:
                gap += 1
        rows.append(text + (str(gap) if gap else ""))
    return "/".join(rows) + f" {rng.choice('wb')} - -"


def mutant(rng, data):
    bad = bytearray(data)
    begin = data.index(b"\n\n") + 2
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        low = 0 if rng.random() < 0.1 else begin
        at = rng.randrange(low, len(bad) - 8)
        bad[at] ^= 1 << rng.randrange(8)
    if rng.random() < 0.1:
        at = rng.randrange(begin, len(bad) - 8)
        del bad[at : at + rng.randrange(1, 30)]
    bad[-8:] = checksum(bytes(bad[:-8]))
    return bytes(bad)


def nodes(text):
    """An aim as versions 1 to 3 have it, `let a=...; AF ...`, as the nodes of version 4."""
    lines, known, at = [], {}, {}
    words = re.findall(r"[a-z]\w*\([^)]*\)(?: *[<>=]+ *\d+)?|\w+|[&|~();=]", text)
    place = 0

    def add(line):
        if line not in at:
            at[line] = len(lines)
            lines.append("node " + line)
        return at[line]

    def take():
        nonlocal place
        place += 1
        return words[place - 1] if place <= len(words) else ""

    def one():
        word = take()
        if word == "(":
            value = either()
            take()
            return value
        if word in ("~", "AX"):
            return add(f"{'not' if word == '~' else 'next'} {one()}")
        if word in known:
            return known[word]
        atom = re.fullmatch(r"(\w+)\(([^)]*)\)(?: *([<>=]+) *(\d+))?", word)
        if not atom:
            return add(word)
        name, inside, sign, number = atom.groups()
        inside = inside.replace(",", "")
        return add(f"compare + {name} {inside} {sign} + {number}" if sign else f"{name} {inside}")

    def both():
        value = one()
        while words[place : place + 1] == ["&"]:
            take()
            value = add(f"and {value} {one()}")
        return value

    def either():
        value = both()
        while words[place : place + 1] == ["|"]:
            take()
            value = add(f"or {value} {both()}")
        return value

    while words[place : place + 1] == ["let"]:
        take()
        name = take()
        take()
        known[name] = either()
        take()
    take()
    root = either()
    if root != len(lines) - 1:
        lines.append(f"node and {root} {root}")
    return "\n".join(lines)


def modern(data):
    """An attack in an older format as the same attack in version 4, and its checksum, if it was right, again."""
    head, end, body = data.partition(b"\n\n")
    if not end or not re.match(rb"theta-certificate [123]\n", head):
        return data
    right = len(data) > 8 and data[-8:] == checksum(data[:-8])
    lines = head.decode("utf-8", "replace").split("\n")
    lines[0] = "theta-certificate 4"
    for i, line in enumerate(lines):
        if line.startswith("aim "):
            plain = all(32 <= ord(c) < 127 for c in line)
            lines[i] = nodes(line[4:]) if plain else "node " + line[4:]
    data = "\n".join(lines).encode() + end + body
    return data[:-8] + checksum(data[:-8]) if right else data


def report(name, count, notes):
    print(f"{name}: " + ", ".join(f"{n} {what}" for what, n in sorted(count.items())))
    for reason, n in sorted(notes.items()):
        print(f"    strictness: {reason}: {n}")
    sys.stdout.flush()


def main():
    fresh, mutants = (int(word) for word in (sys.argv[1:] + ["500", "2000"][len(sys.argv) - 1 :])[:2])
    rng = random.Random(26)
    tests = sorted(glob.glob(os.path.join(HERE, "../kernel/tests/data/*.cert")))
    attacks = sorted(glob.glob(os.path.join(HERE, "../tests/data/attacks/*.cert")))
    sys.setrecursionlimit(100_000)
    for name, files in [("tests", tests), ("attacks", attacks)]:
        count, notes = collections.Counter(), collections.Counter()
        with tempfile.TemporaryDirectory() as folder:
            for file in files:
                path = os.path.join(folder, os.path.basename(file))
                with open(path, "wb") as out:
                    out.write(modern(open(file, "rb").read()))
                compare(path, count, notes, name == "attacks")
        report(name, count, notes)
    pool = [open(path, "rb").read() for path in tests if run([PROVED, path])[0] == 0]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.cert")
        count, notes, engines = collections.Counter(), collections.Counter(), collections.Counter()
        while sum(engines.values()) < fresh:
            fen = random_fen(rng)
            if fen is None:
                continue
            engine = rng.choice(["auto", "graph", "tables", "search", "subgoals", "tableau", "slices"])
            limits = ["--time", "2", "--positions", "300000"]
            if os.path.exists(path):
                os.remove(path)
            run([THETA, "-q", *limits, "solve", "--engine", engine, fen, "--cert", path])
            if not os.path.exists(path) or os.path.getsize(path) > 300_000:
                continue
            engines[engine] += 1
            compare(path, count, notes)
            data = open(path, "rb").read()
            if len(data) < 3000:
                pool.append(data)
        report("fresh (" + ", ".join(f"{e} {n}" for e, n in sorted(engines.items())) + ")", count, notes)
        count, notes = collections.Counter(), collections.Counter()
        for _ in range(mutants):
            with open(path, "wb") as file:
                file.write(mutant(rng, rng.choice(pool)))
            compare(path, count, notes)
        report("mutants", count, notes)


if __name__ == "__main__":
    main()
