"""Compares the SVM solvers with LIBLINEAR and LIBSVM at the same duality gap, in one run.

Needs scikit-learn (which contains both). From the repository root:  python3 tests/bench/svm/compare.py

The problem is min 1/2|w|^2 + (C/n) sum hinge. LIBLINEAR does not report dual variables, so its gap is taken as P(w) - D*,
with D* a dual value certified to 1e-8·C: smaller than its true duality gap, that is, in its favour. LIBSVM's gap is exact, with
its intercept. Of several tolerances the loosest that meets the goal counts. Times are for fitting only, best of three.
"""
import json, os, subprocess, sys, tempfile, time, warnings
import numpy as np
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import LinearSVC, SVC

warnings.filterwarnings("ignore")
root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
tmp = tempfile.mkdtemp()
exe = os.path.join(tmp, "svm")
subprocess.run(["go", "build", "-o", exe, "./tests/bench/svm"], cwd=root, check=True)


def ours(path, cols, kernel, C, goals, n=3):
    best = {}
    for _ in range(n):
        out = subprocess.run([exe, path, str(cols), kernel, repr(C)] + [repr(g) for g in goals], capture_output=True, text=True, check=True)
        for line in out.stdout.splitlines():
            r = json.loads(line)
            if r["goal"] not in best or r["seconds"] < best[r["goal"]]["seconds"]:
                best[r["goal"]] = r
    return best


def linear(name, X, y, C):
    n, d = X.shape
    path = os.path.join(tmp, name)
    dump_svmlight_file(X, y, path, zero_based=False)
    ref = ours(path, d, "linear", C, [1e-8], 1)[1e-8]
    S = sp.csr_matrix(X)
    for goal in [1e-3, 1e-5]:
        mine = ours(path, d, "linear", C, [goal])[goal]
        for tol in [1.0, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5]:
            secs = []
            for rep in range(3):
                m = LinearSVC(loss="hinge", dual=True, fit_intercept=False, C=C / n, tol=tol, max_iter=1000000, random_state=rep)
                t = time.time(); m.fit(S, y); secs.append(time.time() - t)
            w = m.coef_.ravel()
            p = 0.5 * w @ w + C / n * np.maximum(0, 1 - y * (S @ w)).sum()
            if p - ref["dual"] <= goal * C:
                break
        print(f"{name:14s} gap {goal:g}C: ours {mine['seconds']:.3f} s ({mine['passes']} passes), LIBLINEAR {min(secs):.3f} s (tol {tol:g}), ratio {mine['seconds'] / min(secs):.2f}", flush=True)


def kernel(name, X, y, C, sigma):
    n, d = X.shape
    path = os.path.join(tmp, name)
    dump_svmlight_file(X, y, path, zero_based=False)
    K = rbf_kernel(X, gamma=1 / (2 * sigma * sigma))
    for goal in [1e-3, 1e-5]:
        mine = ours(path, d, f"rbf:{sigma}", C, [goal])[goal]
        for tol in [0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5]:
            secs = []
            for _ in range(3):
                m = SVC(C=C / n, gamma=1 / (2 * sigma * sigma), tol=tol, cache_size=256)
                t = time.time(); m.fit(X, y); secs.append(time.time() - t)
            a = np.zeros(n); a[m.support_] = m.dual_coef_.ravel()
            f = K @ a
            p = 0.5 * a @ f + C / n * np.maximum(0, 1 - y * (f + m.intercept_[0])).sum()
            if p - (np.abs(a).sum() - 0.5 * a @ f) <= goal * C:
                break
        print(f"{name:14s} gap {goal:g}C: ours {mine['seconds']:.3f} s ({mine['support']} SVs), LIBSVM {min(secs):.3f} s (tol {tol:g}, {len(m.support_)} SVs), ratio {mine['seconds'] / min(secs):.2f}", flush=True)


rng = np.random.default_rng(0)
# Linear, 50,000 x 105: dense Gaussian columns, and sparse rows of 14 ones as one-hot coding gives; 10 % of labels flipped.
n, d = 50000, 105
w = rng.normal(size=d)
X = rng.normal(size=(n, d)) / np.sqrt(d)
y = np.where(X @ w > 0, 1, -1) * np.where(rng.random(n) < 0.1, -1, 1)
linear("dense linear", X, y, float(n))
cols = np.stack([rng.choice(np.arange(g * 7, g * 7 + 7), size=n, p=rng.dirichlet(np.ones(7))) for g in range(14)], 1)
S = sp.csr_matrix((np.full(n * 14, 14 ** -0.5), cols.ravel(), np.arange(0, n * 14 + 1, 14)), shape=(n, d))
y = np.where(S @ w + 0.3 * rng.normal(size=n) > 0, 1, -1)
linear("sparse linear", S, y, float(n))
# RBF, 5,000 x 20, two interleaved classes, 5 % of labels flipped; sigma is scikit-learn's default width for these columns.
# c is C/n. LIBSVM has an intercept and ours is run without one, so the classes are balanced.
X = rng.normal(size=(5000, 20)) / np.sqrt(20)
y = np.where(X[:, 0] * X[:, 1] + 0.1 * X[:, 2] > 0, 1, -1) * np.where(rng.random(5000) < 0.05, -1, 1)
for c in [1.0, 10.0]:
    kernel(f"rbf c={c:g}", X, y, 5000 * c, 0.5 ** 0.5)
