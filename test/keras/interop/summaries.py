"""Summaries as Keras prints them with TensorFlow, where a count or a step has 64 bits. With JAX, which has 32, only the sizes in
bytes would differ."""

import math

from keras.src.utils import dtype_utils, summary_utils


def bits(shape, dtype):
    return math.prod(shape) * (64 if dtype == "int32" else dtype_utils.dtype_size(dtype))


summary_utils._compute_memory_size = bits


def summary_of(model, **options):
    lines = []
    model.summary(line_length=80, print_fn=lambda line, **_: lines.append(line), **options)
    return "\n".join(lines).rstrip("\n")
