#!/usr/bin/env python3
"""Plans bundled networks, and ONNX files if some are given, at shares of the memory that keeping
everything takes; prints a table: status, joules, proved bound, gap, processor seconds, peak.

    benchmarks/graphs/zoo.py --plan build/plan [--platform here] [--batch 8] [--shares 80 60 50]
                             [--networks resnet18 unet …] [--onnx FILE …] [--strategy auto] [--limit 10]
                             [--batches bert_base=1 …] [--timeout 600]

`--timeout` counts processor seconds, so a busy machine changes nothing. The gap is of the plan as simulated, with addresses; `cannot fit` is proved, `no plan` is not.
"""
import argparse
import json
import pathlib
import resource
import signal
import subprocess

TASKS = {"branches", "chain5", "diamond", "unet_tasks"}


def bundled():
    folder = pathlib.Path(__file__).resolve().parents[2] / "models"
    files = sorted(f for f in folder.glob("*.json") if ".schema" not in f.name)
    return {f.stem: f for f in files if f.stem not in TASKS}


def limit_seconds(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))


def batch_of(text):
    name, batch = text.split("=")
    return name, int(batch)


def planned(options, file, share):
    batch = options.batches.get(file.stem, options.batch)
    command = [options.plan, str(file), options.platform, "--batch", str(batch), "--memory",
               f"{share}%", "--strategy", options.strategy, "--limit", str(options.limit), "--json", "-q"]
    if file.suffix == ".onnx":
        command += ["--loss", "cross_entropy", "--optimizer", "sgd", "--momentum", "0.9"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=lambda: limit_seconds(options.timeout))
    if -done.returncode in (signal.SIGXCPU, signal.SIGKILL):
        return {"status": "too long"}, options.timeout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    answer = json.loads(done.stdout) if done.stdout.strip() else {"status": f"exit {done.returncode}"}
    return answer, seconds


def row(name, share, answer, seconds):
    start = f"{name:<22} {share:>3} %  "
    if "objective" not in answer:
        status = {"infeasible": "cannot fit", "no_plan": "no plan"}.get(answer["status"], answer["status"])
        return f"{start}{status:<11}{'':>46}{seconds:>8.1f} s"
    proof = answer["objective"]
    peak = max(answer["peak_bytes"].get(m, 0) for m in answer["peak_bytes"] if not m.endswith("disk"))
    return (f"{start}{answer['status']:<11}{answer['joules']:>12.6g} J {proof['lower_bound']:>12.6g} J"
            f"{100 * proof['gap']:>9.2f} %     {seconds:>8.1f} s {peak / 2**20:>9.1f} MiB  {answer['strategy']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--plan", default="build/plan")
    parser.add_argument("--platform", default="here")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--shares", type=int, nargs="+", default=[80, 60, 50])
    parser.add_argument("--networks", nargs="*")
    parser.add_argument("--onnx", nargs="*", default=[])
    parser.add_argument("--strategy", default="auto")
    parser.add_argument("--limit", type=float, default=10)
    parser.add_argument("--batches", type=batch_of, nargs="*", default=[])
    parser.add_argument("--timeout", type=int, default=600)
    options = parser.parse_args()
    options.batches = dict(options.batches)
    networks = bundled()
    if options.networks is not None:
        networks = {name: networks[name] for name in options.networks}
    networks |= {pathlib.Path(f).stem: pathlib.Path(f) for f in options.onnx}
    print(f"{'network':<22} memory status{'plan':>16}{'bound':>15}{'gap':>10}{'processor':>16}{'peak':>13}")
    for name, file in networks.items():
        for share in options.shares:
            print(row(name, share, *planned(options, file, share)), flush=True)


if __name__ == "__main__":
    main()
