"""Principal components and nearest neighbours of 20,000 points in 1,024 dimensions, in float32.

A plain numpy program: its products go to whatever BLAS numpy finds. The data are made up, the same in
every run: clusters of points, spread less in each dimension than in the one before.

usage: demo.py result.npz [points [queries]]
"""
import sys
import time
import zlib

import numpy as np

DIMENSIONS = 1024
CLUSTERS = 200
NOISE = np.float32(0.8)
COMPONENTS = 32
NEIGHBOURS = 5
BLOCK = 1000  # queries at a time: bounds the table of distances


def make_points(count, seed):
    """Points and the number of the cluster that each belongs to."""
    spread = (1 / (1 + np.arange(DIMENSIONS) / 4)).astype(np.float32)
    centres = np.random.default_rng(1).standard_normal((CLUSTERS, DIMENSIONS), np.float32) * spread
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, CLUSTERS, count)
    noise = rng.standard_normal((count, DIMENSIONS), np.float32) * (NOISE * spread)
    return centres[labels] + noise, labels


def principal_components(points):
    """Mean, variances and axes. One side centred is enough: its columns add up to zero."""
    mean = points.mean(axis=0, dtype=np.float64).astype(np.float32)
    covariance = (points - mean).T @ points / np.float32(len(points) - 1)
    variances, axes = np.linalg.eigh((covariance + covariance.T).astype(np.float64) / 2)
    return mean, variances[::-1], axes[:, ::-1].astype(np.float32)


def nearest(points, queries):
    """Numbers of the NEIGHBOURS nearest points of each query, the nearest first."""
    squares = np.einsum("ij,ij->i", points, points)
    found = []
    for start in range(0, len(queries), BLOCK):
        # |q - p|^2 less |q|^2, which is the same for every p
        distances = squares - 2 * (queries[start:start + BLOCK] @ points.T)
        some = np.argpartition(distances, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
        order = np.argsort(np.take_along_axis(distances, some, axis=1), axis=1)
        found.append(np.take_along_axis(some, order, axis=1))
    return np.concatenate(found)


def exact_distances(points, queries, found):
    """Distances to what was found, from their definition in double."""
    apart = [np.linalg.norm(points[found[:, i]].astype(np.float64) - queries, axis=1)
             for i in range(NEIGHBOURS)]
    return np.stack(apart, axis=1)


def recall(found, truth):
    """The share of the true neighbours that was found."""
    return float(np.mean([np.isin(f, t).mean() for f, t in zip(found, truth)]))


def main():
    path = sys.argv[1]
    counts = [int(text) for text in sys.argv[2:4]] + [20000, 2000][len(sys.argv[2:4]):]
    points, labels = make_points(counts[0], seed=2)
    queries, query_labels = make_points(counts[1], seed=3)

    start = time.perf_counter()
    mean, variances, axes = principal_components(points)
    main_axes = np.ascontiguousarray(axes[:, :COMPONENTS])
    reduced, reduced_queries = (points - mean) @ main_axes, (queries - mean) @ main_axes
    neighbours = nearest(points, queries)
    rough = nearest(reduced, reduced_queries)
    seconds = time.perf_counter() - start

    accuracy = float((labels[neighbours[:, 0]] == query_labels).mean())
    share = variances[:COMPONENTS].sum() / variances.sum()
    print(f"data           {counts[0]} points, {counts[1]} queries, {DIMENSIONS} dimensions,"
          f" crc {zlib.crc32(points.data):08x}")
    print("variances      " + " ".join(f"{v:.5f}" for v in variances[:6]) + " ...")
    print(f"explained      {share:.5f} by {COMPONENTS} components")
    print(f"neighbours     crc {zlib.crc32(np.sort(neighbours, axis=1).data):08x},"
          f" nearest has the query's label: {accuracy:.4f}")
    print(f"recall         {recall(rough, neighbours):.4f} when searched in {COMPONENTS} components")
    print(f"seconds        {seconds:.2f}")
    np.savez(path, variances=variances[:COMPONENTS], neighbours=neighbours, accuracy=accuracy,
             distances=exact_distances(points, queries, neighbours), data=zlib.crc32(points.data),
             recall=recall(rough, neighbours))


if __name__ == "__main__":
    main()
