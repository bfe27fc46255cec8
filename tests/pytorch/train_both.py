#!/usr/bin/env python3
"""Trains a network with Stint and with PyTorch from the same weights on the same batches, and compares.

    tests/pytorch/train_both.py BUILD MODEL [--batch N] [--steps N] [--classes N] [--record FILE]

BUILD is the folder with `plan` and `run`; needs PyTorch and numpy. Dropout is switched off, because masks
differ. Prints losses side by side and the largest difference of any parameter, relative to its size;
`--record` writes PyTorch's losses and a digest of its parameters, which tests/executor compares with.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy
import torch

from network import loss_of, optimizer_of
from numbers_by_name import first_state, integers, signed


def stint(build, program, *arguments):
    subprocess.run([build / program, *map(str, arguments)], check=True)


def without_dropout(model):
    for layer in model["layers"]:
        if layer.get("op") == "dropout":
            layer["probability"] = 0
        without_dropout({"layers": layer.get("layers", [])})
    return model


def plan(build, folder, model, batch):
    file = folder / "model.json"
    file.write_text(json.dumps(without_dropout(json.loads(model.read_text()))))
    stint(build, "plan", file, "here", "--batch", batch, "-o", folder / "schedule.json", "-q")
    return json.loads((folder / "schedule.json").read_text())


def samples_of(given, classes, count):
    shape = [count if size == "batch" else size for size in given["shape"]]
    elements = int(numpy.prod(shape))
    if given.get("type") == "int32":
        return (integers(given["name"], elements) % numpy.uint64(classes)).astype(numpy.int32).reshape(shape)
    return signed(given["name"], elements).reshape(shape)


def write_inputs(build, folder, model, batch, steps, classes):
    """First values of all state, whose shapes a step tells, and samples for all steps."""
    schedule = folder / "schedule.json"
    stint(build, "run", schedule, "--steps", 1, "--warmup", 0, "--save", folder / "probe.npz", "-q")
    with numpy.load(folder / "probe.npz") as probe:
        state = {name: first_state(name, probe[name].shape) for name in probe.files if probe[name].dtype == "f4"}
    numpy.savez(folder / "first.npz", **state)
    data = {given["name"]: samples_of(given, classes, batch * steps) for given in model["inputs"]}
    for name, values in data.items():
        numpy.save(folder / f"{name}.npy", values)
    return state, data


def train_stint(build, folder, steps, data):
    files = ",".join(str(folder / f"{name}.npy") for name in data)
    stint(build, "run", folder / "schedule.json", "--steps", steps, "--warmup", 0, "--load", folder / "first.npz",
          "--data", f"npy:{files}", "--save", folder / "last.npz", "-o", folder / "report.json", "-q")
    return json.loads((folder / "report.json").read_text())["loss"]


def train_pytorch(model, first, data, batch, steps):
    remembered = (".momentum", ".mean", ".square")
    state = {name: torch.from_numpy(value.copy()) for name, value in first.items() if not name.endswith(remembered)}
    optimizer = optimizer_of(model, [v.requires_grad_() for n, v in state.items() if ".running_" not in n])
    losses = []
    for step in range(steps):
        now = {name: torch.from_numpy(v[step * batch:(step + 1) * batch]) for name, v in data.items()}
        optimizer.zero_grad()
        loss = loss_of(model, state, now)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, {name: value.detach().numpy() for name, value in state.items()}


def largest_difference(folder, expected):
    """Of each parameter the largest difference over its largest value; the worst of all."""
    last = numpy.load(folder / "last.npz")
    worst = (0.0, "")
    for name, values in expected.items():
        scale = max(float(numpy.abs(values).max()), 1e-6)
        worst = max(worst, (float(numpy.abs(last[name] - values).max()) / scale, name))
    return worst


def record(file, args, losses, state):
    digest = {name: [float(v.mean(dtype=numpy.float64)), float(numpy.sqrt((v.astype(numpy.float64) ** 2).mean()))]
              for name, v in state.items()}
    text = {"model": args.model.stem, "batch": args.batch, "classes": args.classes, "loss": losses, "mean_and_rms": digest}
    file.write_text(json.dumps(text, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--classes", type=int, default=2, help="labels and tokens are below this")
    parser.add_argument("--record", type=pathlib.Path)
    args = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        build = args.build.absolute()
        model = plan(build, folder, args.model, args.batch)["model"]
        first, data = write_inputs(build, folder, model, args.batch, args.steps, args.classes)
        ours = train_stint(build, folder, args.steps, data)
        theirs, state = train_pytorch(model, first, data, args.batch, args.steps)
        for step, (a, b) in enumerate(zip(ours, theirs)):
            print(f"step {step:2}  loss {a:.7f}  PyTorch {b:.7f}  difference {abs(a - b):.2e}")
        difference, where = largest_difference(folder, state)
        print(f"parameters differ by at most {difference:.2e} of their size ({where})")
        if args.record:
            record(args.record, args, theirs, state)


if __name__ == "__main__":
    main()
