"""What benchmarks next to PyTorch share: plans for one worker, first values, the rival, and times.

Times are processor time of single-threaded work, so that other programs disturb them less: of PyTorch around a
step, of Stint by the difference between a run of some steps and a run of more.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "pytorch"))

import numpy  # noqa: E402
import torch  # noqa: E402

from network import loss_of, optimizer_of  # noqa: E402
from numbers_by_name import first_state  # noqa: E402
from train_both import samples_of, stint, without_dropout  # noqa: E402


def arguments(description, steps, turns):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--classes", type=int, default=2, help="labels and tokens are below this")
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--turns", type=int, default=turns)
    args = parser.parse_args()
    args.build = args.build.absolute()
    torch.set_num_threads(1)
    return args


def one_worker_here(build, folder, model):
    """This machine, as `plan` finds it, with one worker."""
    stint(build, "plan", model, "here", "-q", "-o", folder / "here.json")
    platform = json.loads((folder / "here.json").read_text())["platform"]
    for device in platform["nodes"][0]["devices"]:
        device["workers"] = 1
    (folder / "platform.json").write_text(json.dumps(platform))
    return folder / "platform.json"


def write_model(folder, model):
    """Without dropout, because masks differ."""
    file = folder / "model.json"
    file.write_text(json.dumps(without_dropout(json.loads(model.read_text()))))
    return file


def plan(build, folder, model, batch, *options):
    """The schedule, or None where there is no plan."""
    platform = folder / "platform.json"
    if not platform.exists():
        one_worker_here(build, folder, model)
    done = subprocess.run([build / "plan", model, platform, "--batch", str(batch), "-q", "-o", folder / "schedule.json",
                           *map(str, options)], stderr=subprocess.PIPE, text=True)
    if done.returncode in (3, 4):
        return None
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads((folder / "schedule.json").read_text())


def first_values(build, folder):
    stint(build, "run", folder / "schedule.json", "--steps", 1, "--warmup", 0, "--save", folder / "probe.npz", "-q")
    with numpy.load(folder / "probe.npz") as probe:
        return {n: first_state(n, probe[n].shape) for n in probe.files if probe[n].dtype == "f4"}


def samples(model, classes, batch):
    return {g["name"]: samples_of(g, classes, batch) for g in model["inputs"]}


def resident(process, key):
    """VmRSS or VmHWM of a process, in bytes; 0 if it has ended."""
    try:
        lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(key + ":"))


def run_once(build, folder, steps):
    """Processor seconds of a run, and its highest resident bytes, looked at now and then."""
    command = [str(build / "run"), str(folder / "schedule.json"), "--steps", str(steps), "--warmup", "0", "-q"]
    child = os.posix_spawn(command[0], command, os.environ)
    highest, ended = 0, 0
    while not ended:
        time.sleep(0.005)
        highest = max(highest, resident(child, "VmHWM"))
        ended, status, used = os.wait4(child, os.WNOHANG)
    if status != 0:
        sys.exit("run failed")
    return used.ru_utime + used.ru_stime, highest


def stint_seconds(build, folder, steps):
    """Of a step: what `steps` more of them add to a run."""
    few, _ = run_once(build, folder, 2)
    more, _ = run_once(build, folder, 2 + steps)
    return (more - few) / steps


class Rival:
    """The same network in PyTorch, on one batch."""

    def __init__(self, model, first, data, layout=torch.contiguous_format, loss=loss_of):
        def laid(tensor):
            return tensor.to(memory_format=layout) if tensor.dim() == 4 else tensor
        remembered = (".momentum", ".mean", ".square")
        self.model = model
        self.loss = loss
        self.state = {n: laid(torch.from_numpy(v.copy())) for n, v in first.items() if not n.endswith(remembered)}
        trained = [v.requires_grad_() for n, v in self.state.items() if ".running_" not in n]
        self.optimizer = optimizer_of(model, trained)
        self.batch = {n: laid(torch.from_numpy(v)) for n, v in data.items()}

    def step(self):
        begin = time.process_time()
        self.optimizer.zero_grad()
        self.loss(self.model, self.state, self.batch).backward()
        self.optimizer.step()
        return time.process_time() - begin

    def seconds(self, steps):
        """Of a step, after one that is not counted."""
        self.step()
        return sum(self.step() for _ in range(steps)) / steps
