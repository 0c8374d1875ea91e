"""knap's matrix product in JAX programs, on CPU and CUDA.

    import knap_jax
    knap_jax.register()              # once
    c = knap_jax.matmul(a, b)        # also under jit, vmap and grad
"""
import ctypes
import math

import jax
import jax.numpy as jnp

TARGET = "knap_jax_gemm"


def register(library="libknap_jax.so"):
    """Gives XLA the handler of the library: a path, or a name that the system's loader finds."""
    handler = jax.ffi.pycapsule(ctypes.CDLL(library).knap_jax_gemm)
    for platform in ("cpu", "CUDA"):
        jax.ffi.register_ffi_target(TARGET, handler, platform=platform)


def matmul(a, b):
    """jnp.matmul(a, b) for arrays of two axes or more."""
    a, b = jnp.asarray(a), jnp.asarray(b)
    dtype = jnp.result_type(a, b)
    a, b = a.astype(dtype), b.astype(dtype)
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError(f"knap_jax.matmul needs two axes or more, not {a.shape} and {b.shape}")
    if b.ndim > 2:
        return _product(a, b)
    # With a single B, a batch of A is one tall matrix, in the backward pass too.
    rows = math.prod(a.shape[:-1])
    return _product(a.reshape(rows, a.shape[-1]), b).reshape(*a.shape[:-1], b.shape[-1])


@jax.custom_vjp
def _product(a, b):
    lead = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    out = jax.ShapeDtypeStruct((*lead, a.shape[-2], b.shape[-1]), a.dtype)
    # vmap prepends an axis to both, which pairs up only if they have equally many.
    a, b = (x.reshape((1,) * (len(out.shape) - x.ndim) + x.shape) for x in (a, b))
    return jax.ffi.ffi_call(TARGET, out, vmap_method="expand_dims")(a, b)


def _sum_to(x, shape):
    """The transpose of broadcasting an array of that shape to x's."""
    padded = (1,) * (x.ndim - len(shape)) + shape
    axes = tuple(i for i in range(x.ndim) if padded[i] != x.shape[i])
    return x.sum(axes).reshape(shape)


def _forward(a, b):
    return _product(a, b), (a, b)


def _backward(saved, g):
    a, b = saved
    da = _product(g, jnp.swapaxes(b, -1, -2))
    db = _product(jnp.swapaxes(a, -1, -2), g)
    return _sum_to(da, a.shape), _sum_to(db, b.shape)


_product.defvjp(_forward, _backward)
