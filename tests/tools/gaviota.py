#!/usr/bin/env python3
"""Distances to mate against Gaviota's tables: random positions of every three- and four-man signature, and every position
of KPvKP with a legal capture en passant.

usage: tests/tools/gaviota.py THETA GAVIOTA_DIR CACHE_DIR [positions per signature, default 1000]

Needs PyPI's chess. Prints a line per signature and exits 1 if any distance disagrees. About ten minutes.
"""

import json
import random
import subprocess
import sys
import tempfile
from itertools import combinations_with_replacement, permutations

import chess
import chess.gaviota

THETA, GAVIOTA, CACHE = sys.argv[1:4]
COUNT = int(sys.argv[4]) if len(sys.argv) > 4 else 1000
MEN = "QRBNP"


def signatures():
    for men in (1, 2):
        for white in combinations_with_replacement(MEN, men):
            yield "".join(white), ""
    for white, black in combinations_with_replacement(MEN, 2):
        yield white, black


def random_position(rng, white, black):
    """A legal position, colours exchanged half the time."""
    while True:
        men = "K" + white + "k" + black.lower()
        if rng.random() < 0.5:
            men = men.swapcase()
        board = chess.Board(None)
        for square, man in zip(rng.sample(range(64), len(men)), men):
            board.set_piece_at(square, chess.Piece.from_symbol(man))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            return board


def en_passant():
    """Every position of KPvKP with a legal capture en passant, both colours."""
    for mover in (chess.WHITE, chess.BLACK):
        rank, behind, home = (4, 5, 6) if mover else (3, 2, 1)
        for file in range(8):
            for beside in (file - 1, file + 1):
                if not 0 <= beside < 8:
                    continue
                for kings in permutations(range(64), 2):
                    board = chess.Board(None)
                    board.turn = mover
                    board.set_piece_at(chess.square(file, rank), chess.Piece(chess.PAWN, not mover))
                    board.set_piece_at(chess.square(beside, rank), chess.Piece(chess.PAWN, mover))
                    taken = board.occupied | chess.BB_SQUARES[chess.square(file, behind)]
                    taken |= chess.BB_SQUARES[chess.square(file, home)]
                    if any(taken >> king & 1 for king in kings):
                        continue
                    board.set_piece_at(kings[0], chess.Piece(chess.KING, chess.WHITE))
                    board.set_piece_at(kings[1], chess.Piece(chess.KING, chess.BLACK))
                    board.ep_square = chess.square(file, behind)
                    if board.is_valid() and board.has_legal_en_passant():
                        yield board


def truth(tables, board):
    """The winner and the plies to mate."""
    dtm = tables.probe_dtm(board)
    moves = list(board.legal_moves)
    if dtm == 0 and moves and all(board.is_en_passant(move) for move in moves):
        # probe_dtm takes the stalemate without the capture for a draw, but the capture is forced.
        after = []
        for move in moves:
            board.push(move)
            child = tables.probe_dtm(board)
            after.append(1 if board.is_checkmate() else -child + (child < 0) - (child > 0))
            board.pop()
        wins = [d for d in after if d > 0]
        dtm = min(wins) if wins else 0 if 0 in after else min(after)
    if dtm == 0 and not board.is_checkmate():
        return "draw", None
    wins = dtm > 0
    return ("white" if wins == board.turn else "black"), abs(dtm)


def compare(name, boards, tables):
    with tempfile.NamedTemporaryFile("w", suffix=".epd") as file:
        expected = []
        for board in boards:
            expected.append(truth(tables, board))
            file.write(board.fen(en_passant="legal") + "\n")
        file.flush()
        command = [THETA, "solve", "--epd", file.name, "--engine", "tables", "--json", "--no-progress", "--cache", CACHE]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(output) == len(expected), name
    wrong = 0
    for line, (value, plies) in zip(output, expected):
        found = json.loads(line)
        if (found["value"], found["mate_plies"]) != (value, plies):
            wrong += 1
            print(f"{found['fen']}: own {found['value']} {found['mate_plies']}, gaviota {value} {plies}")
    print(f"{name}: {len(expected)} compared, {wrong} disagree", flush=True)
    return wrong


def main():
    rng = random.Random(1)
    wrong = 0
    with chess.gaviota.PythonTablebase() as tables:
        tables.add_directory(GAVIOTA)
        for white, black in signatures():
            boards = (random_position(rng, white, black) for _ in range(COUNT))
            wrong += compare(f"K{white}vK{black}", boards, tables)
        wrong += compare("KPvKP, en passant", en_passant(), tables)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
