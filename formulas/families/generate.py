#!/usr/bin/env python3
"""Families of CTL formulas, one line each: family, n, status, formula.

    generate.py FAMILY:N[,N…] …        generate.py --small > slow.tsv

What each family says and why its status is what it is stands with its function; README.md has
what is known about them. Status `-`: nothing is known but what the provers say. k_ph_* are meant
over all models, the others over total ones (where they are stronger, every status is the same)."""

import sys


def conj(parts):
    return " & ".join(f"({part})" for part in parts)


def disj(parts):
    return " | ".join(parts)


def apart(names):
    """No two of these."""
    return [f"~({a} & {b})" for i, a in enumerate(names) for b in names[:i]]


def one_of(names):
    return [disj(names)] + apart(names)


def always(parts):
    return [f"AG ({part})" for part in parts]


class Random:
    """Knuth's linear congruential generator: the same formulas everywhere."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n


# Processes


def philosophers(n):
    """Round a table, each thinks, is hungry or eats, in this order and as long as he likes but for
    ever in no state that is not thinking; neighbours do not eat together; who thinks may get
    hungry. Satisfiable: let them all get hungry at once, and one after the other eat."""
    parts = [f"t{i}" for i in range(n)]
    for i in range(n):
        t, h, e = f"t{i}", f"h{i}", f"e{i}"
        parts += always(one_of([t, h, e]))
        parts += always([f"{t} -> AX ({t} | {h})", f"{h} -> AX ({h} | {e})"])
        parts += always([f"{e} -> AX ({e} | {t})", f"{t} -> EX {h}"])
        parts += always([f"{h} -> AF {e}", f"{e} -> AF {t}"])
        if n > 1:
            parts += always([f"~({e} & e{(i + 1) % n})"])
    return "sat", parts


def floors(n):
    parts = ["f0"] + always(one_of([f"f{i}" for i in range(n)]))
    for i in range(n):
        near = [f"f{j}" for j in (i - 1, i, i + 1) if 0 <= j < n]
        parts += always([f"f{i} -> AX ({disj(near)})", f"r{i} -> AF f{i}"])
    return parts


def elevator(n):
    """A lift goes from floor to floor; a call is answered in the end and stays until it is; always
    every floor may be called from in the end, and may be left in peace. Satisfiable: up and down
    for ever, answering all."""
    parts = floors(n)
    for i in range(n):
        parts += always([f"EF r{i}", f"EF ~r{i}", f"r{i} & ~f{i} -> AX r{i}"])
    return "sat", parts


def elevator_calls(n):
    """Any floor may be called from at any moment; calls need not stay. Satisfiable as before."""
    return "sat", floors(n) + always(f"EX r{i}" for i in range(n))


def round_robin(n):
    """A token goes round; who asks gets its turn, with the token; everyone may ask in the end and
    may stop. Satisfiable: everyone's turn comes with the token."""
    parts = ["k0"] + always(one_of([f"k{i}" for i in range(n)]))
    for i in range(n):
        j = (i + 1) % n
        parts += always([f"k{i} -> AX (k{i} | k{j})", f"k{i} -> AF k{j}", f"g{i} -> k{i}"])
        parts += always([f"q{i} -> AF g{i}", f"EF q{i}", f"EF ~q{i}"])
    return "sat", parts


def responses(n, last):
    random = Random(n)
    parts = ["EF a0"] + always(apart([f"a{i}" for i in range(n)]))
    for i in range(n - 1 if last else n):
        if last:
            ends = {i + 1, i + 1 + random.below(n - 1 - i)}
        else:
            ends = {random.below(n), random.below(n)} - {i}
        parts += always(f"a{i} -> AF a{j}" for j in sorted(ends))
    return parts


def resp_graph(n):
    """n activities, never two at once, each answered by two others at random. Satisfiable: all of
    them in a circle."""
    return "sat", responses(n, False)


def resp_forward(n):
    """Each activity is answered by the next and by a later one; the first happens, the last never.
    Unsatisfiable, by induction along the activities."""
    return "unsat", responses(n, True) + [f"AG ~a{n - 1}"]


# Parity


def iff(names):
    text = names[-1]
    for name in reversed(names[:-1]):
        text = f"({name} <-> {text})"
    return text


def iff_chain(n):
    """A chain of equivalences, and the negation of the same in another order. Unsatisfiable: `<->`
    is associative and commutative."""
    names = [f"p{i}" for i in range(n)]
    other, random = list(names), Random(n)
    for i in range(n - 1, 0, -1):
        j = random.below(i + 1)
        other[i], other[j] = other[j], other[i]
    return "unsat", always([iff(names), f"~{iff(other)}"])


def iff_links(n):
    """p_i holds where p_(i+1) is inevitable, for all i; p_0 holds now and may cease to, p_n may
    always. Satisfiable: a state with all of them, then for ever one with none."""
    parts = always(f"p{i} <-> AF p{i + 1}" for i in range(n))
    return "sat", parts + [f"AG EF ~p{n}", "p0", "EF ~p0"]


# Pigeons


def pigeons(n, at):
    """n + 1 pigeons in n holes, no two in one."""
    parts = [disj(at(i, j) for j in range(n)) for i in range(n + 1)]
    for j in range(n):
        parts += apart([at(i, j) for i in range(n + 1)])
    return parts


def pigeons_next(n):
    """In every next state more pigeons than holes. Unsatisfiable, as there is one."""
    return "unsat", ["EX T", f"AX ({conj(pigeons(n, lambda i, j: f'p{i}_{j}'))})"]


def pigeons_possible(n):
    """What is possible next is a pigeon in a hole."""
    return "unsat", pigeons(n, lambda i, j: f"EX p{i}_{j}")


def pigeons_branch(n):
    """Each pigeon has a next state of its own in which it is in a hole, and of one hole no two
    pigeons have one. Unsatisfiable: the holes so had are different."""
    parts = [f"EX ({disj(f'p{i}_{j}' for j in range(n))})" for i in range(n + 1)]
    for j in range(n):
        parts += apart([f"EX p{i}_{j}" for i in range(n + 1)])
    return "unsat", parts


def k_ph(n, missing):
    def at(i, j):
        return f"AX p{i}_{j}" if i < j else f"p{i}_{j}"

    left = conj(disj(at(i, j) for j in range(1, n + 1)) for i in range(1, n + 2))
    right = disj(
        f"{at(i, j)} & {at(k, j)}"
        for j in range(1, n + 1)
        for i in range(1, n + 2)
        for k in range(i + 1, n + 2)
        if (i, j, k) != missing
    )
    return [f"~(EX ({left}) -> EX ({right}))"]


def k_ph_p(n):
    """The negation of the Logics Workbench's k_ph_p: pigeons some of whose places are boxed.
    Unsatisfiable, as k_ph_p is a theorem of K."""
    return "unsat", k_ph(n, None)


def k_ph_n(n):
    """One pair of pigeons may share a hole. Satisfiable: there they are."""
    hole = 2 * n // 3 + 1
    return "sat", k_ph(n, (hole, hole, hole + 1))


# Shift registers

TAPS = {
    3: [3, 2], 4: [4, 3], 5: [5, 3], 6: [6, 5], 7: [7, 6], 8: [8, 6, 5, 4], 9: [9, 5],
    10: [10, 7], 11: [11, 9], 12: [12, 6, 4, 1], 13: [13, 4, 3, 1], 14: [14, 5, 3, 1],
    15: [15, 14], 16: [16, 15, 13, 4], 17: [17, 14], 18: [18, 11], 19: [19, 6, 2, 1],
    20: [20, 17], 21: [21, 19], 22: [22, 21], 23: [23, 18], 24: [24, 23, 22, 17],
}


def register(n):
    """A shift register of n bits with linear feedback (a primitive polynomial, so that it goes
    through all 2^n - 1 states that are not zero), at first 10…0; and its state 0…01."""
    fed = f"b{TAPS[n][0]}"
    for tap in TAPS[n][1:]:
        fed = f"~({fed} <-> b{tap})"
    parts = ["b1"] + [f"~b{i}" for i in range(2, n + 1)]
    for i in range(2, n + 1):
        parts += always([f"b{i - 1} -> AX b{i}", f"~b{i - 1} -> AX ~b{i}"])
    parts += always([f"{fed} -> AX b1", f"~{fed} -> AX ~b1"])
    return parts, conj([f"~b{i}" for i in range(1, n)] + [f"b{n}"])


def lfsr_sat(n):
    """The register gets there."""
    rules, last = register(n)
    return "sat", rules + [f"EF ({last})"]


def lfsr_unsat(n):
    """The register never gets there. Unsatisfiable in total models."""
    rules, last = register(n)
    return "unsat", rules + [f"AG ~({last})", "AG EX T"]


# The model checking contest's kind


def contest(n):
    """n random formulas in twenty variables, path operators three deep, as the contest asks of
    Petri nets; their conjunction."""
    random = Random(777)

    def atom():
        name = f"p{random.below(20)}"
        return f"~{name}" if random.below(2) else name

    def state(depth):
        if depth == 0:
            kind = random.below(4)
            if kind == 0:
                return atom()
            if kind == 3:
                return f"({atom()} | ({atom()} & {atom()}))"
            return f"({atom()} {'&|'[kind - 1]} {atom()})"
        kind = random.below(10)
        if kind < 2:
            return f"({state(depth - 1)} {'&|'[kind]} {state(depth - 1)})"
        if kind == 2:
            return f"~{state(depth - 1)}"
        if kind < 7:
            return f"{['AG', 'EG', 'AF', 'EF'][kind - 3]} {state(depth - 1)}"
        if kind < 9:
            return f"{'AE'[kind - 7]}[{state(depth - 1)} U {state(depth - 1)}]"
        return f"{['AX', 'EX'][random.below(2)]} {state(depth - 1)}"

    return "-", [state(3) for _ in range(n)]


FAMILIES = [
    philosophers, elevator, elevator_calls, round_robin, resp_graph, resp_forward, iff_chain,
    iff_links, pigeons_next, pigeons_possible, pigeons_branch, k_ph_p, k_ph_n, lfsr_sat, lfsr_unsat,
    contest,
]  # fmt: skip

SMALL = {
    "philosophers": [2, 5], "elevator": [3, 4], "elevator_calls": [3, 4], "round_robin": [3, 4],
    "resp_graph": [6, 12], "resp_forward": [5, 12], "iff_chain": [5, 16], "iff_links": [4, 16],
    "pigeons_next": [3, 10], "pigeons_possible": [3, 10], "pigeons_branch": [3, 6],
    "k_ph_p": [3, 9], "k_ph_n": [3, 8], "lfsr_sat": [4, 7], "lfsr_unsat": [4, 7],
}  # fmt: skip


def main(args):
    names = {family.__name__: family for family in FAMILIES}
    if args == ["--small"]:
        print("# Written by generate.py --small.")
        print("family", "n", "status", "formula", sep="\t")
        args = [f"{name}:{','.join(map(str, sizes))}" for name, sizes in SMALL.items()]
    for arg in args:
        name, _, sizes = arg.partition(":")
        if name not in names or not sizes.replace(",", "").isdigit():
            sys.exit(f"{arg}: not FAMILY:N[,N…]; the families are {', '.join(names)}")
        for n in map(int, sizes.split(",")):
            status, parts = names[name](n)
            print(name, n, status, conj(parts), sep="\t")
    if not args:
        sys.exit(__doc__)


main(sys.argv[1:])
