#!/usr/bin/env python3
"""Trains a network with Stint and with PyTorch from the same weights on the same batches, and compares.

    tests/pytorch/train_both.py BUILD MODEL [--batch N] [--steps N] [--record FILE]

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


def train_stint(build, folder, steps):
    stint(build, "run", folder / "schedule.json", "--steps", 0, "--save", folder / "first.npz", "-q")
    stint(build, "run", folder / "schedule.json", "--steps", steps, "--save", folder / "last.npz",
          "--save-data", folder / "data.npz", "-o", folder / "report.json", "-q")
    return json.loads((folder / "report.json").read_text())["loss"]


def train_pytorch(schedule, folder, steps):
    model = schedule["model"]
    first = numpy.load(folder / "first.npz")
    data = numpy.load(folder / "data.npz")
    states = {t["name"] for t in schedule["graph"]["tensors"] if t.get("kind") == "state"}
    state = {name: torch.from_numpy(first[name].copy()) for name in first.files if name in states}
    remembered = (".momentum", ".mean", ".square")
    state = {name: value for name, value in state.items() if not name.endswith(remembered)}
    trained = [value.requires_grad_() for name, value in state.items() if ".running_" not in name]
    optimizer = optimizer_of(model, trained)
    losses = []
    for step in range(steps):
        batch = {i["name"]: torch.from_numpy(data[f"{i['name']}/{step}"]) for i in model["inputs"]}
        optimizer.zero_grad()
        loss = loss_of(model, state, batch)
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
    text = {"model": args.model.stem, "batch": args.batch, "loss": losses, "mean_and_rms": digest}
    file.write_text(json.dumps(text, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--record", type=pathlib.Path)
    args = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        schedule = plan(args.build.absolute(), folder, args.model, args.batch)
        ours = train_stint(args.build.absolute(), folder, args.steps)
        theirs, state = train_pytorch(schedule, folder, args.steps)
        for step, (a, b) in enumerate(zip(ours, theirs)):
            print(f"step {step:2}  loss {a:.7f}  PyTorch {b:.7f}  difference {abs(a - b):.2e}")
        difference, where = largest_difference(folder, state)
        print(f"parameters differ by at most {difference:.2e} of their size ({where})")
        if args.record:
            record(args.record, args, theirs, state)


if __name__ == "__main__":
    main()
