#!/usr/bin/env python3
"""Drives `theta uci` with python-chess: fifty positions, a game against Stockfish, and stops at random moments.
Reads the PGN of strategies back, too.

Needs: the program (THETA=target/release/theta), PyPI's chess, and for the game Debian's stockfish
(STOCKFISH=/usr/games/stockfish; skipped when it is missing).
"""

import io
import json
import os
import random
import subprocess
import sys
import time

import chess
import chess.engine
import chess.pgn

THETA = os.environ.get("THETA", "target/release/theta")
STOCKFISH = os.environ.get("STOCKFISH", "/usr/games/stockfish")
KQK = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1"
WALL = "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - - 0 1"


def theta(*args):
    return subprocess.run([THETA, *args], capture_output=True, text=True, check=True).stdout


def random_positions(count, rng):
    """Positions of three and four men, and from random games."""
    found = []
    while len(found) < count // 2:
        board = chess.Board(None)
        men = [chess.Piece.from_symbol(c) for c in rng.choice(["KkQ", "KkR", "KkP", "Kkq", "Kkr", "KkQr"])]
        for piece, square in zip(men, rng.sample(range(64), len(men))):
            board.set_piece_at(square, piece)
        board.turn = rng.random() < 0.5
        if board.is_valid() and not board.is_game_over():
            found.append(board)
    while len(found) < count:
        board = chess.Board()
        for _ in range(rng.randrange(120)):
            if board.is_game_over():
                break
            board.push(rng.choice(list(board.legal_moves)))
        if not board.is_game_over():
            found.append(board)
    return found


def fifty_positions(rng):
    proved = 0
    with chess.engine.SimpleEngine.popen_uci([THETA, "uci"], timeout=60) as engine:
        for board in random_positions(50, rng):
            result = engine.play(board, chess.engine.Limit(time=0.3), info=chess.engine.INFO_ALL)
            assert result.move in board.legal_moves, board.fen()
            score = result.info.get("score")
            if score is None or not score.is_mate():
                continue
            proved += 1
            verdict = json.loads(theta("solve", board.fen(), "--json"))
            plies = verdict["mate_plies"]
            winner = chess.WHITE if verdict["value"] == "white" else chess.BLACK
            moves = (plies + 1) // 2 if winner == board.turn else -(plies // 2)
            assert score.relative.mate() == moves, (board.fen(), score, plies)
            end = board.copy()
            for move in result.info["pv"]:
                end.push(move)
            assert end.is_checkmate() and len(result.info["pv"]) == plies, (board.fen(), result.info["pv"])
    print(f"ok   fifty positions: every move legal, {proved} mates scored as proved, their lines complete")
    assert proved >= 10


def stops(rng):
    with chess.engine.SimpleEngine.popen_uci([THETA, "uci"], timeout=60) as engine:
        worst = 0.0
        for board in random_positions(12, rng):
            with engine.analysis(board) as analysis:
                time.sleep(rng.random() * 0.2)
                start = time.monotonic()
                analysis.stop()
                best = analysis.wait()
                worst = max(worst, time.monotonic() - start)
                assert best.move in board.legal_moves
    print(f"ok   stopped at random moments; the slowest answer took {worst * 1000:.0f} ms")
    assert worst < 2


def game(fen, limit):
    board = chess.Board(fen)
    with chess.engine.SimpleEngine.popen_uci([THETA, "uci"], timeout=60) as us, \
            chess.engine.SimpleEngine.popen_uci(STOCKFISH, timeout=60) as them:
        ours = board.turn
        while not board.is_game_over(claim_draw=True) and board.ply() < 300:
            mover = us if board.turn == ours else them
            board.push(mover.play(board, limit).move)
    return board


def games():
    if not os.path.exists(STOCKFISH):
        print("skip stockfish: not installed")
        return
    won = game(KQK, chess.engine.Limit(time=0.2))
    print(f"ok   KQK against Stockfish: {won.result()} in {len(won.move_stack)} plies")
    assert won.result() == "1-0" and len(won.move_stack) <= 17
    held = game(WALL, chess.engine.Limit(time=0.05))
    print(f"ok   the wall against Stockfish: {held.result(claim_draw=True)}")
    assert held.result(claim_draw=True) == "1/2-1/2"
    whole = game(chess.STARTING_FEN, chess.engine.Limit(white_clock=20, black_clock=20, white_inc=0.1, black_inc=0.1))
    print(f"ok   a whole game against Stockfish: {whole.result(claim_draw=True)} after {len(whole.move_stack)} plies")


def pgns():
    for fen in (KQK, WALL):
        text = theta("strategy", fen, "--format", "pgn")
        documents = [json.loads(line) for line in theta("strategy", fen, "--format", "json").splitlines()]
        stream = io.StringIO(text)
        for document in documents:
            read = chess.pgn.read_game(stream)
            assert not read.errors, read.errors
            moves = sum(len(node["replies"]) + bool(node["play"]) for node in document["nodes"])
            stack, count = [read], 0
            while stack:
                node = stack.pop()
                count += len(node.variations)
                stack.extend(node.variations)
            assert count == moves, (count, moves)
        assert chess.pgn.read_game(stream) is None
    print("ok   PGN: python-chess reads every move of the strategies back")


if __name__ == "__main__":
    rng = random.Random(20)
    pgns()
    fifty_positions(rng)
    stops(rng)
    games()
    print("engine: ok")
    sys.exit(0)
