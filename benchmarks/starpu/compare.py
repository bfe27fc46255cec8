#!/usr/bin/env python3
"""A training step on two cores: planned by Stint, run by StarPU's schedulers with the same kernels and cuts, and PyTorch.

    benchmarks/starpu/compare.py BUILD [MODEL:BATCH:LEAVES…] [--runs N] [--pytorch-runs N] [--steps N] [--warmup N]

Contestants take turns, each in a process of its own, `runs` times (PyTorch, slow to start, in the first of them); other
programs can only add to a time, so the fastest step counts, and the median over runs stands beside it. Three tables:
times; how steady they are, the share of time in which workers were idle, how many different states the runs ended with;
and what a scheduler could gain at most. Inputs are in memory before a step begins.
StarPU sums gradients as the plan does; "+redux" is its own way, a sum for each worker. "as in DAHL" is how a framework on
StarPU does the same step: every layer for itself, a task for each sample, +redux. PyTorch is left out if absent.

"no more than" bounds what any scheduler could gain with these kernels: the fastest of StarPU's steps / (seconds in which
Stint's workers computed / 2 workers).
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CASES = ["dahl_cnn:4:4", "dahl_cnn:14:7", "dahl_cnn:32:4", "dahl_cnn:32:32", "dahl_cnn:100:4", "dahl_cnn:100:100",
         "dahl_cnn_512:4:4", "dahl_cnn_512:14:7", "dahl_cnn_512:32:4", "dahl_cnn_512:100:4"]
STARPU = ["eager", "lws", "dmda", "eager+redux"]
AS_DAHL = "as in DAHL"


def output_of(command):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: {done.stderr.strip()}")
    return done.stdout


def platform_of_two(build, folder, model):
    """This machine, as `plan` finds it, with two workers."""
    output_of([build / "plan", model, "here", "-q", "-o", folder / "here.json"])
    platform = json.loads((folder / "here.json").read_text())["platform"]
    platform["nodes"][0]["devices"][0]["workers"] = 2
    (folder / "platform.json").write_text(json.dumps(platform))
    return folder / "platform.json"


def has_torch(python):
    return subprocess.run([python, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode == 0


class Tally:
    def __init__(self):
        self.fastest, self.medians, self.idle, self.busy, self.states = [], [], [], [], set()

    def add(self, line):
        said = json.loads(line)
        self.fastest.append(min(said["seconds"]))
        self.medians.append(statistics.median(said["seconds"]))
        if said["idle"] is not None:
            self.idle.append(said["idle"])
            self.busy.append((1 - said["idle"]) * statistics.mean(said["seconds"]))
        self.states.add(said["state_sha256"])

    def least(self):
        return min(self.fastest)

    def time(self, best):
        """Fastest step, median of the runs' medians, and how many times as long as the best's fastest."""
        ratio = "" if self is best else f", {self.least() / best.least():.1f}×"
        return f"{self.least() * 1e3:.3g} ({statistics.median(self.medians) * 1e3:.3g}){ratio}"

    def work(self):
        """Seconds of a step if its workers were never idle."""
        return min(self.busy)

    def steadiness(self):
        idle = f", idle {100 * statistics.median(self.idle):.0f} %" if self.idle else ""
        return f"{max(self.medians) / min(self.medians):.2f}{idle}, {len(self.states)}"


def print_table(title, rows, names, cell):
    print(f"\n{title}:\n\n| | {' | '.join(names)} |\n|---|{'--:|' * len(names)}")
    for case, tallies in rows.items():
        print(f"| {case} | {' | '.join(cell(tally, tallies) for tally in tallies.values())} |")


def plan(build, folder, model, batch, leaves, *options):
    schedule = folder / f"schedule{leaves}{''.join(map(str, options))}.json"
    output_of([build / "plan", model, platform_of_two(build, folder, model), "--batch", batch, "--leaves", leaves,
               "--objective", "time", *options, "-q", "-o", schedule])
    return schedule


def compare(build, python, case, args):
    name, batch, leaves = case.split(":")
    model = ROOT / "models" / f"{name}.json"
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        schedule = plan(build, folder, model, batch, leaves, "--grain", args.grain)
        by_sample = plan(build, folder, model, batch, batch, "--grain", 1, "--fuse", "off")
        tallies = {who: Tally() for who in ["stint", *STARPU, AS_DAHL, *(["PyTorch"] if python else [])]}
        for run in range(args.runs):
            for who, tally in tallies.items():
                if who == "PyTorch" and run >= args.pytorch_runs:
                    continue
                if who == "PyTorch":
                    tally.add(output_of([python, HERE / "train_with_pytorch.py", model, batch, args.steps, args.warmup]))
                else:
                    file, how = (by_sample, "eager+redux") if who == AS_DAHL else (schedule, who)
                    tally.add(output_of([build / "benchmarks/starpu/train_with", file, how, args.steps, args.warmup]))
    return tallies


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("cases", nargs="*", default=CASES)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--warmup", type=int, default=10)
    parser.add_argument("--pytorch-runs", type=int, default=5)
    parser.add_argument("--grain", default="1", help="of Stint's plan, and so of StarPU's tasks")
    parser.add_argument("--python", default=sys.executable, help="the one that has PyTorch")
    args = parser.parse_args()
    build = args.build.absolute()
    if not (build / "benchmarks/starpu/train_with").exists():
        sys.exit("skipped: train_with was not built; expected StarPU 1.3 and oneDNN")
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    python = args.python if args.pytorch_runs > 0 and has_torch(args.python) else None
    if args.pytorch_runs > 0 and not python:
        print("PyTorch is left out: it cannot be imported here")
    rows = {}
    for case in args.cases:
        name, batch, leaves = case.split(":")
        rows[f"{name}, batch {batch}, {leaves} leaves"] = compare(build, python, case, args)
        print(f"{case} is measured", file=sys.stderr)
    names = ["Stint", *(f"StarPU {who}" for who in [*STARPU, AS_DAHL]), *(["PyTorch"] if python else [])]
    print_table("ms of a step: fastest (median over runs of their median step), times Stint's fastest", rows, names,
                lambda tally, all: tally.time(all["stint"]))
    print_table(f"Median step of the slowest run / of the fastest, idle share of the workers, different states in {args.runs} runs", rows, names,
                lambda tally, all: tally.steadiness())
    print("\nStarPU's fastest / Stint's, and no more than:\n\n| | is | no more than |\n|---|--:|--:|")
    for case, tallies in rows.items():
        best = min(tallies[who].least() for who in STARPU)
        stint = tallies["stint"]
        print(f"| {case} | {best / stint.least():.1f} | {best / stint.work():.1f} |")


if __name__ == "__main__":
    main()
