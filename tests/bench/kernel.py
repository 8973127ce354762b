"""Measures the kernel beside ipykernel, and beside any other Go kernel that is installed, in the same run and with the same
client, and prints a table in Markdown.

    make bench, or: .venv/bin/python tests/bench/kernel.py [--rounds N] [KERNEL ...]

Each figure is the best and the median of several rounds that take turns between the kernels, so that all meet the
same load. What a figure means stands in ROWS.
"""

import argparse
import importlib.metadata
import os
import platform

import statistics
import sys
import tempfile
import time

import psutil
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import start_new_kernel

# Both keep a history, as they do for a person, but not in a person's.
_history = tempfile.TemporaryDirectory()
os.environ["GODP_HISTORY"] = os.path.join(_history.name, "history.sqlite")
os.environ["IPYTHONDIR"] = _history.name

ROWS = {
    "start": "start of the process until wait_for_ready returns: a kernel_info_reply, and an idle seen, s",
    "first": "first cell (1+1): sent to reply and idle, ms",
    "round trip": "1+1: sent to reply and idle, median of 100, ms",
    "loop": "sum of 1,000,000 integers in a cell, ms",
    "10,000 lines": "10,000 printed lines: sent to reply and idle, ms",
    "late or lost": "of these lines, those that came after idle or not at all",
    "completion": "members of a package: sent to reply, median of 10, ms",
    "memory": "resident memory of all processes of the kernel after its first cell and a second's rest, MB",
    "memory at work": "the same at the end of the round, MB",
    "shared once": "the same with the pages that processes share counted once (PSS), MB; godp is two processes of one program",
    "processor": "processor time of all processes of the kernel in the whole round, s",
}
CODE = {
    "go": {
        "setup": 'import "fmt"',
        "loop": "s := 0\nfor i := 0; i < 1000000; i++ {\n\ts += i\n}\ns",
        "lines": 'for i := 0; i < 10000; i++ {\n\tfmt.Println("line", i)\n}',
        "complete": "fmt.Pr",
    },
    "python": {
        "setup": "import os",
        "loop": "s = 0\nfor i in range(1000000):\n    s += i\ns",
        "lines": 'for i in range(10000):\n    print("line", i)',
        "complete": "os.pa",
    },
}


def run(kc, code):
    """Runs a cell and returns the seconds to both reply and idle, and the text printed before idle."""
    start = time.perf_counter()
    msg_id = kc.execute(code)
    text = []
    while True:
        m = kc.get_iopub_msg(timeout=120)
        if m["parent_header"].get("msg_id") != msg_id:
            continue
        if m["msg_type"] == "stream":
            text.append(m["content"]["text"])
        if m["msg_type"] == "error":
            raise RuntimeError("\n".join(m["content"]["traceback"]))
        if m["msg_type"] == "status" and m["content"]["execution_state"] == "idle":
            break
    while kc.get_shell_msg(timeout=120)["parent_header"].get("msg_id") != msg_id:
        pass
    return time.perf_counter() - start, "".join(text)


def measure(name):
    code = CODE[language(name)]
    r = {}
    start = time.perf_counter()
    km, kc = start_new_kernel(kernel_name=name)
    try:
        r["start"] = time.perf_counter() - start
        p = psutil.Process(km.provisioner.pid)
        processes = lambda: [p, *p.children(recursive=True)]
        r["first"] = 1e3 * run(kc, "1+1")[0]
        time.sleep(1)
        r["memory"] = sum(q.memory_info().rss for q in processes()) / 1e6
        run(kc, code["setup"])
        r["round trip"] = 1e3 * statistics.median(run(kc, "1+1")[0] for _ in range(100))
        r["loop"] = 1e3 * run(kc, code["loop"])[0]
        seconds, text = run(kc, code["lines"])
        r["10,000 lines"] = 1e3 * seconds
        want = "".join(f"line {i}\n" for i in range(10000))
        r["late or lost"] = 0 if text == want else 10000 - len(set(text.split("\n")) & set(want.split("\n"))) + 1
        r["completion"] = 1e3 * statistics.median(complete(name, kc, code["complete"]) for _ in range(10))
        r["memory at work"] = sum(q.memory_info().rss for q in processes()) / 1e6
        r["shared once"] = sum(getattr(q.memory_full_info(), "pss", q.memory_info().rss) for q in processes()) / 1e6
        r["processor"] = sum(t.user + t.system for t in (q.cpu_times() for q in processes()))
    finally:
        kc.stop_channels()
        km.shutdown_kernel(now=True)
    return r


def complete(name, kc, text):
    start = time.perf_counter()
    msg_id = kc.complete(text)
    while (m := kc.get_shell_msg(timeout=120))["parent_header"].get("msg_id") != msg_id:
        pass
    if not m["content"]["matches"]:
        raise RuntimeError(f"{name} completes nothing")
    return time.perf_counter() - start


def language(name):
    return KernelSpecManager().get_kernel_spec(name).language.lower()


def kernels():
    """godp, ipykernel, and the other kernels for Go that are installed."""
    specs = KernelSpecManager().get_all_specs()
    return ["godp", "python3"] + sorted(k for k, s in specs.items() if s["spec"]["language"] == "go" and k != "godp")


def processor():
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":")[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("kernels", nargs="*")
    args = parser.parse_args()
    names = args.kernels or kernels()
    results = {k: [] for k in names}
    for _ in range(args.rounds):
        for k in names:
            results[k].append(measure(k))
    load = "" if not hasattr(os, "getloadavg") else f", load {os.getloadavg()[0]:.1f} at the end"
    print(f"{args.rounds} rounds, best / median; {os.cpu_count()} × {processor()}{load}; Python {platform.python_version()},",
          ", ".join(f"{p} {importlib.metadata.version(p)}" for p in ("ipykernel", "jupyter_client")) + "\n")
    print("| | " + " | ".join("ipykernel" if k == "python3" else k for k in names) + " |")
    print("|---|" + "--:|" * len(names))
    for row in ROWS:
        print(f"| {row} | " + " | ".join(f"{min(x):.3g} / {statistics.median(x):.3g}" for x in ([r[row] for r in results[k]] for k in names)) + " |")
    print()
    for row, text in ROWS.items():
        print(f"- {row}: {text}")


if __name__ == "__main__":
    main()
