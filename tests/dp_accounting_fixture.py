"""Writes dp/testdata/dp_accounting.json: values of Google's dp_accounting to compare this library's accountants with.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install dp-accounting==0.6.0
    /tmp/venv/bin/python tests/dp_accounting_fixture.py > dp/testdata/dp_accounting.json
"""
import json
import sys

from dp_accounting import dp_event
from dp_accounting.pld import privacy_loss_distribution as pld
from dp_accounting.rdp import rdp_privacy_accountant as rdp

GRID = 1e-4
out = []


def add(law, args, dist, ks, epss, deltas):
    for k in ks:
        d = dist.self_compose(k) if k > 1 else dist
        out.append({
            "law": law, **args, "k": k,
            "delta_at": [[e, d.get_delta_for_epsilon(e)] for e in epss],
            "eps_at": [[x, d.get_epsilon_for_delta(x)] for x in deltas],
        })


opt = dict(value_discretization_interval=GRID)
for sigma, ks in [(1.0, [1, 10]), (4.0, [1, 10, 100]), (20.0, [100, 1000])]:
    add("gaussian", {"scale": sigma}, pld.from_gaussian_mechanism(sigma, **opt), ks, [0.1, 0.5, 1, 2], [1e-3, 1e-6])
for b, ks in [(1.0, [1, 5]), (10.0, [1, 10, 100]), (50.0, [1000])]:
    add("laplace", {"scale": b}, pld.from_laplace_mechanism(b, **opt), ks, [0.05, 0.3, 0.9], [1e-3, 1e-6])
for b, s, ks in [(2.0, 1, [1, 10]), (5.0, 3, [1, 20])]:
    add("discrete laplace", {"scale": b, "sensitivity": s},
        pld.from_discrete_laplace_mechanism(1 / b, sensitivity=s, **opt), ks, [0.1, 0.5, 1.5], [1e-3, 1e-6])
for sigma, s, ks in [(3.0, 1, [1, 10]), (10.0, 4, [1, 20])]:
    add("discrete gaussian", {"scale": sigma, "sensitivity": s},
        pld.from_discrete_gaussian_mechanism(sigma, sensitivity=s, **opt), ks, [0.1, 0.5, 1.5], [1e-3, 1e-6])
for sigma, q, ks in [(1.0, 0.01, [1, 1000]), (0.8, 0.2, [1, 20]), (2.0, 0.05, [100])]:
    add("subsampled gaussian", {"scale": sigma, "q": q},
        pld.from_gaussian_mechanism(sigma, sampling_prob=q, **opt), ks, [0.2, 1, 3], [1e-3, 1e-5])
for b, q, ks in [(1.0, 0.1, [1, 50])]:
    add("subsampled laplace", {"scale": b, "q": q}, pld.from_laplace_mechanism(b, sampling_prob=q, **opt), ks, [0.2, 1, 3], [1e-3, 1e-5])
for eps, delta, ks in [(0.1, 0.0, [10, 100]), (0.3, 1e-5, [1, 20])]:
    params = pld.common.DifferentialPrivacyParameters(eps, delta)
    add("pure", {"scale": eps, "delta": delta}, pld.from_privacy_parameters(params, **opt), ks, [0.2, 1, 1.5], [1e-2, 1e-3])

rdps = []
orders = [1.5, 2, 3, 5, 8, 16, 32, 64]
for name, event in [
    ("gaussian", dp_event.GaussianDpEvent(2.0)),
    ("laplace", dp_event.LaplaceDpEvent(2.0)),
]:
    for k in (1, 50):
        a = rdp.RdpAccountant(orders=orders)
        a.compose(event, k)
        rdps.append({"law": name, "scale": 2.0, "k": k, "orders": orders, "rdp": list(a._rdp), "eps_at_1e-5": a.get_epsilon(1e-5)})
for sigma, q, k in [(1.0, 0.01, 1000), (2.0, 0.1, 10)]:
    a = rdp.RdpAccountant(orders=[float(o) for o in range(2, 65)])
    a.compose(dp_event.SelfComposedDpEvent(dp_event.PoissonSampledDpEvent(q, dp_event.GaussianDpEvent(sigma)), k))
    rdps.append({"law": "subsampled gaussian", "scale": sigma, "q": q, "k": k, "orders": a._orders.tolist(), "rdp": list(a._rdp),
                 "eps_at_1e-5": a.get_epsilon(1e-5)})

json.dump({"source": "dp-accounting 0.6.0 (PyPI), value_discretization_interval=1e-4", "pld": out, "rdp": rdps}, sys.stdout, indent=1)
print()
