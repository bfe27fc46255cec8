#!/usr/bin/env python3
"""Seconds of a training step on one thread, Stint next to PyTorch, in turns within one run.

    benchmarks/training/against_pytorch.py BUILD MODEL [--batch N] [--classes N] [--steps N] [--turns N]

BUILD is the folder with `plan` and `run`; needs PyTorch and numpy. PyTorch runs the same layers from the same
values (tests/pytorch) in both of its layouts, and the faster one counts; nothing is dropped out. Prints medians
over the turns: Stint's of all steps of a turn, PyTorch's of the fastest step of a turn.
"""
import argparse
import json
import pathlib
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "pytorch"))

import numpy  # noqa: E402
import torch  # noqa: E402

from network import loss_of, optimizer_of  # noqa: E402
from numbers_by_name import first_state  # noqa: E402
from train_both import samples_of, stint, without_dropout  # noqa: E402


def one_worker_here(build, folder, model):
    """This machine, as `plan` finds it, with one worker."""
    stint(build, "plan", model, "here", "-q", "-o", folder / "here.json")
    platform = json.loads((folder / "here.json").read_text())["platform"]
    for device in platform["nodes"][0]["devices"]:
        device["workers"] = 1
    (folder / "platform.json").write_text(json.dumps(platform))
    return folder / "platform.json"


def plan(build, folder, model, batch):
    file = folder / "model.json"
    file.write_text(json.dumps(without_dropout(json.loads(model.read_text()))))
    platform = one_worker_here(build, folder, file)
    stint(build, "plan", file, platform, "--batch", batch, "-q", "-o", folder / "schedule.json")
    return json.loads((folder / "schedule.json").read_text())


def first_values(build, folder):
    stint(build, "run", folder / "schedule.json", "--steps", 1, "--warmup", 0, "--save", folder / "probe.npz", "-q")
    with numpy.load(folder / "probe.npz") as probe:
        return {n: first_state(n, probe[n].shape) for n in probe.files if probe[n].dtype == "f4"}


class Rival:
    """The same network in PyTorch, on one batch."""

    def __init__(self, model, first, data, layout):
        def laid(tensor):
            return tensor.to(memory_format=layout) if tensor.dim() == 4 else tensor
        remembered = (".momentum", ".mean", ".square")
        self.model = model
        self.state = {n: laid(torch.from_numpy(v.copy())) for n, v in first.items() if not n.endswith(remembered)}
        trained = [v.requires_grad_() for n, v in self.state.items() if ".running_" not in n]
        self.optimizer = optimizer_of(model, trained)
        self.batch = {n: laid(torch.from_numpy(v)) for n, v in data.items()}

    def step(self):
        begin = time.perf_counter()
        self.optimizer.zero_grad()
        loss_of(self.model, self.state, self.batch).backward()
        self.optimizer.step()
        return time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--classes", type=int, default=2, help="labels and tokens are below this")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--turns", type=int, default=5)
    args = parser.parse_args()
    torch.set_num_threads(1)
    build = args.build.absolute()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        schedule = plan(build, folder, args.model, args.batch)
        first = first_values(build, folder)
        data = {g["name"]: samples_of(g, args.classes, args.batch) for g in schedule["model"]["inputs"]}
        rivals = [Rival(schedule["model"], first, data, layout)
                  for layout in (torch.contiguous_format, torch.channels_last)]
        ours, theirs = [], [[], []]
        for _ in range(args.turns):
            stint(build, "run", folder / "schedule.json", "--steps", args.steps, "--warmup", 2, "-q",
                  "-o", folder / "report.json")
            ours.append(json.loads((folder / "report.json").read_text())["measured"]["seconds"])
            for seconds, rival in zip(theirs, rivals):
                rival.step()
                seconds.append(min(rival.step() for _ in range(args.steps)))
    listed, channels_last = (statistics.median(seconds) for seconds in theirs)
    mine = statistics.median(ours)
    arena = sum(schedule["arenas"].values()) / 2**20
    print(f"{args.model.stem}, batch {args.batch}: Stint {mine * 1e3:.2f} ms in {arena:.1f} MiB, PyTorch "
          f"{listed * 1e3:.2f} ms, channels last {channels_last * 1e3:.2f} ms: "
          f"{mine / min(listed, channels_last):.2f} of the faster")


if __name__ == "__main__":
    main()
