#!/usr/bin/env python3
"""Reads what `theta export` and `theta strategy` write with other people's tools, and compares the answers.

Needs: the program (THETA=target/release/theta); Debian's cadical, minisat, depqbf and graphviz; the proof checker rate
(`cargo install rate`, RATE=path); PyPI's pyModelChecking and jsonschema; NuSMV, for example from the PyPI wheel pyboolnet with Debian's
libtinfo5 and libreadline8 linked as libreadline.so.6 (NUSMV=path of the binary). A tool that is missing is named and skipped; with
--all a missing tool is an error, and games of 375,676 positions are read in Python too (minutes). No solver of parity games and no tool for
Aldebaran's format is in the registries: gm is decided by Zielonka's algorithm, aut by backward induction, LRAT checked by propagation along its
hints, all written here from the formats' descriptions and sharing nothing with theta. Prints one line for each comparison.
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
    "minisat": shutil.which("minisat"),
    "depqbf": shutil.which("depqbf"),
    "rate": os.environ.get("RATE") or shutil.which("rate"),
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

BOUNDED_FEN = next(iter(BOUNDED))

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


def lrat_accepts(formula, proof):
    """Follows an LRAT proof: the clauses that each step names become unit one after the other, and the last is false."""
    clauses = {}
    with open(formula) as file:
        for line in file:
            if line[0] not in "cp":
                clauses[len(clauses) + 1] = frozenset(map(int, line.split()[:-1]))
    with open(proof) as file:
        for line in file:
            number, *rest = line.split()
            if rest[0] == "d":
                for dead in rest[1:-1]:
                    clauses.pop(int(dead), None)
                continue
            rest = list(map(int, rest))
            cut = rest.index(0)
            false, hints = set(rest[:cut]), rest[cut + 1 : -1]
            for hint in hints:
                if hint not in clauses:
                    return False
                left = clauses[hint] - false
                if len(left) > 1:
                    return False
                if not left:
                    break
                false.add(-next(iter(left)))
            else:
                return False
            if cut == 0:
                return True
            clauses[int(number)] = frozenset(rest[:cut])
    return False


def refutations(folder):
    """Proofs that a side mates (Horn), and that there is no mate within some plies (DIMACS)."""
    formula, proof = os.path.join(folder, "a.cnf"), os.path.join(folder, "a.proof")
    cases = [(SMALL["mated"], ["horn", "--side", "white"]), (SMALL["KQK"], ["horn", "--side", "white"])]
    cases += [("1K1k4/pp3B2/qr1BP3/pbP2P2/p1p5/P1P2P2/8/8 w - -", ["dimacs", "--plies", "2"])]
    cases += [("8/1B6/8/5p2/8/8/5Qrq/1K1R2bk w - -", ["dimacs", "--plies", "4"])]
    for fen, form in cases:
        for kind in ("drat", "lrat"):
            if kind == "lrat" and fen == SMALL["KQK"] and "--all" not in sys.argv:
                continue
            theta("export", fen, "--format", *form, "-o", formula, "--proof", proof, "--proof-format", kind)
            what = f"{kind} proof, {form[0]}, {fen}"
            if kind == "lrat":
                compare(f"{what}, followed here", lrat_accepts(formula, proof), True)
                other = os.path.join(folder, "b.cnf")
                theta("export", SMALL["wall"], "--format", "horn", "-o", other)
                compare(f"{what}, held against another formula", lrat_accepts(other, proof), False)
            elif not missing("rate"):
                out = run(TOOLS["rate"], formula, proof).stdout
                compare(f"{what}, rate", out.strip().splitlines()[-1:], ["s VERIFIED"])
    text = theta("export", SMALL["wall"], "--format", "horn", "-o", formula)
    assert text == ""
    compare("a formula with a model has no proof", run(THETA, "export", SMALL["wall"], "--format", "horn", "-o", formula, "--proof", proof).returncode, 1)


def model_checking():
    """The transition system as a Kripke structure for pyModelChecking: can the side mate, in CTL over both sides' choices?"""
    try:
        from pyModelChecking import CTL, Kripke
    except ImportError:
        print("skip pyModelChecking: not installed")
        if "--all" in sys.argv:
            failures.append("pyModelChecking")
        return
    for name in ("wall", "mated", "stalemate"):
        lines = theta("export", SMALL[name], "--format", "aut").splitlines()[1:]
        edges, labels = [], {}
        for line in lines:
            v, label, w = re.fullmatch(r'\((\d+),"(\w+)",(\d+)\)', line).groups()
            edges.append((int(v), int(w)))
            final = label in ("white_mated", "black_mated", "stalemate")
            labels.setdefault(int(v), set()).add(label if final else label.split("_")[0])
        kripke = Kripke(R=edges, L=labels)
        for theirs, ours in AIMS.items():
            true = run(THETA, "check", SMALL[name], ours).returncode == 0
            compare(f"pyModelChecking, {name}, {theirs}", 0 in CTL.modelcheck(kripke, CTL.Parser()(theirs)), true)


# In the atoms of the transition system, and in theta's.
AIMS = {
    "E F (black_mated or white_mated)": "EF (mate(black) | mate(white))",
    "A G (E X (true))": "AG EX T",
    "A F (black_mated or stalemate)": "AF (mate(black) | stalemate)",
    "A (white U black)": "A[(white_to_move & ~mate(white)) U (black_to_move & ~mate(black) & ~stalemate)]",
    "E G (not black)": "EG ~(black_to_move & ~mate(black) & ~stalemate)",
}


def schema(folder):
    """The JSON Schema is one, and PyPI's jsonschema accepts real outputs by it."""
    try:
        import jsonschema
    except ImportError:
        print("skip jsonschema: not installed")
        if "--all" in sys.argv:
            failures.append("jsonschema")
        return
    path = os.path.join(os.path.dirname(__file__), "../../docs/json.schema.json")
    with open(path) as file:
        document = json.load(file)
    jsonschema.Draft202012Validator.check_schema(document)
    positions = os.path.join(os.path.dirname(__file__), "../../positions/puzzles.csv")
    cnf, proof = os.path.join(folder, "s.cnf"), os.path.join(folder, "s.drat")
    for name, args in {
        "solve": ["solve", "--puzzles", positions],
        "moves": ["moves", SMALL["KQK"]],
        "unique": ["moves", "--unique", SMALL["KQK"]],
        "strategy": ["strategy", SMALL["wall"]],
        "check": ["check", SMALL["wall"], "EF mate(white)"],
        "export": ["export", BOUNDED_FEN, "--format", "dimacs", "--plies", "2", "-o", cnf, "--proof", proof],
        "tables_stats": ["tables", "stats", "KRK"],
        "subgoals": ["subgoals", SMALL["KQK"]],
        "bench": ["bench"],
    }.items():
        validator = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": document["$defs"]})
        lines = run(THETA, "--json", *args).stdout.splitlines()
        faults = [error.message for line in lines for error in validator.iter_errors(json.loads(line))]
        compare(f"JSON Schema, {name}, {len(lines)} lines", (bool(lines), faults), (True, []))


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
                if not missing("minisat"):
                    compare(f"Horn formula, minisat, {name}, {side}", sat("minisat", path), value != side)
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
    refutations(folder)
    model_checking()
    schema(folder)
print(f"formats: {len(failures)} failures" if failures else "formats: ok")
sys.exit(bool(failures))
