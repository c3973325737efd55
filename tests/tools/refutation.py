#!/usr/bin/env python3
"""Checks theta's refutations of CTL formulas from docs/refutation.md alone: nothing is shared with theta.

Run: refutation.py REFUTATION FORMULA [--total], both files; the formula in the ASCII notation of docs/guide.md. Exit code 0:
accepted, 1: rejected. Without arguments it makes refutations of random formulas with the program
(THETA=target/release/theta, COUNT=200), checks them, and sees that damaged ones are rejected or still right.
"""

import os
import random
import re
import subprocess
import sys
import tempfile

sys.setrecursionlimit(100_000)


class Rejected(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Rejected(why)


# The formula as a tree of tuples.

TOKEN = re.compile(r"\s+|(?:#|--)[^\n]*|<->|<=>|->|=>|&&|\|\||/\\|\\/|[A-Za-z_0-9]+|[~!&|()\[\]=;]")
SIGNS = {
    "<=>": "<->", "=>": "->", "&&": "&", "/\\": "&", "||": "|", "\\/": "|", "!": "~", "not": "~", "and": "&", "or": "|",
    "implies": "->", "iff": "<->", "true": "T", "false": "F", "TRUE": "T", "FALSE": "F",
}
UNARY = {"~", "AX", "EX", "AG", "EG", "AF", "EF"}
RESERVED = set("T F A E U W R let spec xor xnor".split()) | UNARY | {"&", "|", "->", "<->", "(", ")", "[", "]", "=", ";"}


class Parser:
    def __init__(self, text):
        self.tokens, at = [], 0
        while at < len(text):
            match = TOKEN.match(text, at)
            need(match, f"no token at {text[at:at + 10]!r}")
            at = match.end()
            word = match.group()
            if not word[0].isspace() and word[0] != "#" and word[:2] != "--":
                self.tokens.append(SIGNS.get(word, word))
        self.tokens.append("")
        self.at, self.names = 0, {}

    def peek(self):
        return self.tokens[self.at]

    def take(self, *wanted):
        token = self.peek()
        need(not wanted or token in wanted, f"{token!r} stands where one of {wanted} should")
        self.at += 1
        return token

    def text(self):
        specifications = []
        while self.peek() in ("let", "spec"):
            kind = self.take()
            name = self.take()
            self.take("=")
            self.names[name] = self.iff()
            self.take(";")
            if kind == "spec":
                specifications.append(self.names[name])
        if specifications:
            formula = specifications[0] if len(specifications) == 1 else ("&", *specifications)
        else:
            formula = self.iff()
        self.take("")
        return formula

    def iff(self):
        left = self.implies()
        while self.peek() == "<->":
            self.take()
            left = ("<->", left, self.implies())
        return left

    def implies(self):
        left = self.disjunction()
        if self.peek() != "->":
            return left
        self.take()
        return ("->", left, self.implies())

    def disjunction(self):
        parts = [self.conjunction()]
        whole = lambda: parts[0] if len(parts) == 1 else ("|", *parts)
        while self.peek() in ("|", "xor", "xnor"):
            sign = self.take()
            right = self.conjunction()
            if sign == "|":
                parts.append(right)
            else:
                same = ("<->", whole(), right)
                parts = [same if sign == "xnor" else ("~", same)]
        return whole()

    def conjunction(self):
        parts = [self.prefix()]
        while self.peek() == "&":
            self.take()
            parts.append(self.prefix())
        return parts[0] if len(parts) == 1 else ("&", *parts)

    def prefix(self):
        token = self.take()
        if token in UNARY:
            return (token, self.prefix())
        if token == "(":
            formula = self.iff()
            self.take(")")
            return formula
        if token in ("A", "E"):
            close = {"[": "]", "(": ")"}[self.take("[", "(")]
            first = self.iff()
            kind = self.take("U", "W", "R")
            second = self.iff()
            self.take(close)
            return (token + kind, first, second)
        if token in ("T", "F"):
            return (token,)
        need(token and token not in RESERVED and not token[0].isdigit(), f"{token!r} is no formula")
        return self.names.get(token, ("p", token))


class Checker:
    def __init__(self, total):
        self.nodes = [None, ("T",), ("EX", 1)]
        self.numbers = {("T",): 1, ("EX", 1): 2}
        self.clauses, self.edges = {}, set()
        self.last = 0
        self.add([1])
        self.add([2, -1], edge=True)
        if total:
            self.add([2])
        self.root, self.steps = None, 0

    def add(self, literals, edge=False):
        self.last += 1
        self.clauses[self.last] = list(literals)
        if edge:
            self.edges.add(self.last)

    def clause(self, number):
        need(number in self.clauses, f"{number} names no clause")
        need(number not in self.edges, f"clause {number} speaks of an edge")
        return self.clauses[number]

    def literal(self, number):
        need(number and abs(number) < len(self.nodes), f"{number} names no formula")
        return number

    def define(self, node):
        self.nodes.append(node)
        number = len(self.nodes) - 1
        self.numbers.setdefault(node, number)
        return number

    def define_next(self, literal):
        n = self.define(("EX", literal))
        self.add([n, -literal], edge=True)

    def is_next(self, literal, operand):
        return literal > 0 and self.nodes[literal] == ("EX", operand)

    def formula(self, tree):
        """The literal of a formula; all that it needs must be defined."""
        kind, parts = tree[0], tree[1:]
        if kind == "p":
            return self.find(("p", parts[0]))
        if kind in ("T", "F"):
            return 1 if kind == "T" else -1
        a, *rest = [self.formula(part) for part in parts]
        b = rest[0] if rest else None
        if kind == "~":
            return -a
        if kind == "&":
            return self.find(("&", a, *rest))
        if kind == "|":
            return -self.find(("&", -a, *(-r for r in rest)))
        if kind == "->":
            return -self.find(("&", a, -b))
        if kind == "<->":
            return self.find(("&", -self.find(("&", a, -b)), -self.find(("&", b, -a))))
        other = {"A": "E", "E": "A"}[kind[0]]
        return {
            "EX": lambda: self.find(("EX", a)),
            "AX": lambda: -self.find(("EX", -a)),
            "F": lambda: self.find((kind[0] + "U", 1, a)),
            "G": lambda: -self.find((other + "U", 1, -a)),
            "U": lambda: self.find((kind[0] + "U", a, b)),
            "R": lambda: -self.find((other + "U", -a, -b)),
            "W": lambda: -self.find((other + "U", -b, self.find(("&", -a, -b)))),
        }[kind if kind in ("EX", "AX") else kind[1]]()

    def find(self, node):
        need(node in self.numbers, "the refutation is of another formula")
        return self.numbers[node]

    def split(self, numbers):
        need(0 in numbers, "the line is malformed")
        zero = numbers.index(0)
        return [self.literal(n) for n in numbers[:zero]], numbers[zero + 1:]

    def propagate(self, true, hints, edges):
        """Each clause named becomes unit, and the last one is false."""
        need(hints, "no clauses are named")
        for at, hint in enumerate(hints):
            end = "there" if hint < 0 else "here"
            number = abs(hint)
            need(number in self.clauses, f"{number} names no clause")
            is_edge = number in self.edges
            need(not is_edge or (edges and hint > 0), f"clause {number} speaks of an edge")
            clause = self.clauses[number]
            places = [(end, l) for l in clause]
            if is_edge:
                places[-1] = ("there", clause[-1])
            need(not any(place in true for place in places), f"clause {number} is true")
            open_ = {(e, l) for e, l in places if (e, -l) not in true}
            need(len(open_) <= 1, f"clause {number} is not unit")
            need(bool(open_) != (at == len(hints) - 1), "the conflict is not at the last clause")
            true |= open_

    def premise(self, number, allowed, other=lambda l: False):
        may = lambda l: l in allowed or other(l)
        if number == 0:
            need(any(may(-l) for l in allowed), "the premise is missing")
        else:
            need(all(may(l) for l in self.clause(number)), f"clause {number} is no premise")

    def line(self, kind, words, tree):
        if kind == "p":
            self.define(("p", words))
            return False
        numbers = [int(word) for word in words.split(" ")]
        if kind in "cngiq":
            self.steps += 1
        if kind == "a":
            parts = [self.literal(n) for n in numbers]
            n = self.define(("&", *parts))
            self.add([n, *(-p for p in parts)])
            for p in parts:
                self.add([-n, p])
        elif kind == "x":
            (a,) = numbers
            self.define_next(self.literal(a))
        elif kind in "eu":
            a, b = map(self.literal, numbers)
            n = self.define(("EU" if kind == "e" else "AU", a, b))
            if kind == "e":
                for clause in ([-n, b, a], [-n, b, n + 1], [n, -b], [n, -a, -n - 1]):
                    self.add(clause)
                self.define_next(n)
            else:
                for clause in ([-n, b, a], [-n, b, 2], [-n, b, -n - 1], [n, -b], [n, -a, -2, n + 1]):
                    self.add(clause)
                self.define_next(-n)
        elif kind == "f":
            need(self.root is None, "the formula is named twice")
            (root,) = numbers
            self.root = self.literal(root)
            need(self.formula(tree) == root, "the refutation is of another formula")
        elif kind == "c":
            literals, hints = self.split(numbers)
            need(all(hint > 0 for hint in hints), "a number below 1")
            need(not set(literals) & {-l for l in literals}, "a tautology")
            self.propagate({("here", -l) for l in literals}, hints, edges=False)
            self.add(literals)
        elif kind == "n":
            there = self.literal(numbers[0])
            literals, hints = self.split(numbers[1:])
            need(any(self.is_next(-l, there) for l in literals), "no successor is asked for")
            need(not set(literals) & {-l for l in literals}, "a tautology")
            self.propagate({("here", -l) for l in literals} | {("there", there)}, hints, edges=True)
            self.add(literals)
        elif kind == "g":
            always, zero, hint = numbers
            need(zero == 0 and self.root is not None, "the line is malformed")
            always = self.literal(always)
            need(always < 0 and self.nodes[-always][:2] == ("EU", 1), "this is no AG")
            self.premise(hint, [-self.root, always])
            self.add([always])
        elif kind == "i":
            set_, until, now, later = numbers
            set_, until = self.literal(set_), self.literal(until)
            need(until > 0 and self.nodes[until][0] in ("EU", "AU"), "this is no until")
            path, a, b = self.nodes[until]
            self.premise(now, [-set_, -b])
            if path == "EU":
                self.premise(later, [-set_, -a], lambda l: self.is_next(-l, -set_))
            else:
                self.premise(later, [-set_, -a, -2], lambda l: self.is_next(l, set_))
            self.add([-set_, -until])
        elif kind == "d":
            for number in numbers:
                need(number in self.clauses, f"{number} names no clause")
                del self.clauses[number]
        elif kind == "q":
            (last,) = numbers
            need(self.root is not None and last != 0, "the line is malformed")
            self.premise(last, [-self.root])
            return True
        else:
            raise Rejected("the line is malformed")
        return False


def check(text, formula, total):
    """The number of steps; Rejected tells the first fault."""
    lines = text.split("\n")
    need(lines[0] == "theta refutation 1" and lines[1] in ("reading total", "reading any"), "line 1: no refutation")
    need(total or lines[1] == "reading any", "it is about total models only")
    checker, tree = Checker(lines[1] == "reading total"), Parser(formula).text()
    for number, line in enumerate(lines[2:-1], 3):
        try:
            need(len(line) > 2 and line[1] == " ", "the line is malformed")
            if checker.line(line[0], line[2:], tree):
                need(lines[number:] == [""], "more stands behind the last step")
                return checker.steps
        except (Rejected, ValueError, IndexError) as fault:
            raise Rejected(f"line {number}, step {checker.steps}: {fault}") from None
    raise Rejected("the refutation ends before its last step")


# Random formulas, and refutations damaged on purpose.

def make(size):
    if size <= 1:
        return random.choice(["p", "q", "~p", "~q", "r", "T"])
    left = random.randint(1, size - 1)
    kind = random.choice(["AX", "EX", "AG", "EG", "AF", "EF", "~", "&", "&", "|", "->", "<->", "U", "U", "R", "W"])
    if kind in UNARY:
        return f"{kind} {make(size - 1)}"
    a, b = make(left), make(size - left)
    return f"{random.choice('AE')}[{a} {kind} {b}]" if kind in "URW" else f"({a} {kind} {b})"


def damaged(text):
    """A refutation with one number, line or pair of lines changed."""
    lines = text.split("\n")
    at = random.randrange(2, len(lines) - 1)
    what = random.randrange(5)
    if what == 0:
        del lines[at]
    elif what == 1:
        lines.insert(at, random.choice(lines[2:-1]))
    elif what == 2:
        other = random.randrange(2, len(lines) - 1)
        lines[at], lines[other] = lines[other], lines[at]
    else:
        words = lines[at].split(" ")
        spot = random.randrange(1, len(words)) if len(words) > 1 else 0
        if spot and what == 3 and re.fullmatch(r"-?\d+", words[spot]):
            words[spot] = str(random.choice([-int(words[spot]), int(words[spot]) + 1, int(words[spot]) - 1]))
        elif spot:
            del words[spot]
        lines[at] = " ".join(words)
    return "\n".join(lines)


def itself():
    theta, count = os.environ.get("THETA", "target/release/theta"), int(os.environ.get("COUNT", "200"))
    random.seed(int(os.environ.get("SEED", "1")))
    refuted, rejected, same = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        file, source = os.path.join(folder, "r"), os.path.join(folder, "f")
        while refuted < count:
            formula = " & ".join([make(random.randint(3, 14))] + [f"AG {make(4)}" for _ in range(random.randint(0, 4))])
            with open(source, "w") as out:
                out.write(formula)
            for total in ([], ["--total"]):
                for engine in ("tableau", "symbolic"):
                    ran = subprocess.run(
                        [theta, "sat", source, "--proof", file, "--engine", engine, *total], capture_output=True, text=True
                    )
                    if ran.returncode == 0:
                        continue
                    assert ran.returncode == 1, (formula, ran.stderr)
                    text = open(file).read()
                    check(text, formula, bool(total))
                    refuted += 1
                    for _ in range(5):
                        other = damaged(text)
                        try:
                            check(other, formula, bool(total))
                            verdict = 0
                            same += 1
                        except Rejected:
                            verdict = 1
                            rejected += 1
                        with open(file, "w") as out:
                            out.write(other)
                        ran = subprocess.run(
                            [theta, "sat", source, "--check", file, *total], capture_output=True, text=True
                        )
                        assert ran.returncode == verdict or ran.returncode == 2 and verdict, (formula, other, ran.stdout)
    print(f"{refuted} refutations accepted; of damaged ones {rejected} rejected, {same} still right, by both checkers alike")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--total"]
    if not arguments:
        return itself()
    refutation, formula = (open(name).read() for name in arguments)
    try:
        print(f"accepted: {check(refutation, formula, '--total' in sys.argv)} steps")
    except Rejected as fault:
        print(f"rejected: {fault}")
        sys.exit(1)


if __name__ == "__main__":
    main()
