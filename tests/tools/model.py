#!/usr/bin/env python3
"""Checks theta's models of CTL formulas: a second model checker, which shares nothing with theta.

Run: model.py MODEL FORMULA [--total], both files; the model as `theta sat --model json` prints it. Exit code 0: the formula is
true at the root (and with --total no state is a dead end), 1: it is not. The semantics are those of docs/theory.md, section 1:
a path may end in a state without successors.
"""

import json
import sys

from refutation import Parser

sys.setrecursionlimit(100_000)


class Model:
    def __init__(self, data):
        self.root = data["root"]
        self.names = [set(state["true"]) for state in data["states"]]
        self.next = [state["successors"] for state in data["states"]]
        self.all = set(range(len(self.next)))
        self.before = [[] for _ in self.next]
        for v, successors in enumerate(self.next):
            for z in successors:
                self.before[z].append(v)
        self.known = {}

    def some_next(self, goal):
        return {v for z in goal for v in self.before[z]}

    def until(self, path, hold, goal):
        """The states where hold is true until goal is, on some or on all paths; by rounds from the goal."""
        found, new = set(goal), list(goal)
        while new:
            met = {v for z in new for v in self.before[z]} - found
            if path == "A":
                met = {v for v in met if all(z in found for z in self.next[v])}
            new = [v for v in met if v in hold]
            found.update(new)
        return found

    def true(self, formula):
        if formula not in self.known:
            self.known[formula] = self.work_out(formula)
        return self.known[formula]

    def work_out(self, formula):
        kind, *rest = formula
        if kind == "p":
            return {v for v in self.all if rest[0] in self.names[v]}
        parts = [self.true(part) for part in rest]
        dual = {"A": "E", "E": "A"}.get(kind[0])
        no = lambda states: self.all - states
        if kind in ("T", "F"):
            return set(self.all) if kind == "T" else set()
        if kind == "~":
            return no(parts[0])
        if kind == "&":
            return set.intersection(*parts)
        if kind == "|":
            return set.union(*parts)
        if kind == "->":
            return no(parts[0]) | parts[1]
        if kind == "<->":
            return no(parts[0] ^ parts[1])
        if kind[1] == "X":
            return self.some_next(parts[0]) if kind == "EX" else no(self.some_next(no(parts[0])))
        if kind[1] == "F":
            return self.until(kind[0], self.all, parts[0])
        if kind[1] == "G":
            return no(self.until(dual, self.all, no(parts[0])))
        if kind[1] == "U":
            return self.until(kind[0], *parts)
        if kind[1] == "R":
            return no(self.until(dual, no(parts[0]), no(parts[1])))
        return no(self.until(dual, no(parts[1]), no(parts[0] | parts[1])))


def check(data, formula, total):
    """Whether a formula, as text, is true in a model."""
    model = Model(data)
    if total and not all(model.next):
        return False
    return model.root in model.true(Parser(formula).text())


def main():
    arguments = [a for a in sys.argv[1:] if a != "--total"]
    with open(arguments[0]) as model, open(arguments[1]) as formula:
        is_one = check(json.load(model), formula.read(), "--total" in sys.argv)
    print("accepted" if is_one else "rejected: the formula is false")
    sys.exit(0 if is_one else 1)


if __name__ == "__main__":
    main()
