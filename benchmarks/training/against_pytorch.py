#!/usr/bin/env python3
"""Seconds of a training step, Stint next to PyTorch, in turns within one run.

    benchmarks/training/against_pytorch.py BUILD MODEL [--batch N] [--classes N] [--steps N] [--turns N]
                                                       [--threads N] [--leaves N] [--fuse auto|off]

BUILD is the folder with `plan` and `run`; needs PyTorch and numpy. PyTorch runs the same layers from the same
values (tests/pytorch) in both of its layouts, and the faster one counts; nothing is dropped out. Prints medians
over the turns in processor time; on several threads the fastest step by the clock, so that nothing else should run.
"""
import pathlib
import statistics
import tempfile

import torch

from measured import (Rival, arguments, first_values, plan, samples, stint_clock_seconds, stint_seconds, workers_here,
                      write_model)


def main():
    args = arguments(__doc__, steps=5, turns=5)
    build = args.build
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = write_model(folder, args.model)
        workers_here(build, folder, model, args.threads)
        schedule = plan(build, folder, model, args.batch, "--leaves", args.leaves, "--fuse", args.fuse,
                        *(["--objective", "time"] if args.threads > 1 else []))
        first = first_values(build, folder)
        data = samples(schedule["model"], args.classes, args.batch)
        rivals = [Rival(schedule["model"], first, data, layout)
                  for layout in (torch.contiguous_format, torch.channels_last)]
        ours, theirs = [], [[], []]
        for _ in range(args.turns):
            ours.append((stint_seconds if args.threads == 1 else stint_clock_seconds)(build, folder, args.steps))
            for seconds, rival in zip(theirs, rivals):
                seconds.append((rival.seconds if args.threads == 1 else rival.clock_seconds)(args.steps))
    typical = statistics.median if args.threads == 1 else min
    listed, channels_last = (typical(seconds) for seconds in theirs)
    mine = typical(ours)
    arena = sum(schedule["arenas"].values()) / 2**20
    print(f"{args.model.stem}, batch {args.batch}, threads {args.threads}: Stint {mine * 1e3:.2f} ms in {arena:.1f} MiB, PyTorch "
          f"{listed * 1e3:.2f} ms, channels last {channels_last * 1e3:.2f} ms: "
          f"{mine / min(listed, channels_last):.2f} of the faster")


if __name__ == "__main__":
    main()
