#!/usr/bin/env python3
"""Reads what `theta export` and `theta strategy` write with other people's tools, and compares the answers.

Needs: the program (THETA=target/release/theta); Debian's cadical, depqbf and graphviz; NuSMV, for example from the
PyPI wheel pyboolnet with Debian's libtinfo5 and libreadline8 linked as libreadline.so.6 (NUSMV=path of the binary). A tool that is missing is named and skipped;
with --all a missing tool is an error, and games of 375,676 positions are read in Python too (minutes). Prints one line for each comparison.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

THETA = os.environ.get("THETA", "target/release/theta")
TOOLS = {
    "cadical": shutil.which("cadical"),
    "depqbf": shutil.which("depqbf"),
    "dot": shutil.which("dot"),
    "nusmv": os.environ.get("NUSMV") or shutil.which("NuSMV"),
}
# Positions whose whole play is small, with their values: White's and Black's mates in plies, or a draw.
SMALL = {
    "wall": "4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3 w - -",
    "mated": "7k/6Q1/6K1/8/8/8/8/8 b - -",
    "stalemate": "7k/5Q2/6K1/8/8/8/8/8 b - -",
    "KQK": "8/8/8/3k4/8/8/8/KQ6 w - -",
    "KQK, Black has the queen": "8/8/8/8/8/8/2k4q/K7 w - -",
}
BOUNDED = {
    "7k/8/8/5K2/8/8/6Q1/8 w - -": range(1, 5),
    "8/8/8/8/8/2R2K2/8/6k1 w - -": range(1, 7),
    "6k1/5ppp/8/8/8/8/8/K3R3 w - -": range(0, 3),
    "7k/8/5K2/8/8/8/6Q1/8 b - -": range(1, 4),
}

failures = []


def run(*args, **kwargs):
    return subprocess.run(args, capture_output=True, text=True, check=False, **kwargs)


def theta(*args):
    done = run(THETA, *args)
    if done.returncode != 0:
        raise SystemExit(f"theta {args}: {done.stderr}")
    return done.stdout


def solve(fen):
    return json.loads(theta("solve", fen, "--json"))


def compare(what, got, expected):
    ok = got == expected
    print(f"{'ok  ' if ok else 'FAIL'} {what}: {got}" + ("" if ok else f", expected {expected}"))
    if not ok:
        failures.append(what)


def missing(tool):
    if TOOLS[tool]:
        return False
    print(f"skip {tool}: not installed")
    if "--all" in sys.argv:
        failures.append(tool)
    return True


def parity_winner(text):
    """Zielonka's recursive algorithm for max-parity games, on the file alone; the winner of vertex `start`."""
    prio, owner, succ, start = {}, {}, {}, 0
    for line in text.splitlines():
        if line.startswith("start"):
            start = int(line[5:].rstrip(";"))
        elif not line.startswith("parity"):
            v, p, o, out = line.split(" ", 4)[:4]
            prio[int(v)], owner[int(v)] = int(p), int(o)
            succ[int(v)] = [int(w) for w in out.rstrip(";").split(",")]
    pred = {v: [] for v in succ}
    for v, out in succ.items():
        for w in out:
            pred[w].append(v)

    def attractor(inside, target, player):
        won, queue = set(target), list(target)
        left = {}
        while queue:
            w = queue.pop()
            for v in pred[w]:
                if v not in inside or v in won:
                    continue
                if owner[v] != player:
                    left.setdefault(v, sum(u in inside for u in succ[v]))
                    left[v] -= 1
                    if left[v]:
                        continue
                won.add(v)
                queue.append(v)
        return won

    def zielonka(inside):
        if not inside:
            return set(), set()
        highest = max(prio[v] for v in inside)
        player = highest % 2
        a = attractor(inside, {v for v in inside if prio[v] == highest}, player)
        won = list(zielonka(inside - a))
        if not won[1 - player]:
            won[player] = set(inside)
            return tuple(won)
        b = attractor(inside, won[1 - player], 1 - player)
        won = list(zielonka(inside - b))
        won[1 - player] |= b
        return tuple(won)

    return 0 if start in zielonka(set(succ))[0] else 1


def aut_value(text):
    """Backward induction on the transition system alone: who mates, from the labels."""
    lines = text.splitlines()
    edges, states = map(int, re.fullmatch(r"des \(0, (\d+), (\d+)\)", lines[0]).groups())
    assert edges == len(lines) - 1, "the number of transitions"
    moves = [[] for _ in range(states)]
    label = [None] * states
    for line in lines[1:]:
        v, name, w = re.fullmatch(r'\((\d+),"(\w+)",(\d+)\)', line).groups()
        side = name.split("_")[0]
        if name in ("white_mated", "black_mated", "stalemate"):
            assert v == w
            label[int(v)] = name
        else:
            label[int(v)] = side
            moves[int(v)].append(int(w))
    back = [[] for _ in range(states)]
    for v, out in enumerate(moves):
        for w in out:
            back[w].append(v)
    for winner, loser in (("white", "black"), ("black", "white")):
        won = {v for v in range(states) if label[v] == f"{loser}_mated"}
        queue, left = list(won), [len(out) for out in moves]
        while queue:
            for v in back[queue.pop()]:
                left[v] -= 1
                if v not in won and (label[v] == winner or left[v] == 0):
                    won.add(v)
                    queue.append(v)
        if 0 in won:
            return winner
    return "draw"


def sat(tool, path):
    code = run(TOOLS[tool], path).returncode
    return {10: True, 20: False}.get(code, f"exit {code}")


def small_games(folder):
    for name, fen in SMALL.items():
        value = solve(fen)["value"]
        if "KQK" not in name or "--all" in sys.argv:
            for side in ("white", "black"):
                text = theta("export", fen, "--format", "gm", "--side", side)
                compare(f"parity game, {name}, {side}", parity_winner(text) == 0, value == side)
            compare(f"aut, {name}", aut_value(theta("export", fen, "--format", "aut")), value)
        if not missing("cadical"):
            for side in ("white", "black"):
                path = os.path.join(folder, "horn.cnf")
                theta("export", fen, "--format", "horn", "--side", side, "-o", path)
                compare(f"Horn formula, cadical, {name}, {side}", sat("cadical", path), value != side)
        if not missing("nusmv"):
            for side in ("white", "black") if value == "draw" else (value,):
                path = os.path.join(folder, "model.smv")
                theta("export", fen, "--format", "smv", "--side", side, "-o", path)
                out = run(TOOLS["nusmv"], path).stdout
                verdicts = re.findall(r"^-- specification .* is (true|false)$", out, re.M)
                compare(f"NuSMV, {name}, {side}", verdicts, ["true"])
                # A model that breaks the aim must be seen to break it.
                with open(path) as file:
                    text = re.sub(r"CTLSPEC (.*);", r"CTLSPEC !(\1);", file.read())
                with open(path, "w") as file:
                    file.write(text)
                out = run(TOOLS["nusmv"], path).stdout
                compare(f"NuSMV, {name}, {side}, denied", re.findall(r"^-- specification .* is (\w+)$", out, re.M), ["false"])


def bounded(folder):
    for fen, range_ in BOUNDED.items():
        mate = solve(fen)["mate_plies"] if "ppp" not in fen else 1
        for plies in range_:
            expected = mate is not None and mate <= plies
            for form, tool in (("dimacs", "cadical"), ("qdimacs", "depqbf")):
                if missing(tool):
                    continue
                path = os.path.join(folder, form)
                theta("export", fen, "--format", form, "--plies", str(plies), "-o", path)
                compare(f"{form}, {tool}, {fen}, {plies} plies", sat(tool, path), expected)


def graphviz(folder):
    if missing("dot"):
        return
    for args in (["strategy", SMALL["KQK"], "--depth", "2"], ["export", SMALL["mated"]]):
        path = os.path.join(folder, "graph.dot")
        theta(*args, "--format", "dot", "-o", path)
        with open(path) as file:
            arrows = file.read().count(" -> ")
        drawn = run(TOOLS["dot"], "-Tsvg", path)
        compare(f"Graphviz, {args[0]}", (drawn.returncode, drawn.stdout.count('class="edge"')), (0, arrows))


with tempfile.TemporaryDirectory() as folder:
    small_games(folder)
    bounded(folder)
    graphviz(folder)
print(f"formats: {len(failures)} failures" if failures else "formats: ok")
sys.exit(bool(failures))
