#!/usr/bin/env python3
"""How much faster a training step is on more workers.

    benchmarks/training/more_workers.py BUILD MODEL [--batch N] [--leaves N] [--workers 1,2] [--steps N] [--turns N]
                                                    [--objective time] [--fuse auto|off]

BUILD is the folder with `plan` and `run`. The same leaves for all, so that all end with the same bits, which is checked.
By the clock, the fastest step of all turns: nothing else should run. What was predicted stands beside it.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def stint(build, program, *arguments):
    done = subprocess.run([build / program, *map(str, arguments)], stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)


def plan(build, folder, args, workers):
    """This machine, as `plan` finds it, with so many workers."""
    schedule = folder / f"{workers}.json"
    if not (folder / "here.json").exists():
        stint(build, "plan", args.model, "here", "--strategy", "keep-all", "-q", "-o", folder / "here.json")
    platform = json.loads((folder / "here.json").read_text())["platform"]
    platform["nodes"][0]["devices"][0]["workers"] = workers
    (folder / "platform.json").write_text(json.dumps(platform))
    stint(build, "plan", args.model, folder / "platform.json", "--batch", args.batch, "--leaves", args.leaves, "--fuse",
          args.fuse, "--objective", args.objective, "-q", "-o", schedule)
    return schedule


def run(build, folder, schedule, steps):
    stint(build, "run", schedule, "--steps", steps, "--warmup", 1, "-q", "-o", folder / "report.json")
    return json.loads((folder / "report.json").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--leaves", type=int, default=4)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--objective", default="time")
    parser.add_argument("--fuse", default="auto")
    args = parser.parse_args()
    build = args.build.absolute()
    counts = [int(count) for count in args.workers.split(",")]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        schedules = {count: plan(build, folder, args, count) for count in counts}
        reports = {count: [] for count in counts}
        for _ in range(args.turns):
            for count, schedule in schedules.items():
                reports[count].append(run(build, folder, schedule, args.steps))
    if len({report["state_sha256"] for runs in reports.values() for report in runs}) != 1:
        sys.exit("different bits; expected the same")

    def fastest(count):
        return min(report["step_seconds"]["least"] for report in reports[count])

    for count in counts:
        predicted = reports[count][0]["predicted"]["seconds"]
        print(f"{args.model.stem}, batch {args.batch}, {args.leaves} leaves, workers {count}: "
              f"{fastest(count) * 1e3:.2f} ms (predicted {predicted * 1e3:.2f}), "
              f"{fastest(counts[0]) / fastest(count):.2f} × {counts[0]} worker")


if __name__ == "__main__":
    main()
