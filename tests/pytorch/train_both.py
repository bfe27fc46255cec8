#!/usr/bin/env python3
"""Trains a network with Stint and with PyTorch from the same weights on the same batches, and compares.

    tests/pytorch/train_both.py BUILD MODEL [--batch N] [--steps N] [--classes N] [--record FILE]

BUILD is the folder with `plan` and `run`; needs PyTorch and numpy. Dropout is switched off, because masks
differ. PyTorch trains twice, in f32 and in f64: the second is the truth, and what the first is off by is
what f32 can be expected to be off by. `--record` writes both lists of losses, for tests/executor.
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


def in_double(arrays):
    return {n: v.astype(numpy.float64) if v.dtype == numpy.float32 else v for n, v in arrays.items()}


def off_by(state, truth, first):
    """Of each parameter the largest difference, relative to the largest change of training; their median."""
    changes = {n: float(numpy.abs(truth[n] - first[n]).max()) for n in truth}
    return float(numpy.median([numpy.abs(state[n] - truth[n]).max() / c for n, c in changes.items() if c > 0]))


def record(file, args, truth, single):
    text = {"model": args.model.stem, "batch": args.batch, "classes": args.classes, "loss": truth, "loss_in_f32": single}
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
        single, state = train_pytorch(model, first, data, args.batch, args.steps)
        truth, exact = train_pytorch(model, in_double(first), in_double(data), args.batch, args.steps)
        for step, (a, b, t) in enumerate(zip(ours, single, truth)):
            print(f"step {step:2}  loss {t:.8f}  Stint off by {abs(a - t):.1e}  PyTorch in f32 by {abs(b - t):.1e}")
        with numpy.load(folder / "last.npz") as last:
            print(f"parameters, median of the largest: Stint off by {off_by(last, exact, first):.1e} of their change, "
                  f"PyTorch in f32 by {off_by(state, exact, first):.1e}")
        if args.record:
            record(args.record, args, truth, single)


if __name__ == "__main__":
    main()
