"""Random models of more kinds than those of random_models.py, on PyTorch, and what Keras finds in the files that come back.

    python wide_models.py make FOLDER FIRST_SEED COUNT   SEED.keras, and cases.jsonl as random_models.py writes it
    python wide_models.py check FOLDER                   checks.jsonl: how SEED.saved.keras, SEED.trained.keras and the weights differ

Also preprocessing, three dimensions, channels first, policies, quantized and adapted layers, operations, and names of outputs.
"""

import json
import os
import pathlib
import re
import sys
import traceback

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras  # noqa: E402
import numpy as np  # noqa: E402
from keras import layers as L, ops  # noqa: E402
from random_models import BATCH, STEPS, WIDTH, Maker, plain  # noqa: E402

POLICIES = ["mixed_float16", "mixed_bfloat16", "bfloat16", "float16", "float64"]
# These are float32 here.
WIDENED = re.compile(r'"(mixed_bfloat16|bfloat16|float16|float64)"')
SHAPES = {
    "sequence": (STEPS, WIDTH),
    "vector": (WIDTH,),
    "image": (6, 5, 3),
    "volume": (4, 5, 4, 2),
    "movie": (2, 3, 4, 3, 2),
    "sound": (48,),
}


class Wide(Maker):
    """`policies`: whether layers have other dtype policies than float32."""

    def __init__(self, seed):
        super().__init__(seed)
        self.kind = self.one("plain", "plain", "plain", "policies", "policy", "quantized", "adapted")

    def format(self):
        return {"data_format": self.one("channels_first", "channels_last")} if self.chance(0.4) else {}

    def add_input(self, kind):
        if kind == "tokens" and self.chance(0.5):
            x = keras.Input((STEPS,), dtype=self.one("int32", "int64", "uint8"))
            self.inputs.append(x)
            self.values.append(self.numbers.integers(0, 6, (BATCH, STEPS)).astype(x.dtype))
            words = list(range(1, 6)) if self.chance(0.5) else [4, 2, 9]
            made = self.one(
                lambda: L.CategoryEncoding(6, output_mode=self.one("one_hot", "multi_hot", "count"))(x),
                lambda: L.Embedding(9, WIDTH)(L.IntegerLookup(vocabulary=words, num_oov_indices=self.one(1, 2))(x)),
                lambda: L.Rescaling(1 / 5, offset=-0.5)(x),
                lambda: ops.one_hot(x, 6),
                lambda: L.ReversibleEmbedding(6, WIDTH)(x),
            )
            return made()
        if kind not in ("image", "volume", "movie", "sound"):
            return super().add_input(kind)
        shape = SHAPES[kind]
        is_bytes = kind == "image" and self.chance(0.2)
        x = keras.Input(shape, dtype="uint8" if is_bytes else "float32")
        value = self.numbers.normal(size=(BATCH, *shape))
        self.inputs.append(x)
        self.values.append((value * 40 + 128).clip(0, 255).astype("uint8") if is_bytes else value.astype("float32"))
        if kind == "sound":
            return self.one(
                lambda: L.STFTSpectrogram(frame_length=16, frame_step=8, fft_length=16, mode=self.one("log", "magnitude", "psd"))(ops.expand_dims(x, -1)),
                lambda: L.Reshape((12, 4))(x),
                lambda: ops.reshape(x, (-1, 8, 6)),
            )()
        return L.Rescaling(1 / 255, offset=self.one(0, -0.5))(x) if is_bytes else x

    def backward(self):
        forward = self.recurrent(self.chance(0.5))
        config = {**forward.get_config(), "name": "backward", "go_backwards": not forward.go_backwards}
        if "activation" in config:
            config["activation"] = self.one("tanh", "relu", "sigmoid")
        return L.Bidirectional(forward, backward_layer=type(forward).from_config(config), merge_mode=self.one("concat", "sum", "ave", "mul"))

    def of_sequence(self):
        if self.kind == "quantized" and self.chance(0.6):
            return self.one(L.Dense(self.one(2, 4, 8)), L.EinsumDense("abc,cd->abd", output_shape=(None, 4), bias_axes="d"))
        if self.chance(0.4):
            return super().of_sequence()
        made = self.one(
            self.backward,
            lambda: L.RNN(L.StackedRNNCells([self.one(L.LSTMCell, L.GRUCell, L.SimpleRNNCell)(self.one(2, 3)) for _ in range(2)]), return_sequences=self.chance(0.5)),
            lambda: L.Conv1D(self.one(2, 4), 2, strides=self.one(1, 2), padding=self.one("same", "valid"), **self.format()),
            lambda: L.Conv1D(4, 2, dilation_rate=2, padding="causal", groups=self.one(1, 2)),
            lambda: L.DepthwiseConv1D(2, depth_multiplier=self.one(1, 2), padding=self.one("same", "valid"), **self.format()),
            lambda: L.SeparableConv1D(3, 2, **self.format()),
            lambda: L.Conv1DTranspose(self.one(2, 3), self.one(2, 3), strides=self.one(1, 2), padding=self.one("same", "valid"), **self.format()),
            lambda: self.one(L.MaxPooling1D, L.AveragePooling1D)(2, strides=self.one(1, 2), padding=self.one("same", "valid"), **self.format()),
            lambda: self.one(L.GlobalMaxPooling1D, L.GlobalAveragePooling1D)(**self.format()),
            lambda: self.one(L.AdaptiveAveragePooling1D, L.AdaptiveMaxPooling1D)(self.one(2, 3), **self.format()),
            lambda: L.UpSampling1D(2),
            lambda: L.ZeroPadding1D(self.one(1, (2, 0)), **self.format()),
            lambda: L.Cropping1D(self.one((1, 1), (0, 2))),
            lambda: L.Permute((2, 1)),
            lambda: L.Reshape((-1, 2)),
            lambda: L.EinsumDense(self.one("abc,cd->abd", "...x,xd->...d"), output_shape=(None, 3), bias_axes=self.one(None, "d"), activation=self.activation())
            if self.chance(0.5)
            else L.EinsumDense("abc,cde->abde", output_shape=(None, 2, 3), bias_axes="de"),
            lambda: L.Normalization(mean=0.3, variance=2.0, axis=None, invert=self.chance(0.3)),
            lambda: L.Rescaling(self.one(0.5, 2), offset=self.one(0.0, 1)),
            lambda: L.SpectralNormalization(L.Dense(3)),
            lambda: L.TimeDistributed(keras.Sequential([L.Dense(3, activation="tanh"), L.Dense(2)])),
            lambda: self.one(L.ReLU(max_value=1.0, negative_slope=0.1), L.ELU(0.5), L.LeakyReLU(), L.PReLU()),
        )
        return made()

    def of_image(self):
        if self.chance(0.25):
            return super().of_image()
        interpolation = self.one("nearest", "bilinear")
        made = self.one(
            lambda: L.Conv2D(self.one(2, 4), self.one(1, 2, (2, 3)), strides=self.one(1, 2), padding=self.one("same", "valid"), **self.format()),
            lambda: L.Conv2D(2, 2, dilation_rate=self.one(2, (1, 2)), padding=self.one("same", "valid"), **self.format()),
            lambda: L.Conv2DTranspose(2, self.one(2, 3), strides=self.one(1, 2), padding=self.one("same", "valid"), **self.format()),
            lambda: L.DepthwiseConv2D(2, padding="same", depth_multiplier=self.one(1, 2), **self.format()),
            lambda: L.SeparableConv2D(3, 2, padding=self.one("same", "valid"), **self.format()),
            lambda: self.one(L.MaxPooling2D, L.AveragePooling2D)(2, strides=self.one(None, 1), padding=self.one("same", "valid"), **self.format()),
            lambda: self.one(L.GlobalAveragePooling2D, L.GlobalMaxPooling2D)(keepdims=self.chance(0.3), **self.format()),
            lambda: self.one(L.AdaptiveAveragePooling2D, L.AdaptiveMaxPooling2D)(self.one(2, (2, 3)), **self.format()),
            lambda: L.UpSampling2D(self.one(2, (1, 2)), interpolation=interpolation, **self.format()),
            lambda: L.ZeroPadding2D(self.one(1, (0, 2), ((1, 0), (0, 2))), **self.format()),
            lambda: L.Cropping2D(self.one(1, ((1, 0), (0, 1))), **self.format()),
            lambda: L.Resizing(self.one(3, 4), self.one(4, 7), interpolation=interpolation, **self.one({}, {"crop_to_aspect_ratio": True}, {"pad_to_aspect_ratio": True}), data_format="channels_last"),
            lambda: L.CenterCrop(3, self.one(3, 4), data_format="channels_last"),
            lambda: L.Rescaling(self.one(0.5, 1 / 255), offset=self.one(0, -1)),
            lambda: L.Normalization(mean=[0.1], variance=[0.5], axis=self.one(None, None)) if self.chance(0.5) else L.Normalization(axis=None, mean=0.2, variance=0.4),
            lambda: L.ConvLSTM1D(self.one(2, 3), 2, padding=self.one("same", "valid"), return_sequences=self.chance(0.5), **self.format()),
            lambda: L.TimeDistributed(self.one(L.Dense(2), L.Conv1D(2, 2, padding="same"), L.LSTM(2), L.GlobalMaxPooling1D(), L.LayerNormalization())),
            lambda: L.Bidirectional(L.ConvLSTM1D(2, 2, padding="same", return_sequences=self.chance(0.5))),
            lambda: L.BatchNormalization(axis=self.one(1, 2, -1)),
            lambda: L.GroupNormalization(-1, axis=self.one(1, -1)),
            lambda: L.LayerNormalization(axis=self.one(-1, [1, 2, 3], [2, 3])),
            lambda: L.Flatten(**self.format()),
            lambda: L.Permute(self.one((3, 1, 2), (2, 1, 3))),
            lambda: L.Dense(self.one(2, 3), activation=self.activation()),
            lambda: L.EinsumDense("abcd,de->abce", output_shape=(None, None, 2), bias_axes="e"),
            lambda: L.SpectralNormalization(L.Conv2D(2, 2)),
            lambda: L.PReLU(shared_axes=[1, 2]),
            lambda: L.Softmax(axis=self.one(-1, [1, 2])),
        )
        return made()

    def of_volume(self):
        made = self.one(
            lambda: L.Conv3D(self.one(2, 3), self.one(1, 2, (1, 2, 2)), strides=self.one(1, 2, (1, 2, 1)), padding=self.one("same", "valid"), activation=self.activation(), **self.format()),
            lambda: L.Conv3D(2, 2, dilation_rate=self.one(1, (1, 2, 1)), padding="same", groups=self.one(1, 2)),
            lambda: L.Conv3DTranspose(2, 2, strides=self.one(1, 2), padding=self.one("same", "valid"), **self.format()),
            lambda: self.one(L.MaxPooling3D, L.AveragePooling3D)(self.one(2, (1, 2, 2)), strides=self.one(None, 1), padding=self.one("same", "valid"), **self.format()),
            lambda: self.one(L.GlobalAveragePooling3D, L.GlobalMaxPooling3D)(keepdims=self.chance(0.3), **self.format()),
            lambda: self.one(L.AdaptiveAveragePooling3D, L.AdaptiveMaxPooling3D)(self.one(2, (1, 2, 2)), **self.format()),
            lambda: L.UpSampling3D(self.one(2, (1, 2, 1)), **self.format()),
            lambda: L.ZeroPadding3D(self.one(1, (0, 1, 0), ((1, 0), (0, 1), (1, 1))), **self.format()),
            lambda: L.Cropping3D(self.one(1, (0, 1, 0), ((1, 0), (0, 1), (1, 1))), **self.format()),
            lambda: L.ConvLSTM2D(self.one(2, 3), 2, strides=self.one(1, 2), padding=self.one("same", "valid"), return_sequences=self.chance(0.5), **self.format()),
            lambda: L.TimeDistributed(self.one(L.Conv2D(2, 2), L.MaxPooling2D(), L.Flatten(), L.DepthwiseConv2D(2), L.BatchNormalization())),
            lambda: L.BatchNormalization(axis=self.one(1, -1)),
            lambda: L.LayerNormalization(),
            lambda: L.GroupNormalization(1),
            lambda: L.Dense(3, activation=self.activation()),
            lambda: L.Flatten(**self.format()),
            lambda: L.Reshape((-1, 4)),
            lambda: L.Activation(self.activation()),
        )
        return made()

    def of_movie(self):
        made = self.one(
            lambda: L.ConvLSTM3D(2, self.one(1, 2), padding=self.one("same", "valid"), return_sequences=self.chance(0.4), **self.format()),
            lambda: L.TimeDistributed(self.one(L.Conv3D(2, 2), L.MaxPooling3D(2), L.GlobalAveragePooling3D(), L.ConvLSTM2D(2, 2), L.Flatten())),
            lambda: L.Flatten(),
        )
        return made()

    def of_vector(self):
        if self.kind in ("quantized", "adapted") and self.chance(0.6):
            return L.Dense(self.one(2, 4, 8), activation=self.activation())
        if self.chance(0.4):
            return super().of_vector()
        made = self.one(
            lambda: L.Discretization([-0.5, 0.1, 0.8], output_mode=self.one("one_hot", "multi_hot", "count")),
            lambda: L.Normalization(axis=self.one(-1, None), mean=0.4, variance=1.5, invert=self.chance(0.3)),
            lambda: L.Rescaling(self.one(0.5, 3), offset=self.one(0, 0.5)),
            lambda: L.EinsumDense("ab,bcd->acd", output_shape=(2, 3), bias_axes=self.one("cd", "d", None)),
            lambda: L.SpectralNormalization(L.Dense(3, use_bias=False)),
            lambda: L.Reshape((2, -1)),
            lambda: L.UnitNormalization(),
            lambda: L.RMSNormalization(),
            lambda: L.Identity(),
        )
        return made()

    def step(self):
        if self.kind == "policies" and self.chance(0.4):
            keras.config.set_dtype_policy(self.one(*POLICIES))
        try:
            return self.any_step()
        finally:
            if self.kind == "policies":
                keras.config.set_dtype_policy("float32")

    def any_step(self):
        x = self.pool[-1] if self.chance(0.5) else self.one(*self.pool)
        if self.chance(0.25):
            return self.operation(x)
        rank = len(x.shape)
        if rank == 2 and self.chance(0.2):
            discrete = L.Discretization([-0.5, 0.1, 0.8])(x)
            return L.Embedding(4, 3)(discrete) if self.chance(0.6) else L.CategoryEncoding(4, output_mode="multi_hot")(discrete)
        if rank == 3 and self.chance(0.2):
            return self.attention(x)
        if rank in (5, 6):
            layer = (self.of_volume if rank == 5 else self.of_movie)()
            return layer(x)
        if rank in (2, 3, 4) and self.chance(0.15):
            return self.stack(x)
        return super().step()

    def attention(self, x):
        if getattr(x, "_keras_mask", None) is not None:
            raise ValueError("What a masked query gives is another number on each of Keras's back ends.")
        y = self.one(*[y for y in self.pool if len(y.shape) == 3 and y.shape[2] == x.shape[2]])
        gate = {"use_gate": True} if self.chance(0.2) else {}
        if getattr(y, "_keras_mask", None) is not None:
            y = x
        made = self.one(
            lambda: L.GroupQueryAttention(self.one(2, 4), self.one(4, 2), self.one(1, 2), **gate)(x, y, use_causal_mask=self.chance(0.3)),
            lambda: L.MultiHeadAttention(2, self.one(3, 4), value_dim=self.one(None, 2), output_shape=self.one(None, 3), use_bias=self.chance(0.7))(x, y),
            lambda: L.MultiHeadAttention(2, 2)(x, y, y, return_attention_scores=True)[self.one(0, 0, 1)],
            lambda: L.Attention(score_mode=self.one("dot", "concat"))([x, y, y], use_causal_mask=self.chance(0.3)),
        )
        return made()

    def stack(self, x):
        """A model of models, perhaps called twice."""
        make = {2: self.of_vector, 3: self.of_sequence, 4: self.of_image, 5: self.of_volume}
        inside = keras.Input(x.shape[1:])
        h = make[len(x.shape)]()(inside)
        graph = keras.Model(inside, {"first": h, "second": inside * 2}) if self.chance(0.4) else keras.Model(inside, h)
        found = graph(x)
        if isinstance(found, dict):
            return found["first"] if self.chance(0.7) else found["second"]
        layers = [graph, make[len(found.shape)]()] if len(found.shape) in make else [graph]
        made = keras.Sequential(layers if self.chance(0.5) else [keras.Input(x.shape[1:]), *layers])
        y = made(x)
        alike = [z for z in self.pool if z.shape == x.shape]
        return L.Add()([y, made(self.one(*alike))]) if self.chance(0.4) else y

    def operation(self, x):
        rank, last = len(x.shape), x.shape[-1]
        alike = [y for y in self.pool if y.shape == x.shape]
        y = self.one(*alike)
        axis = self.one(*range(1, rank))
        pads = [[0, 0]] + [[self.one(0, 1), self.one(0, 1)] for _ in range(rank - 1)]
        mode = self.one("constant", "reflect", "symmetric")
        unary = self.one(
            "abs", "square", "sin", "cos", "tanh", "exp2", "sigmoid", "relu6", "silu", "mish", "gelu", "softsign", "log_sigmoid", "celu", "erf", "sinh", "arctan",
            "expm1", "negative", "hard_silu", "squareplus", "tanh_shrink", "hard_shrink", "soft_shrink", "sign", "floor", "round", "rint", "trunc", "nan_to_num", "cbrt",
            "arcsinh", "relu", "elu", "selu", "softplus", "leaky_relu", "log1p_of_abs", "rsqrt_of_abs", "sinc", "deg2rad", "ravel_rows",
        )
        reduction = self.one("mean", "max", "min", "sum", "var", "std", "logsumexp", "median", "prod", "amax", "amin", "count_nonzero", "any", "all", "argmax", "argmin", "norm", "average", "nanmean", "nansum")
        binary = self.one("maximum", "minimum", "multiply", "subtract", "arctan2", "logaddexp", "hypot", "greater", "less_equal", "not_equal", "logical_and", "logical_xor", "copysign", "fmod", "fmax", "fmin", "heaviside")

        def unary_of(x):
            if unary == "log1p_of_abs":
                return ops.log1p(ops.abs(x))
            if unary == "rsqrt_of_abs":
                return ops.rsqrt(ops.abs(x) + 0.5)
            if unary == "ravel_rows":
                return ops.reshape(x, (-1, int(np.prod(x.shape[1:]))))
            return getattr(ops, unary)(x)

        made = [
            lambda: unary_of(x),
            lambda: unary_of(x),
            lambda: ops.cast(getattr(ops, reduction)(x, axis=axis, keepdims=self.chance(0.5)), "float32") if reduction != "average" else ops.average(x, axis=axis),
            lambda: ops.cast(getattr(ops, binary)(x, y), "float32") if hasattr(ops, binary) else x * y,
            lambda: ops.where(x > y, x, y * 0.5),
            lambda: ops.where(ops.isfinite(x), x, 0.0),
            lambda: ops.clip(x, -0.5, self.one(0.5, 1)),
            lambda: ops.softmax(x, axis=axis),
            lambda: ops.log_softmax(x, axis=axis),
            lambda: ops.cumsum(x, axis=axis),
            lambda: ops.sort(x, axis=axis),
            lambda: ops.cast(ops.argsort(x, axis=-1), "float32"),
            lambda: ops.flip(x, axis=axis),
            lambda: ops.roll(x, self.one(1, -1), axis=axis),
            lambda: ops.pad(x, pads, mode=mode),
            lambda: ops.tile(x, [1] * axis + [2] + [1] * (rank - axis - 1)),
            lambda: ops.repeat(x, 2, axis=axis),
            lambda: ops.take(x, [0, 0, -1], axis=axis),
            lambda: ops.one_hot(ops.argmax(x, axis=-1), last),
            lambda: self.one(*ops.split(x, 2, axis=-1)) if last % 2 == 0 else ops.split(x, [1], axis=-1)[0],
            lambda: ops.concatenate([x, y], axis=axis),
            lambda: ops.stack([x, y], axis=self.one(axis, -1)),
            lambda: ops.squeeze(ops.expand_dims(x, axis), axis),
            lambda: ops.expand_dims(x, axis),
            lambda: ops.moveaxis(x, 1, -1),
            lambda: ops.swapaxes(x, 1, axis),
            lambda: ops.transpose(x, [0, *reversed(range(1, rank))]),
            lambda: ops.normalize(x, axis=axis, order=self.one(1, 2)),
            lambda: ops.top_k(x, 1)[0],
            lambda: ops.diff(x, axis=axis),
            lambda: ops.tril(x, self.one(0, 1)) if rank > 2 else ops.hstack([x, y]),
            lambda: ops.triu(x) if rank > 2 else ops.outer(x[0], ops.ones(3)),
            lambda: ops.quantile(x, self.one(0.3, 0.5), axis=axis, keepdims=True),
            lambda: ops.digitize(x, [-0.5, 0.2, 0.9]) * 0.5,
            lambda: ops.full_like(x, 0.5) + ops.zeros_like(y) + ops.ones_like(x),
            lambda: (x**2 + y) / (ops.abs(y) + 1),
            lambda: x[..., :1] * y - 0.5,
            lambda: x[:, ::2],
            lambda: x[:, None, -1],
            lambda: ops.slice(x, [0] * rank, [BATCH] + [max(1, size - 1) for size in x.shape[1:]]),
            lambda: ops.matmul(x, ops.swapaxes(y, -1, -2)) if rank > 2 else ops.dot(x, np.ones((last, 2), "float32")),
            lambda: ops.einsum("bij,bkj->bik", x, y) if rank == 3 else ops.einsum("b...,b...->b...", x, y),
            lambda: ops.tensordot(x, np.full((last, 2), 0.5, "float32"), axes=[[rank - 1], [0]]),
            lambda: ops.unstack(x, axis=axis)[0],
            lambda: ops.rms_normalization(x),
            lambda: ops.layer_normalization(x, axis=-1),
            lambda: ops.moments(x, axes=[axis], keepdims=True)[self.one(0, 1)],
            lambda: ops.cross(x, y) if last == 3 else ops.vecdot(x, y) if hasattr(ops, "vecdot") else x,
            lambda: ops.cast(x > 0, self.one("float32", "int32")) * y,
            lambda: ops.select([x > 0.5, x < -0.5], [x, y], 0.1),
            lambda: ops.logical_not(x > 0) * 1.0,
            lambda: ops.stop_gradient(x) + y,
            lambda: ops.cumprod(x * 0.5, axis=axis),
            lambda: ops.isclose(x, y) * 1.0 + ops.sign(x),
        ]
        if rank == 4:
            made += [
                lambda: ops.image.resize(x, (4, 3), interpolation=self.one("nearest", "bilinear"), data_format="channels_last"),
                lambda: ops.average_pool(x, 2, 1, self.one("same", "valid"), **self.format()),
                lambda: ops.max_pool(x, 2, 2, self.one("same", "valid"), **self.format()),
                lambda: ops.conv(x, np.full((2, 2, last, 2), 0.1, "float32"), 1, "same", data_format="channels_last"),
                lambda: ops.image.extract_patches(x, 2, data_format="channels_last"),
                lambda: ops.image.rgb_to_grayscale(x, data_format="channels_last") if last == 3 else ops.depth_to_space(x, 2) if last == 4 else -x,
                lambda: ops.image.crop_images(x, 1, 0, 0, 1, data_format="channels_last"),
                lambda: ops.image.pad_images(x, 1, 0, 0, 1, data_format="channels_last"),
            ]
        return self.one(*made)()

    def model(self):
        if self.kind == "policy":
            keras.config.set_dtype_policy(self.one(*POLICIES))
        kinds = [self.one(*SHAPES, "tokens", "tokens", "image", "sequence") for _ in range(self.one(1, 1, 2))]
        self.pool = [self.add_input(kind) for kind in kinds]
        count = self.one(2, 3, 4, 5, 6)
        for _ in range(20):
            try:
                y = self.step()
            except (ValueError, TypeError, IndexError, KeyError, NotImplementedError, RuntimeError, AttributeError, AssertionError, ZeroDivisionError):
                # Not all layers take all shapes.
                continue
            if len(y.shape) in range(2, 7) and None not in y.shape[1:] and 0 < np.prod(y.shape[1:]) < 2000 and "float" in y.dtype:
                self.pool.append(y)
                count -= 1
                if count == 0:
                    break
        last = self.pool[-1]
        unread = [y for y in self.pool[1:-1] if self.chance(0.25)][:2]
        outputs = [last, *unread]
        if self.chance(0.3):
            outputs = dict(zip(("b", "a", "c out"), outputs))
        inputs = self.inputs
        if self.chance(0.2):
            inputs = {x._keras_history.operation.name: x for x in inputs}
        elif len(inputs) == 1 and self.chance(0.7):
            inputs = inputs[0]
        return keras.Model(inputs, outputs if len(outputs) > 1 or isinstance(outputs, dict) else last)


def flat(values):
    return [values[key] for key in sorted(values)] if isinstance(values, dict) else values if isinstance(values, (list, tuple)) else [values]


def shape_like(model, values):
    """The inputs in the structure of the model's."""
    return keras.tree.pack_sequence_as(model._inputs_struct, values)


def has_noise(model, given, expected):
    """As in random_models.py."""
    before = model.get_weights()
    model.zero_grad()
    model.compute_loss(x=given, y=expected, y_pred=model(given, training=True)).backward()
    found = [weight.value.grad for weight in model.trainable_weights]
    model.zero_grad()
    model.set_weights(before)

    def is_noise(path, gradient):
        sizes = np.abs(gradient.float().numpy())
        largest = sizes.max()
        # The parts of a row's gradient may cancel out, in another order only nearly.
        least = -1 if "embeddings" in path else 0
        return 0 < largest < 1e-4 or bool(np.any((sizes > least) & (sizes < 1e-6 * largest)))

    return any(is_noise(weight.path, one) for weight, one in zip(model.trainable_weights, found) if one is not None)


def numpy(value):
    return np.asarray(keras.ops.convert_to_numpy(keras.ops.cast(value, "float32")))


def widened(model):
    """The model as it is here: with float32 where the file has another float than float16 in mixed precision."""
    config = json.dumps(keras.saving.serialize_keras_object(model), default=str)
    if not WIDENED.search(config):
        return model
    twin = keras.saving.deserialize_keras_object(json.loads(WIDENED.sub('"float32"', config)))
    for to, value in zip(twin.weights, model.weights):
        to.assign(keras.ops.cast(value, to.dtype))
    return twin


def adapt(maker, model):
    """Quantizes layers, or gives them adapters; returns whether the model can still be trained on the same curve."""
    if maker.kind == "quantized":
        model.quantize(maker.one("int8", "int8", "int4", "float8"))
    elif maker.kind == "adapted":
        for layer in model._flatten_layers(include_self=False):
            if hasattr(layer, "enable_lora") and layer.built and maker.chance(0.8):
                layer.enable_lora(maker.one(1, 2), lora_alpha=maker.one(None, 3))
                layer.lora_kernel_b.assign(maker.numbers.uniform(-0.5, 0.5, layer.lora_kernel_b.shape)) if hasattr(layer, "lora_kernel_b") else None
    return maker.kind not in ("quantized", "adapted")


def case(folder, seed):
    keras.config.set_dtype_policy("float32")
    keras.utils.set_random_seed(seed)
    keras.utils.clear_session()
    maker = Wide(seed)
    try:
        model = maker.model()
        for weight in model.weights:
            if "float" in weight.dtype and "seed" not in weight.path:
                low = 0.2 if "variance" in weight.path else -0.7
                weight.assign(np.round(maker.numbers.uniform(low, 0.8, weight.shape), 3))
        trains = adapt(maker, model) and bool(model.trainable_weights)
        given = shape_like(model, maker.values)
        path = os.path.join(folder, f"{seed}.keras")
        twin = widened(model)
        listed = [numpy(y) for y in flat(twin(given))]
        if not all(np.isfinite(y).all() and np.abs(y).max(initial=0) < 1e4 for y in listed):
            return None
        structure = twin(given)
        targets = [maker.numbers.normal(size=y.shape).astype("float32") for y in listed]
        losses = [maker.one("mse", "mae", "huber", "log_cosh") for _ in listed]
        metrics = [maker.one([], ["mae"], ["mse"]) for _ in listed]
        if isinstance(structure, dict):
            names = sorted(structure)
            expected, losses, metrics = (dict(zip(names, one)) for one in (targets, losses, metrics))
        elif len(listed) == 1:
            expected, losses, metrics = targets[0], losses[0], metrics[0]
        else:
            expected = targets
        logs, trained, optimizer = [], None, {"name": "none"}
        if trains:
            is_exact = maker.kind == "plain"
            # TensorFlow clips the gradients of embeddings row by row, and PyTorch their sums.
            is_exact &= not any("Embedding" in type(layer).__name__ for layer in model._flatten_layers())
            made = maker.optimizer() if is_exact else keras.optimizers.SGD(0.05)
            options = {"loss": losses, "metrics": metrics, "run_eagerly": True}
            twin.compile(optimizer=made, **options)
            if is_exact and has_noise(twin, given, expected):
                made = keras.optimizers.SGD(0.05)
                twin.compile(optimizer=made, **options)
            model.compile(optimizer=type(made).from_config(made.get_config()), **options)
            optimizer = {k: v for k, v in made.get_config().items() if v not in (None, False)}
        model.save(path)
        try:
            keras.models.load_model(path)
        except Exception:
            # Keras 3.15 can't read each of its files, such as those of quantized projections of an attention.
            return None
        if trains:
            logs = [twin.train_on_batch(given, expected, return_dict=True) for _ in range(2)]
            trained = [plain(numpy(weight)) for weight in twin.weights]
            diverges = not all(np.isfinite(one).all() for one in trained) or max(abs(float(v)) for v in logs[1].values()) > 100
            # In mixed precision on PyTorch, it keeps its vector.
            is_odd = maker.kind.startswith("polic") and any(isinstance(layer, L.SpectralNormalization) for layer in model._flatten_layers())
            if diverges or is_odd:
                logs, trained = [], None
        return {
            "seed": seed,
            "kind": maker.kind,
            "layers": [f"{type(layer).__name__}" for layer in model._flatten_layers(include_self=False)],
            "policies": sorted({layer.dtype_policy.name for layer in model._flatten_layers()}),
            "optimizer": optimizer,
            "inputs": [{"shape": list(x.shape), "dtype": x.dtype.name, "data": plain(x)} for x in maker.values],
            "targets": [{"shape": list(y.shape), "data": plain(y)} for y in targets],
            "outputNames": sorted(structure) if isinstance(structure, dict) else None,
            "inputNames": [x._keras_history.operation.name for x in maker.inputs] if isinstance(model._inputs_struct, dict) else None,
            "sampleWeight": None,
            "outputs": [{"shape": list(y.shape), "data": plain(y)} for y in listed],
            "logs": [{k: float(v) for k, v in one.items()} for one in logs],
            "weights": trained,
        }
    finally:
        keras.config.set_dtype_policy("float32")


def others(one, two, place=""):
    """Where two configurations differ."""
    if isinstance(one, dict) and isinstance(two, dict):
        # An optimizer in mixed precision is wrapped by compile, and a mask of nothing is none.
        if two.get("class_name") == "LossScaleOptimizer" != one.get("class_name") and "inner_optimizer" in two["config"]:
            two = two["config"]["inner_optimizer"]
        for key in sorted({*one, *two} - {"shared_object_id"} - ({"mask"} if one.get("mask") == two.get("mask") else set())):
            yield from others(one.get(key, "nothing"), two.get(key, "nothing"), f"{place}.{key}")
    elif isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        for i, pair in enumerate(zip(one, two)):
            yield from others(*pair, f"{place}.{i}")
    elif one != two and not (isinstance(one, float) and np.float32(one) == np.float32(two)):
        yield f"{place}: {str(one)[:200]}, then {str(two)[:200]}"


def repeats_names(config):
    """Operations may have the same names in Keras; they get others here."""
    names = [layer.get("name") for layer in config["config"].get("layers", [])]
    return len(set(names)) < len(names)


def bits(variables):
    return [(v.path, numpy(v).tobytes()) for v in variables]


def arrays(listed):
    return [np.array(one["data"], one.get("dtype", "float32")).reshape(one["shape"]) for one in listed]


def check(folder, one):
    """How the files that were saved again differ from Keras's, and the models in them from what was computed there."""
    seed, found = one["seed"], {}
    keras.utils.clear_session()
    at = lambda end: os.path.join(folder, f"{seed}.{end}")  # noqa: E731
    before = keras.models.load_model(at("keras"))
    # Operations count on in a session.
    keras.utils.clear_session()
    after = keras.models.load_model(at("saved.keras"))
    kept = [json.loads(json.dumps(keras.saving.serialize_keras_object(model), default=str)) for model in (before, after)]
    if not repeats_names(kept[0]):
        found["config"] = next(others(*kept), True)
    is_adapted = one["kind"] == "adapted"
    pick = lambda model: [w for w in model.weights if not (is_adapted and "lora" in w.path)]  # noqa: E731
    found["weights"] = bits(pick(before)) == bits(pick(after))
    if one["kind"] != "adapted" and os.path.exists(at("weights.h5")):
        last = keras.models.load_model(at("keras"), compile=False)
        last.load_weights(at("weights.h5"))
        found["weightsFile"] = bits(last.weights) == bits(before.weights)
        last = keras.models.load_model(at("keras"), compile=False)
        for weight in last.weights:
            weight.assign(weight * 0)
        last.load_weights(at("weights.json"))
        found["shards"] = bits(last.weights) == bits(before.weights)
    values = arrays(one["inputs"])
    if os.path.exists(at("trained.keras")):
        trained = keras.models.load_model(at("trained.keras"))
        wanted = json.load(open(at("trained.json")))
        twin = widened(trained)
        for given, y in zip(arrays(wanted["outputs"]), flat(twin(shape_like(twin, values)))):
            y = numpy(y)
            found["outputs"] = found.get("outputs", True) and bool(np.abs(y - given).max(initial=0) <= (1e-2 if "float16" in str(one["policies"]) else 1e-3 if one["kind"] == "quantized" else 2e-4) * max(1, np.abs(y).max(initial=0)))
        if twin is trained and wanted["logs"]:
            targets = arrays(one["targets"])
            names = one["outputNames"]
            expected = dict(zip(names, targets)) if names else targets if len(targets) > 1 else targets[0]
            logs = list(trained.train_on_batch(shape_like(trained, values), expected, return_dict=True).values())
            # Logs are means since the last reset: these are of one step.
            found["continues"] = abs(float(logs[0]) - wanted["logs"][0]) <= (2e-2 if one["kind"] == "policies" else 1e-3) * max(1, abs(float(logs[0])))
            if not found["continues"]:
                found["logs"] = [float(logs[0]), wanted["logs"][0]]
    return {key: value for key, value in found.items() if value is not True}


def main():
    what, folder, *rest = sys.argv[1:]
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    at = os.path.join(folder, "cases.jsonl")
    if what == "check":
        with open(at) as lines, open(os.path.join(folder, "checks.jsonl"), "w") as file:
            for one in map(json.loads, lines):
                if not os.path.exists(os.path.join(folder, f"{one['seed']}.saved.keras")):
                    continue
                try:
                    found = check(folder, one)
                except Exception:
                    found = {"error": traceback.format_exc(limit=-2)}
                file.write(json.dumps({"seed": one["seed"], **found}) + "\n")
                file.flush()
        return
    with open(at, "a") as file:
        for seed in range(int(rest[0]), int(rest[0]) + int(rest[1])):
            try:
                made = case(folder, seed)
            except Exception as error:
                print(seed, type(error).__name__, str(error).splitlines()[0][:150] if str(error) else "", file=sys.stderr)
                if os.environ.get("TRACE"):
                    traceback.print_exc()
                continue
            if made:
                file.write(json.dumps(made) + "\n")
                file.flush()


if __name__ == "__main__":
    main()
