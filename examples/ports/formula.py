"""Data, noise and weights by formula: see formula.ts."""

import math

import numpy as np

MODULUS = 2147483647


def numbers(count, seed):
    state = (seed * 69621 + 12345) % MODULUS
    values = []
    for _ in range(count):
        state = state * 48271 % MODULUS
        values.append(state / MODULUS)
    return np.array(values)


def uniform(shape, seed, low=0.0, high=1.0):
    return (low + (high - low) * numbers(math.prod(shape), seed)).astype(np.float32).reshape(shape)


def normal(shape, seed):
    count = math.prod(shape)
    a, b, c, d = numbers(4 * count, seed).reshape(count, 4).T
    return ((a + b + c + d - 2) * math.sqrt(3)).astype(np.float32).reshape(shape)


def integers(shape, seed, bound):
    return np.floor(numbers(math.prod(shape), seed) * bound).astype(np.int32).reshape(shape)


def set_kernels(*models):
    kernels = [weight for model in models for weight in model.weights if len(weight.shape) >= 2]
    for i, kernel in enumerate(kernels):
        limit = math.sqrt(3 / math.prod(kernel.shape[:-1]))
        kernel.assign(uniform(tuple(kernel.shape), 100 + i, -limit, limit))
