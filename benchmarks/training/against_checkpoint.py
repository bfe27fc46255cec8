#!/usr/bin/env python3
"""Training in the memory of torch.utils.checkpoint: how much it needs, and how long Stint takes within as much.

    benchmarks/training/against_checkpoint.py BUILD MODEL [--batch N] [--classes N] [--steps N] [--turns N]

BUILD is the folder with `plan` and `run`; needs PyTorch and numpy. The layers are cut wherever a single value passes
from what comes before to what comes after; of these n stages PyTorch makes √n segments, recomputes each but the last
(as checkpoint_sequential does), and keeps nothing else. Memory is what a fresh process has resident at its highest:
of PyTorch above what it had before parameters were made, of Stint all of it. A step is processor time on one thread,
in turns. Then Stint plans within the memory of PyTorch with segments. PyTorch's faster layout counts.
"""
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy
import torch
from torch.utils.checkpoint import checkpoint

from measured import Rival, arguments, first_values, plan, resident, run_once, samples, stint_seconds, write_model
from network import apply, loss_of, loss_of_prediction, output_names

LAYOUTS = {"listed": torch.contiguous_format, "channels last": torch.channels_last}


def stages_of(model):
    """Layers between places where a single value is all that is needed later."""
    last_use = {name: i for i, layer in enumerate(model["layers"]) for name in layer["inputs"]}
    last_use[model["loss"]["inputs"][0]] = len(model["layers"])
    stages, stage, live = [], [], set()
    for i, layer in enumerate(model["layers"]):
        stage.append(layer)
        live = {n for n in live | set(output_names(layer)) if last_use.get(n, -1) > i}
        if len(live) == 1:
            stages.append((stage, next(iter(live))))
            stage = []
    return stages


def segments_of(model):
    """√n segments of the same number of stages, the last with what is left: (layers, value that leaves)."""
    stages = stages_of(model)
    count = max(1, round(math.sqrt(len(stages))))
    size = len(stages) // count
    ends = [size * (i + 1) for i in range(count - 1)] + [len(stages)]
    begins = [0] + ends[:-1]
    return [(sum((s[0] for s in stages[b:e]), []), stages[e - 1][1]) for b, e in zip(begins, ends)]


def loss_in_segments(model, state, batch):
    entering = None
    values = dict(batch)
    segments = segments_of(model)
    for number, (layers, leaving) in enumerate(segments):
        def segment(x, layers=layers, entering=entering, leaving=leaving):
            inside = dict(batch)
            if entering is not None:
                inside[entering] = x
            apply(layers, state, inside)
            return inside[leaving]
        x = values.get(entering)
        last = number + 1 == len(segments)
        values[leaving] = segment(x) if last else checkpoint(segment, x, use_reentrant=False)
        entering = leaving
    return loss_of_prediction(model, values)


LOSSES = {"whole": loss_of, "in segments": loss_in_segments}


def measure_memory(folder, loss, layout):
    """In a process of its own: prints the highest resident bytes above those before parameters were made."""
    model = json.loads((folder / "model_only.json").read_text())
    torch.ones(1).add_(1)
    before = resident("self", "VmRSS")
    pathlib.Path("/proc/self/clear_refs").write_text("5")
    with numpy.load(folder / "first.npz") as first, numpy.load(folder / "data.npz") as data:
        rival = Rival(model, dict(first), dict(data), LAYOUTS[layout], LOSSES[loss])
    for _ in range(3):
        rival.step()
    print(resident("self", "VmHWM") - before)


def pytorch_bytes(folder, loss, layout):
    child = subprocess.run([sys.executable, __file__, "--memory-of", folder, loss, layout],
                           stdout=subprocess.PIPE, check=True, text=True)
    return int(child.stdout)


def in_turns(args, build, folder, rivals):
    """Medians of ours and of each rival's."""
    ours, theirs = [], [[] for _ in rivals]
    for _ in range(args.turns):
        ours.append(stint_seconds(build, folder, args.steps))
        for seconds, rival in zip(theirs, rivals):
            seconds.append(rival.seconds(args.steps))
    return statistics.median(ours), [statistics.median(seconds) for seconds in theirs]


def compare(args, build, folder, model_file, model, first, data, loss, bound=None):
    """One line, and the bytes of PyTorch's faster layout."""
    rivals = [Rival(model, first, data, layout, LOSSES[loss]) for layout in LAYOUTS.values()]
    memory = {layout: pytorch_bytes(folder, loss, layout) for layout in LAYOUTS}
    seconds = [rival.seconds(args.steps) for rival in rivals]
    best = min(range(len(rivals)), key=seconds.__getitem__)
    theirs = memory[list(LAYOUTS)[best]]
    options = () if bound is None else ("--memory", theirs)
    schedule = plan(build, folder, model_file, args.batch, *options)
    head = f"{args.model.stem}, batch {args.batch}, PyTorch {loss}: {theirs / 2**20:.0f} MiB"
    if schedule is None:
        return print(f"{head}; no plan within as much")
    ours, (rival,) = in_turns(args, build, folder, [rivals[best]])
    arena = schedule["arenas"]
    recomputed = schedule["predicted"]["recomputed"]
    print(f"{head}, {rival * 1e3:.1f} ms; Stint: arenas {sum(arena.values()) / 2**20:.0f} MiB, resident "
          f"{run_once(build, folder, 2)[1] / 2**20:.0f} MiB, {ours * 1e3:.1f} ms, recomputes {recomputed} tasks: "
          f"{ours / rival:.2f} of PyTorch's time")


def main():
    if sys.argv[1:2] == ["--memory-of"]:
        torch.set_num_threads(1)
        return measure_memory(pathlib.Path(sys.argv[2]), *sys.argv[3:])
    args = arguments(__doc__, steps=3, turns=3)
    build = args.build
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model_file = write_model(folder, args.model)
        model = plan(build, folder, model_file, args.batch)["model"]
        (folder / "model_only.json").write_text(json.dumps(model))
        first = first_values(build, folder)
        data = samples(model, args.classes, args.batch)
        numpy.savez(folder / "first.npz", **first)
        numpy.savez(folder / "data.npz", **data)
        print(f"{len(stages_of(model))} stages, {len(segments_of(model))} segments")
        compare(args, build, folder, model_file, model, first, data, "whole")
        compare(args, build, folder, model_file, model, first, data, "in segments", bound="theirs")


if __name__ == "__main__":
    main()
