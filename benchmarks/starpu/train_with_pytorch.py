#!/usr/bin/env python3
"""Trains a network with PyTorch on two threads and prints one line of JSON, as train_with does.

    benchmarks/starpu/train_with_pytorch.py MODEL BATCH STEPS WARMUP

Values and samples are random, of a fixed seed. The layout is the faster of PyTorch's two, found during the warm-up.
"""
import hashlib
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "pytorch"))

import torch  # noqa: E402

from network import loss_of, optimizer_of  # noqa: E402

LAYOUTS = (torch.contiguous_format, torch.channels_last)


class Training:
    """Of a convolution, ReLU, maxima and a dense layer, or whatever tests/pytorch/network.py knows."""

    def __init__(self, model, batch, layout):
        torch.manual_seed(0)
        self.model = model
        self.batch = {i["name"]: self.sample(i, batch, layout) for i in model["inputs"]}
        self.state = self.parameters(model, layout)
        self.optimizer = optimizer_of(model, [v.requires_grad_() for v in self.state.values()])

    @staticmethod
    def sample(given, batch, layout):
        shape = [batch if size == "batch" else size for size in given["shape"]]
        if given.get("type", "f32") != "f32":
            return torch.randint(0, 10, shape, dtype=torch.int32)
        made = torch.randn(shape)
        return made.contiguous(memory_format=layout) if made.dim() == 4 else made

    @staticmethod
    def parameters(model, layout):
        state, channels = {}, model["inputs"][0]["shape"][1]
        height, width = model["inputs"][0]["shape"][2:]
        for layer in model["layers"]:
            if layer["op"] == "conv2d":
                kernel = layer["kernel"]
                made = torch.randn([layer["filters"], channels, *kernel]) * 0.1
                state[layer["name"] + ".weight"] = made.contiguous(memory_format=layout)
                state[layer["name"] + ".bias"] = torch.zeros(layer["filters"])
                channels, height, width = layer["filters"], height - kernel[0] + 1, width - kernel[1] + 1
            elif layer["op"] == "max_pool2d":
                height, width = height // layer["stride"][0], width // layer["stride"][1]
            elif layer["op"] == "linear":
                state[layer["name"] + ".weight"] = torch.randn([layer["features"], channels * height * width]) * 1e-3
                state[layer["name"] + ".bias"] = torch.zeros(layer["features"])
        return state

    def step(self):
        begin = time.perf_counter()
        self.optimizer.zero_grad()
        loss_of(self.model, self.state, self.batch).backward()
        self.optimizer.step()
        return time.perf_counter() - begin


def main():
    file, batch, steps, warmup = pathlib.Path(sys.argv[1]), *map(int, sys.argv[2:5])
    torch.set_num_threads(2)
    model = json.loads(file.read_text())
    trainings = [Training(model, batch, layout) for layout in LAYOUTS]
    tried = [min(training.step() for _ in range(max(2, warmup // 2))) for training in trainings]
    training = trainings[tried.index(min(tried))]
    seconds = [training.step() for _ in range(steps)]
    state = hashlib.sha256()
    for value in training.state.values():
        state.update(value.detach().contiguous().numpy().tobytes())
    print(json.dumps({"who": "PyTorch", "seconds": seconds, "idle": None, "state_sha256": state.hexdigest()}))


if __name__ == "__main__":
    main()
