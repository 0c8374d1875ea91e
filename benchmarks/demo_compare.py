"""Compares two results of demo.py: exit status 0 if and only if they agree.

Rounding may exchange neighbours that are equally far, so distances decide, and the numbers of the
neighbours must be the same wherever the distances leave no doubt.

usage: demo_compare.py expected.npz result.npz
"""
import sys

import numpy as np

VARIANCE_TOLERANCE = 1e-5   # relative
DISTANCE_TOLERANCE = 1e-5   # relative: distances are recomputed in double, so only ties are below it
RECALL_TOLERANCE = 2e-3     # share of neighbours: the axes themselves differ in the last bits


def relative(a, b):
    return np.abs(a - b) / np.abs(b)


def only_ties_differ(result, expected):
    """True where every differing neighbour is as far as the expected one of its rank."""
    differ = result["neighbours"] != expected["neighbours"]
    return bool((relative(result["distances"], expected["distances"])[differ]
                 <= DISTANCE_TOLERANCE).all())


def checks(result, expected):
    variance = relative(result["variances"], expected["variances"]).max()
    distance = relative(result["distances"], expected["distances"]).max()
    differ = int((result["neighbours"] != expected["neighbours"]).sum())
    recall = abs(float(result["recall"] - expected["recall"]))
    yield "same data", result["data"] == expected["data"], ""
    yield "variances", variance <= VARIANCE_TOLERANCE, f"relative difference {variance:.1e}"
    yield "distances", distance <= DISTANCE_TOLERANCE, f"relative difference {distance:.1e}"
    yield ("neighbours", only_ties_differ(result, expected),
           f"{differ} of {expected['neighbours'].size} exchanged between ties")
    yield "labels", bool(result["accuracy"] > 0.9), f"{float(result['accuracy']):.4f} right"
    yield "recall", recall <= RECALL_TOLERANCE, f"difference {recall:.1e}"


def main():
    expected, result = np.load(sys.argv[1]), np.load(sys.argv[2])
    good = True
    for name, passed, text in checks(result, expected):
        print(f"  {'same' if passed else 'DIFFERENT':9}  {name:10}  {text}")
        good = good and bool(passed)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
