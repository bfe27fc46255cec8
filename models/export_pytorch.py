"""Writes a PyTorch module as ONNX that `plan` reads: its structure, without its weights.

    python3 models/export_pytorch.py torchvision.models:resnet50 3x224x224 resnet50.onnx
    build/plan resnet50.onnx platforms/desk.json --batch 32

MODULE:FACTORY names a function without arguments that makes the module; the shape is that of one
sample, `1024:int` for 1024 whole numbers such as tokens. Or call `export` from your own program.

Needs torch 2.5 or newer and onnx. Planning needs the shapes of weights, not their values, so all
tensors beyond a kilobyte go to a file beside the model, which is then removed; smaller ones stay,
since some are shapes themselves.
"""

import importlib
import sys
from pathlib import Path

import onnx
import torch


def export(module, example, path):
    """`example` is a batch of one sample; the module is exported as it trains."""
    torch.onnx.export(module.train(), example, path, dynamo=False, do_constant_folding=False,
                      training=torch.onnx.TrainingMode.TRAINING)
    weights = Path(path + ".weights")
    onnx.save_model(onnx.load(path), path, save_as_external_data=True, location=weights.name)
    weights.unlink(missing_ok=True)


def example_of(text):
    shape, _, kind = text.partition(":")
    sizes = [1] + [int(size) for size in shape.split("x")]
    return torch.zeros(sizes, dtype=torch.long) if kind == "int" else torch.randn(sizes)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    module_name, _, factory = sys.argv[1].partition(":")
    made = getattr(importlib.import_module(module_name), factory)()
    export(made, example_of(sys.argv[2]), sys.argv[3])
