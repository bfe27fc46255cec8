"""What benchmarks next to PyTorch share: plans for some workers, first values, the rival, and times.

On one thread, times are processor time, so that other programs disturb them less: of PyTorch around a step, of Stint by
the difference between a run of some steps and a run of more. On several, they are what the clock says of the fastest
step: other programs can only add, and hold up all threads if they hold up one.
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
    parser.add_argument("--threads", type=int, default=1, help="workers of Stint, threads of PyTorch")
    parser.add_argument("--leaves", type=int, help="of Stint's batch, along which layers are cut; as many as threads")
    parser.add_argument("--fuse", choices=["auto", "off"], default="auto", help="as of plan")
    args = parser.parse_args()
    args.build = args.build.absolute()
    args.leaves = args.leaves or args.threads
    torch.set_num_threads(args.threads)
    return args


def workers_here(build, folder, model, workers=1):
    """This machine, as `plan` finds it, with so many workers."""
    stint(build, "plan", model, "here", "-q", "-o", folder / "here.json")
    platform = json.loads((folder / "here.json").read_text())["platform"]
    for device in platform["nodes"][0]["devices"]:
        device["workers"] = workers
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
        workers_here(build, folder, model)
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


def stint_clock_seconds(build, folder, steps):
    """Of the fastest step, by the clock, with all workers."""
    stint(build, "run", folder / "schedule.json", "--steps", steps, "--warmup", 2, "-q", "-o", folder / "report.json")
    return json.loads((folder / "report.json").read_text())["step_seconds"]["least"]


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

    def step(self, clock=time.process_time):
        begin = clock()
        self.optimizer.zero_grad()
        self.loss(self.model, self.state, self.batch).backward()
        self.optimizer.step()
        return clock() - begin

    def clock_seconds(self, steps):
        """Of the fastest step, by the clock, after two that are not counted."""
        return min([self.step(time.perf_counter) for _ in range(steps + 2)][2:])

    def seconds(self, steps):
        """Of a step, after one that is not counted."""
        self.step()
        return sum(self.step() for _ in range(steps)) / steps
