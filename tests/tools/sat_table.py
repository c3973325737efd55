#!/usr/bin/env python3
"""Every answer of `theta sat` checked twice: a table of sizes and times.

Run: sat_table.py [--engine E] [--random N] [--largest BYTES], with THETA=target/release/theta. The listed instances of
formulas/families/instances.tsv in both readings, then N random formulas (1,000), half of them without a model. A refutation goes
to `theta sat --check` and to tests/tools/refutation.py (up to BYTES long, all of them by default), a model to theta's own model
checker, which has confirmed what it prints, and to tests/tools/model.py. Times are CPU seconds of the process, its start
included; with no model printed. Exit code 1 if anything is rejected, undecided or other than listed.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

import model
import refutation

THETA = os.environ.get("THETA", "target/release/theta")
FAILED = []


def run(arguments):
    """What a run printed, its exit code, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([THETA, *arguments], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, done.returncode, cpu


def one(name, formula, total, engine, largest, directory):
    """Decides a formula, has its answer checked twice, and answers what is to be told of it."""
    path, proof = os.path.join(directory, "f.ctl"), os.path.join(directory, "f.ref")
    with open(path, "w") as file:
        file.write(formula)
    common = ["sat", path, *(["--total"] if total else []), "--json"]
    out, code, decided = run(common + ["--engine", engine])
    row = {"name": name, "total": total, "satisfiable": {0: True, 1: False}.get(code), "decided": decided}
    if code == 1:
        out, code, row["proved"] = run(common + ["--engine", engine, "--proof", proof])
        row.update({k: v for k, v in json.loads(out).get("refutation", {}).items() if k != "file"})
        out, code, row["checked"] = run(common[:-1] + ["--check", proof])
        row["first"] = code == 0
        row["second"] = None
        if "bytes" in row and row["bytes"] <= largest:
            start = time.process_time()
            with open(proof) as file:
                try:
                    refutation.check(file.read(), formula, total)
                    row["second"] = True
                except refutation.Rejected as why:
                    row["second"] = str(why)
            row["python"] = time.process_time() - start
    elif code == 0:
        out, code, row["proved"] = run(common + ["--engine", engine, "--model", "json"])
        found = json.loads(out)
        row.update(states=found["model_states"], first=found["verified"])
        row["second"] = found["model"] is not None and model.check(found["model"], formula, total)
    good = row.get("first") is True and row.get("second") in (True, None)
    if not good:
        FAILED.append(row)
        print(f"NOT ACCEPTED: {row}", flush=True)
    return row


def instances():
    with open("formulas/families/instances.tsv") as file:
        for line in file:
            if not line.startswith("#") and not line.startswith("family\t"):
                family, n, status, formula = line.rstrip("\n").split("\t")
                yield f"{family} {n}", status == "sat", formula


def listed(options, directory):
    for name, satisfiable, formula in instances():
        for total in (True, False):
            row = one(name, formula, total, options.engine, options.largest, directory)
            if total and row["satisfiable"] != satisfiable:
                FAILED.append(row)
                print(f"NOT AS LISTED: {row}", flush=True)
            told = [f"{row[k]:.3f}" if isinstance(row.get(k), float) else str(row.get(k, "-"))
                    for k in ("decided", "proved", "checked", "python", "states", "steps", "bytes", "second")]
            print("\t".join([name, "total" if total else "any", *told]), flush=True)


def random_formula(size):
    """A formula of about so many operators over p, q and r."""
    if size <= 1:
        return random.choice(["p", "q", "r", "~p", "~q", "~r"])
    kind = random.randrange(8)
    left = random.randrange(1, size)
    if kind < 4:
        return f"{random.choice(['AX', 'EX', 'AG', 'EG', 'AF', 'EF', '~'])} ({random_formula(size - 1)})"
    a, b = random_formula(left), random_formula(size - left)
    if kind < 7:
        return f"(({a}) {random.choice(['&', '&', '|', '->', '<->', 'xor'])} ({b}))"
    return f"{random.choice('AE')}[{a} {random.choice('UUWR')} {b}]"


def at_random(options, directory):
    random.seed(20)
    wanted = {(total, satisfiable): options.random // 4 for total in (True, False) for satisfiable in (True, False)}
    sums, sizes = {}, []
    while any(wanted.values()):
        total = random.random() < 0.5
        formula = random_formula(random.randrange(4, 24))
        for _ in range(random.randrange(5)):
            formula = f"{formula} & AG ({random_formula(4)})"
        out, code, _ = run_text(formula, total, options.engine)
        key = (total, code == 0)
        if wanted.get(key, 0) == 0:
            continue
        wanted[key] -= 1
        row = one("random", formula, total, options.engine, options.largest, directory)
        sums[key] = sums.get(key, 0) + 1
        sizes.append(row.get("bytes") or 0)
    for (total, satisfiable), count in sorted(sums.items()):
        print(f"random, {'total' if total else 'any'} models, {'a model' if satisfiable else 'no model'}: {count}")
    print(f"largest refutation: {max(sizes)} bytes")


def run_text(formula, total, engine):
    arguments = [THETA, "sat", "-", "--engine", engine, *(["--total"] if total else [])]
    done = subprocess.run(arguments, input=formula, capture_output=True, text=True)
    return done.stdout, done.returncode, 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--random", type=int, default=1000)
    parser.add_argument("--largest", type=int, default=1 << 40)
    parser.add_argument("--no-list", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        if not options.no_list:
            print("instance\treading\tdecided\tproved\tchecked\tpython\tstates\tsteps\tbytes\taccepted")
            listed(options, directory)
        if options.random:
            at_random(options, directory)
    print(f"{len(FAILED)} not accepted or not as listed")
    sys.exit(1 if FAILED else 0)


if __name__ == "__main__":
    main()
