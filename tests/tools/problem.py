#!/usr/bin/env python3
"""Holds full solutions of direct mates against a plain search with python-chess's rules: nothing is shared with theta.

Keys, tries with their refutations, set play, threats, and every variation with all its answers, by the definitions of
docs/theory.md, section 19. Needs PyPI's chess. Run: problem.py [EPD [COUNT [MOVES]]], with the program THETA
(target/release/theta); without a file the first 12 of positions/mates_in_2.epd. A mate in two takes some seconds.
"""

import json
import os
import subprocess
import sys

import chess

known = {}


def after(board, move):
    board = board.copy(stack=False)
    board.push(move)
    return board


def passed(board):
    """The other side to move; none where the mover's king could be taken."""
    if board.is_check():
        return None
    return after(board, chess.Move.null())


def wins(board, n):
    """The moves that mate in n at most."""
    place = (board.fen(), n)
    if place not in known:
        known[place] = [move for move in board.legal_moves if leads(after(board, move), n)]
    return known[place]


def leads(board, n):
    """Whether the defender, to move, is mated in n − 1 moves more, whatever it does; or is mated."""
    if board.is_checkmate():
        return True
    replies = list(board.legal_moves)
    return n > 1 and bool(replies) and all(wins(after(board, reply), n - 1) for reply in replies)


def quickest(board, n):
    for k in range(1, n + 1):
        if wins(board, k):
            return wins(board, k), k
    return [], n


def attack(board, move, n):
    """The move with its threats, the defences that meet them, and the refutations."""
    board = after(board, move)
    told = [move.uci(), [], [], []]
    if board.is_checkmate() or n < 2:
        return told
    waiting, threats, k = passed(board), [], n
    if waiting:
        threats, k = quickest(waiting, n - 1)
        told[1] = sorted(attack(waiting, threat, k) for threat in threats)
    told[2], told[3] = defences(board, n - 1, threats, k)
    return told


def defences(board, n, threats, k):
    variations, refutations = [], []
    for reply in board.legal_moves:
        met = after(board, reply)
        answers, quick = quickest(met, n)
        if not answers:
            refutations.append(reply.uci())
        elif not threats or quick == k and not set(threats) <= set(answers) or quick > k:
            variations.append([reply.uci(), sorted(attack(met, answer, quick) for answer in answers)])
    return sorted(variations), sorted(refutations)


def solve(board, n):
    known.clear()
    keys = wins(board, n)
    play = [attack(board, key, n) for key in keys]
    for move in board.legal_moves:
        next_board = after(board, move)
        if move not in keys and sum(not wins(after(next_board, r), n - 1) for r in next_board.legal_moves) == 1:
            play.append(attack(board, move, n))
    waiting = passed(board)
    return sorted(play), defences(waiting, n - 1, [], n)[0] if waiting else []


def told(move):
    threats = sorted(told(threat) for threat in move.get("threats", []))
    refutations = sorted(reply["uci"] for reply in move.get("refutations", []))
    return [move["uci"], threats, variations(move.get("variations", [])), refutations]


def variations(listed):
    pairs = [(d["uci"], v["answers"]) for v in listed for d in v["defences"]]
    return sorted([uci, sorted(told(answer) for answer in answers)] for uci, answers in pairs)


def main():
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__)
        return
    theta = os.environ.get("THETA", "target/release/theta")
    path = sys.argv[1] if sys.argv[1:] else "positions/mates_in_2.epd"
    count = int(sys.argv[2]) if sys.argv[2:] else 12
    n = int(sys.argv[3]) if sys.argv[3:] else 2
    with open(path) as file:
        lines = [line for line in file if line.strip() and not line.startswith("#")]
    for line in lines[:count]:
        fen = " ".join(line.split()[:4])
        run = [theta, "problem", fen, "--stip", f"#{n}", "--tries", "--set", "--json"]
        found = json.loads(subprocess.run(run, capture_output=True, text=True).stdout)
        theirs = sorted(told(s["play"]) for s in found["solutions"]) + [told(t) for t in found["tries"]]
        ours, set_play = solve(chess.Board(fen + " 0 1"), n)
        assert sorted(theirs) == ours, f"{fen}\ntheta {sorted(theirs)}\nhere  {ours}"
        assert variations(found["set_variations"]) == set_play, f"set play of {fen}"
        lines_told = sum(len(play[2]) for play in ours)
        print(f"ok   {fen}: {len(found['solutions'])} keys, {len(found['tries'])} tries, {lines_told} variations")
    print("problem: ok")


if __name__ == "__main__":
    main()
