#!/usr/bin/env python3
"""Checks theta's certificates from docs/certificate.md alone, with python-chess's rules: nothing is shared with theta.

Needs PyPI's chess and xxhash. Run: certificate.py FILE…, or without a file to make certificates with the program
(THETA=target/release/theta), check them, and see that damaged ones are rejected.
"""

import os
import struct
import subprocess
import sys
import tempfile

import chess
import xxhash

PIECES = [None] + [chess.Piece(role, color) for color in (True, False) for role in (6, 5, 4, 3, 2, 1)]


class Rejected(Exception):
    pass


# How a position arose is not asked, neither here nor by the kernel: more men or more checkers than
# a game can bring about are taken.
NOT_ASKED = (
    chess.STATUS_TOO_MANY_WHITE_PAWNS | chess.STATUS_TOO_MANY_BLACK_PAWNS
    | chess.STATUS_TOO_MANY_WHITE_PIECES | chess.STATUS_TOO_MANY_BLACK_PIECES
    | chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK
)


def is_legal(board):
    """The kernel's meaning of a legal position."""
    return board.status() & ~NOT_ASKED == chess.STATUS_VALID


def need(condition, why):
    if not condition:
        raise Rejected(why)


def key(board):
    """The four fields of a FEN, en passant only where it can be done."""
    return " ".join(board.fen(en_passant="legal").split()[:4])


def read_entry(data, at):
    (occupied,) = struct.unpack_from("<Q", data, at)
    at += 8
    squares = [s for s in range(64) if occupied >> s & 1]
    men = int.from_bytes(data[at : at + (len(squares) + 1) // 2], "little")
    at += (len(squares) + 1) // 2
    state, move = struct.unpack_from("<HH", data, at)
    board = chess.Board(None)
    for k, square in enumerate(squares):
        code = men >> 4 * k & 15
        need(1 <= code <= 12, "code of a man")
        board.set_piece_at(square, PIECES[code])
    board.turn = state & 1 == 0
    rights = [("Q", state >> 1 & 1), ("K", state >> 2 & 1), ("q", state >> 3 & 1), ("k", state >> 4 & 1)]
    board.set_castling_fen("".join(name for name, on in rights if on) or "-")
    white, black = state >> 5 & 15, state >> 9 & 15
    if white or black:
        board.ep_square = chess.square((white or black) - 1, 2 if white else 5)
    return board, move, at + 4


def read_move(bits):
    promotion = [None, None, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT][bits >> 12]
    return chess.Move(bits & 63, bits >> 6 & 63, promotion)


def images(board):
    """The position seen through the reflections that the laws do not notice."""
    if board.castling_rights:
        return [board]
    if board.pawns:
        return [board, board.transform(chess.flip_horizontal)]
    half = [board, board.transform(chess.flip_horizontal)]
    half += [b.transform(chess.flip_vertical) for b in half]
    return half + [b.transform(chess.flip_diagonal) for b in half]


def name(board, kind):
    """What stands for the position in a section of this kind."""
    return min(map(key, images(board))) if kind == "S" else key(board)


def safe(board, owner, version):
    """No sequence of legal moves mates the owner."""
    theirs, ours = board.occupied_co[not owner], board.occupied_co[owner]
    if chess.popcount(theirs) == 1:
        return True
    minor = theirs & (board.knights | board.bishops)
    return version > 1 and chess.popcount(theirs) == 2 and minor != 0 and chess.popcount(ours) == 1


def check_section(data, at, version):
    """The answered positions with their ranks, checked; where the section ends."""
    kind, owner = chr(data[at]), data[at + 1 : at + 2] == b"w"
    need(kind in ("WH" if version == 1 else "WHS") and data[at + 1 : at + 2] in (b"w", b"b"), "head of the section")
    at += 2
    ranks, wanted, last = {}, set(), -1
    while True:
        count, rank = struct.unpack_from("<II", data, at)
        at += 8
        if count == 0:
            need(rank == 0, "the end of the section")
            break
        need(kind == "W" or rank == 0, "a hold has no ranks")
        need(kind != "W" or rank > last, "ranks rise")
        last = rank
        for _ in range(count):
            board, bits, at = read_entry(data, at)
            here = name(board, kind)
            need(is_legal(board) and board.turn == owner and here not in ranks, f"position {here}")
            ranks[here] = rank
            if kind != "W" and board.is_stalemate():
                continue  # there is no move to read
            move = read_move(bits)
            need(board.is_legal(move), f"{move} at {here}")
            board.push(move)
            if kind == "W":
                need(not board.is_stalemate(), f"stalemate after {here}")
                need(rank >= 1, f"rank at {here}")
            elif safe(board, owner, version):
                continue
            for reply in list(board.legal_moves):
                board.push(reply)
                if kind == "W":
                    need(ranks.get(key(board), rank) <= rank - 2, f"rank after {here} {move} {reply}")
                else:
                    wanted.add(name(board, kind))
                board.pop()
    need(wanted <= ranks.keys(), "a reply without an answer")
    return kind, owner, ranks, at


def covered(root, kind, owner, ranks, version):
    """Plies from the root at most, if the section answers it."""
    if root.turn == owner and (kind == "W" or not root.is_stalemate()):
        if kind != "W" and safe(root, owner, version):
            return 0
        need(name(root, kind) in ranks, "the root is not answered")
        return ranks[name(root, kind)]
    most = -1
    for reply in list(root.legal_moves):
        free = kind != "W" and safe(root, owner, version)
        root.push(reply)
        need(free or name(root, kind) in ranks, "a move of the root is not answered")
        most = max(most, ranks.get(name(root, kind), 0))
        root.pop()
    if kind == "W":
        need(not root.is_stalemate(), "the root is stalemate")
    return most + 1


def check(data):
    """The claim, if the certificate proves it; how many positions it holds."""
    need(data[:20] in (b"theta-certificate 1\n", b"theta-certificate 2\n", b"theta-certificate 3\n"), "magic")
    version = data[18] - ord("0")
    need(xxhash.xxh3_64(data[:-8]).intdigest() == int.from_bytes(data[-8:], "little"), "checksum")
    end = data.index(b"\n\n")
    lines = data[:end].decode().split("\n")
    need(lines[1].startswith("root ") and lines[2].startswith("claim "), "header")
    root, claim = chess.Board(lines[1][5:] + " 0 1"), lines[2][6:]
    need(is_legal(root), "root")
    need(version < 3 or not any(line.startswith("rule ") for line in lines), "it cites rules, which are not proved here")
    at, found, positions = end + 2, {}, 0
    while at < len(data) - 8:
        kind, owner, ranks, at = check_section(data, at, version)
        found["W" if kind == "W" else "H", owner] = covered(root, kind, owner, ranks, version)
        positions += len(ranks)
    need(at == len(data) - 8, "bytes after the end")
    words = claim.split()
    if words[0] == "draw":
        need(set(found) == {("H", True), ("H", False)}, "a draw has two holds")
    else:
        owner = words[0] == "White"
        kind = "W" if words[1] == "wins" else "H"
        need(set(found) == {(kind, owner)}, "the section does not fit the claim")
        need(kind == "H" or found[kind, owner] <= int(words[3]), "more plies than claimed")
    return claim, positions


POSITIONS = [
    "8/8/8/3k4/8/8/8/KQ6 w - -",
    "8/8/8/8/8/1k6/7R/K7 b - -",
    "8/8/8/8/8/8/2k4q/K7 w - -",
    "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -",
    "7k/6Q1/6K1/8/8/8/8/8 b - -",
    "7k/5Q2/6K1/8/8/8/8/8 b - -",
    "8/8/8/2k5/3Pp3/8/8/4K3 b - d3",
    "8/8/8/8/8/2k5/8/R3K3 w Q -",
    "8/2P5/8/8/8/2k5/8/K7 w - -",
    "q5nr/1ppknQpp/3p4/1P2p3/4P3/B1PP1b2/B5PP/5K2 w - -",
    "7K/8/k1P5/7p/8/8/8/8 w - -",
]


def main():
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            print("accepted: {} ({} positions)".format(*check(file.read())))
    if sys.argv[1:]:
        return
    theta = os.environ.get("THETA", "target/release/theta")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.cert")
        for fen in POSITIONS:
            subprocess.run([theta, "-q", "solve", fen, "--cert", path], check=True, capture_output=True)
            with open(path, "rb") as file:
                data = file.read()
            claim, positions = check(data)
            print(f"ok   {fen}: {claim} ({positions} positions)")
            # A changed move or rank, with the checksum made right again, must be seen.
            begin = data.index(b"\n\n") + 2
            survived = 0
            for at in range(begin, len(data) - 8, max(1, (len(data) - begin) // 40)):
                bad = bytearray(data)
                bad[at] ^= 1
                bad[-8:] = xxhash.xxh3_64(bytes(bad[:-8])).intdigest().to_bytes(8, "little")
                with open(path, "wb") as file:
                    file.write(bad)
                run = subprocess.run([theta, "verify", path], capture_output=True, text=True)
                theirs = run.returncode == 0
                try:
                    check(bytes(bad))
                    ours = True
                except (Rejected, struct.error, IndexError, ValueError, TypeError):
                    ours = False
                assert ours == theirs, f"byte {at}: here {ours}, theta {run.stdout}"
                survived += ours
            print(f"     of 40 changed bytes both checkers let {survived} pass, the same ones")
    print("certificate: ok")


if __name__ == "__main__":
    main()
