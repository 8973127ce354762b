"""Private and non-private fits of this library beside scikit-learn and diffprivlib, in one run.

    python3 -m venv venv && venv/bin/pip install "scikit-learn==1.5.*" "numpy<2.3" diffprivlib   (diffprivlib 0.6 needs an older scikit-learn)
    venv/bin/python tests/bench/erm/compare.py [rows] [columns]

The problem is sum log(1+exp(-y w.x)) + (a/2)|w|^2, that is scikit-learn's C = 1/a without intercept. Ours stops at a certified
gradient norm of 1e-9 of that sum; lbfgs stops at its default tolerance (its gradient norm is printed). Times are processor
seconds, best of five, for fitting only. The Huber line of ours has no counterpart there: it is compared with the same lbfgs.
"""
import json, os, subprocess, sys, tempfile, time, warnings
import numpy as np
from sklearn.linear_model import LogisticRegression

warnings.filterwarnings("ignore")
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
n, d = (int(v) for v in (sys.argv[1:] + ["50000", "105"][len(sys.argv) - 1:]))
rng = np.random.default_rng(1)
X = rng.standard_normal((n, d))
X /= np.linalg.norm(X, axis=1)[:, None] * 1.0000001
w = rng.standard_normal(d)
y = np.where(X @ w + 0.1 * rng.standard_normal(n) >= 0, 1.0, -1.0)

tmp = tempfile.mkdtemp()
exe, data = os.path.join(tmp, "erm"), os.path.join(tmp, "rows")
subprocess.run(["go", "build", "-o", exe, "./tests/bench/erm"], cwd=root, check=True)
with open(data, "wb") as f:
    f.write(X.tobytes())
    f.write(y.tobytes())


def timed(make):
    cpu = wall = float("inf")
    for _ in range(5):
        m = make()
        c, t = time.process_time(), time.time()
        m.fit(X, y)
        cpu, wall = min(cpu, time.process_time() - c), min(wall, time.time() - t)
    return m, cpu, wall


print(f"{n} x {d} dense rows; cpu and wall in seconds, best of five")
strengths = [50.0, 10.0, 1.0]
ours = [json.loads(s) for s in subprocess.run([exe, "dense", data, str(n), str(d)] + [str(a) for a in strengths], capture_output=True, text=True, check=True).stdout.splitlines()]
for a in strengths:
    print(f"\nregularisation a = {a:g} (scikit-learn C = {1/a:g})")

    def gradient(w):
        return np.linalg.norm(-X.T @ (y / (1 + np.exp(y * (X @ w)))) + a * w)

    ref = None
    for solver in ["lbfgs", "newton-cholesky"]:
        m, cpu, wall = timed(lambda: LogisticRegression(C=1 / a, solver=solver, fit_intercept=False, max_iter=1000))
        print(f"  {'scikit-learn ' + solver:44s} cpu {cpu:7.3f}  wall {wall:7.3f}  gradient {gradient(m.coef_[0]):.1e}")
        if solver == "lbfgs":
            ref = cpu
    try:
        from diffprivlib.models import LogisticRegression as Private
        m, cpu, wall = timed(lambda: Private(epsilon=1, data_norm=1, C=1 / a, fit_intercept=False, max_iter=1000))
        print(f"  {'diffprivlib (objective perturbation, eps 1)':44s} cpu {cpu:7.3f}  wall {wall:7.3f}")
    except Exception as e:
        print("  diffprivlib:", e)
    for r in ours:
        if r["a"] == a:
            note = f"gradient {gradient(np.array(r['weights'])):.1e}" if "weights" in r and r["loss"] == "logistic" else ""
            print(f"  {'godp ' + r['method'].split('.')[-1] + ', ' + r['loss']:44s} cpu {r['cpu']:7.3f}  wall {r['wall']:7.3f}  certified {r['certificate']:.0e}  {note}"
                  f"  {'no more' if r['cpu'] <= ref else 'MORE'} CPU than lbfgs")
