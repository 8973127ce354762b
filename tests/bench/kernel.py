"""Measures the kernel beside ipykernel in the same run, with the same client, and prints a table.

    make bench, or: .venv/bin/python tests/bench/kernel.py [KERNEL ...]

Each figure is the best and the median of several rounds that take turns between the kernels, so that both meet the
same load. What a figure means stands in ROWS.
"""

import statistics
import sys
import time

import psutil
from jupyter_client.manager import start_new_kernel

ROWS = {
    "start": "start of the process to a kernel_info_reply, as wait_for_ready sees it, s",
    "first": "first cell (1+1): sent to reply and idle, ms",
    "round trip": "1+1: sent to reply and idle, median of 100, ms",
    "loop": "sum of 1,000,000 integers in a cell, ms",
    "10,000 lines": "10,000 printed lines: sent to reply and idle, ms",
    "late or lost": "of these lines, those that came after idle or not at all",
    "completion": "members of a package: sent to reply, ms",
    "memory": "resident memory of all processes of the kernel after start, MB",
}
CODE = {
    "godp": {"loop": "s := 0\nfor i := 0; i < 1000000; i++ {\n\ts += i\n}\ns", "lines": 'for i := range 10000 {\n\tfmt.Println("line", i)\n}', "complete": "fmt.Pr"},
    "python3": {"loop": "s = 0\nfor i in range(1000000):\n    s += i\ns", "lines": 'for i in range(10000):\n    print("line", i)', "complete": "import os; os.pa"},
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
    code = CODE["python3" if name.startswith("python") else "godp"]
    r = {}
    start = time.perf_counter()
    km, kc = start_new_kernel(kernel_name=name)
    try:
        r["start"] = time.perf_counter() - start
        p = psutil.Process(km.provisioner.pid)
        r["memory"] = sum(q.memory_info().rss for q in [p, *p.children(recursive=True)]) / 1e6
        r["first"] = 1e3 * run(kc, "1+1")[0]
        r["round trip"] = 1e3 * statistics.median(run(kc, "1+1")[0] for _ in range(100))
        r["loop"] = 1e3 * run(kc, code["loop"])[0]
        seconds, text = run(kc, code["lines"])
        r["10,000 lines"] = 1e3 * seconds
        want = "".join(f"line {i}\n" for i in range(10000))
        r["late or lost"] = 0 if text == want else 10000 - len(set(text.split("\n")) & set(want.split("\n"))) + 1
        start = time.perf_counter()
        msg_id = kc.complete(code["complete"])
        while (m := kc.get_shell_msg(timeout=120))["parent_header"].get("msg_id") != msg_id:
            pass
        r["completion"] = 1e3 * (time.perf_counter() - start)
        if not m["content"]["matches"]:
            raise RuntimeError(f"{name} completes nothing")
    finally:
        kc.stop_channels()
        km.shutdown_kernel()
    return r


def main(kernels, rounds=5):
    results = {k: [] for k in kernels}
    for _ in range(rounds):
        for k in kernels:
            results[k].append(measure(k))
    print(f"{'best / median of %d rounds' % rounds:26}" + "".join(f"{k:>20}" for k in kernels))
    for row in ROWS:
        print(f"{row:26}" + "".join(f"{min(x):11.4g} /{statistics.median(x):7.4g}" for x in ([r[row] for r in results[k]] for k in kernels)))
    print()
    for row, text in ROWS.items():
        print(f"{row}: {text}")


if __name__ == "__main__":
    main(sys.argv[1:] or ["godp", "python3"])
