"""Keras's side of `npm run test:keras` for many kinds of models.

    python varied_models.py make FOLDER [NAME…]      NAME.keras and NAME.json: inputs, outputs, weights, summary
    python varied_models.py check FOLDER [NAME…]     check.json: how NAME.saved.keras differs from NAME.keras

Each model has random weights. What a layer does in training only isn't compared.
"""

import base64
import json
import os
import pathlib
import sys
import traceback
import zipfile

# Calls are made once each: without compilation that takes seconds.
os.environ.setdefault("KERAS_BACKEND", "torch")

import numpy as np  # noqa: E402
import keras  # noqa: E402
import odd_models  # noqa: E402
import rare_models  # noqa: E402
from summaries import summary_of  # noqa: E402
from keras import constraints, initializers, layers as L, losses, metrics, ops, optimizers, regularizers  # noqa: E402

makers = {**odd_models.makers, **rare_models.makers}


def case(function):
    makers[function.__name__] = function
    return function


def chain(shape, *made, **options):
    """A functional model of layers in a row."""
    x = h = keras.Input(shape, **options)
    for layer in made:
        h = layer(h)
    return keras.Model(x, h)


def parallel(shape, *made, **options):
    """A functional model of layers with the same input."""
    x = keras.Input(shape, **options)
    return keras.Model(x, [layer(x) for layer in made])


# Options of weights


@case
def initializers_with_options():
    i = initializers
    chosen = [
        i.HeUniform(seed=1),
        i.HeNormal(),
        i.LecunNormal(seed=2),
        i.LecunUniform(),
        i.GlorotNormal(seed=3),
        i.TruncatedNormal(0.1, 0.2, seed=4),
        i.RandomNormal(stddev=0.3),
        i.RandomUniform(-0.2, 0.3, seed=5),
        i.Orthogonal(gain=1.5, seed=6),
        i.VarianceScaling(2.0, "fan_avg", "untruncated_normal", seed=7),
        i.Identity(gain=2.0),
        i.Constant(0.25),
        "ones",
        "zeros",
        "orthogonal",
    ]
    return chain((4,), *[L.Dense(4, kernel_initializer=c, bias_initializer=i.Constant(n)) for n, c in enumerate(chosen)])


@case
def regularizers_with_options():
    r = regularizers
    return chain(
        (4,),
        L.Dense(4, kernel_regularizer=r.L1(0.01), bias_regularizer=r.L2(0.02), activity_regularizer=r.L1L2(0.01, 0.03)),
        L.Dense(4, kernel_regularizer=r.OrthogonalRegularizer(0.03, mode="columns"), bias_regularizer="l1"),
        L.Dense(3, kernel_regularizer=regularizers.L1L2(), activity_regularizer="l2"),
    )


@case
def constraints_with_options():
    c = constraints
    return chain(
        (4,),
        L.Dense(4, kernel_constraint=c.MaxNorm(1.5, axis=[0]), bias_constraint="non_neg"),
        L.Dense(4, kernel_constraint=c.MinMaxNorm(0.5, 2.0, rate=0.7, axis=1)),
        L.Dense(4, kernel_constraint=c.UnitNorm(axis=0), use_bias=False),
        L.Dense(4, kernel_constraint="unit_norm", bias_constraint=c.NonNeg()),
    )


@case
def activations_by_name():
    # Without glu, whose shape Keras gets wrong, and sparsemax, whose values don't sum to 1 there.
    names = "relu relu6 selu softplus softsign silu mish gelu hard_silu hard_sigmoid exponential log_softmax leaky_relu celu"
    more = "tanh tanh_shrink hard_tanh hard_shrink soft_shrink squareplus sparse_plus sparse_sigmoid"
    last = "log_sigmoid linear elu sigmoid softmax swish hard_swish"
    return parallel((6,), *[L.Dense(4, activation=name) for name in f"{names} {more} {last}".split()])


@case
def activations_as_layers():
    return chain(
        (5, 4),
        L.ReLU(max_value=6.0, negative_slope=0.1, threshold=0.2),
        L.LeakyReLU(negative_slope=0.15),
        L.PReLU(shared_axes=[1], alpha_initializer=initializers.Constant(0.2), alpha_regularizer="l2"),
        L.ELU(alpha=0.6),
        L.Activation("gelu"),
        L.Dense(4, activation=L.ReLU(max_value=2.0)),
        L.Dense(4, activation=L.ELU(alpha=0.5)),
        L.Softmax(axis=[1, 2]),
    )


# Convolutions


@case
def convolutions_1d():
    return chain(
        (16, 3),
        L.Conv1D(4, 3, padding="causal", dilation_rate=2, activation="relu"),
        L.Conv1D(6, 3, strides=2, groups=2, use_bias=False),
        L.DepthwiseConv1D(3, padding="same", depth_multiplier=2, activation="tanh"),
        L.SeparableConv1D(4, 2, depth_multiplier=2, pointwise_regularizer="l2"),
        L.Conv1DTranspose(3, 3, strides=2, padding="same", output_padding=1),
    )


@case
def convolutions_2d():
    return chain(
        (12, 10, 3),
        L.Conv2D(4, (3, 2), dilation_rate=(2, 1), activation="elu", kernel_constraint=constraints.MaxNorm(2)),
        L.Conv2D(6, 3, strides=(2, 1), padding="same", groups=2, bias_initializer="ones"),
        L.DepthwiseConv2D(3, strides=1, depth_multiplier=2, dilation_rate=2, padding="same", depthwise_initializer="he_normal"),
        L.SeparableConv2D(5, 3, padding="same", depthwise_regularizer=regularizers.L1(0.1), pointwise_constraint="max_norm"),
        L.Conv2DTranspose(3, (3, 2), strides=2, padding="valid", output_padding=(1, 0), activation="softplus"),
    )


@case
def convolutions_3d():
    return chain(
        (6, 5, 4, 2),
        L.Conv3D(3, (2, 3, 2), padding="same", activation="relu"),
        L.Conv3D(4, 2, strides=(2, 1, 1)),
        L.Conv3DTranspose(2, (2, 2, 3), strides=(2, 1, 1), padding="same", use_bias=False),
        L.Conv3DTranspose(2, 2, output_padding=None, kernel_regularizer="l2"),
    )


@case
def transposed_convolutions_of_open_size():
    return chain((None, None, 2), L.Conv2DTranspose(3, 4, strides=2, padding="same"), L.Conv2D(1, 3), L.GlobalMaxPooling2D())


# Pooling and shapes


@case
def pooling_1d():
    return parallel(
        (11, 3),
        L.MaxPooling1D(3, strides=2),
        L.AveragePooling1D(3, strides=1, padding="same"),
        L.GlobalMaxPooling1D(keepdims=True),
        L.GlobalAveragePooling1D(),
        L.AdaptiveAveragePooling1D(4),
        L.AdaptiveMaxPooling1D(5),
        L.UpSampling1D(3),
        L.ZeroPadding1D((2, 1)),
        L.Cropping1D((1, 3)),
        L.SpatialDropout1D(0.25, seed=3),
    )


@case
def pooling_2d():
    return parallel(
        (9, 8, 3),
        L.MaxPooling2D((3, 2), strides=(2, 1), padding="same"),
        L.AveragePooling2D(2),
        L.GlobalMaxPooling2D(),
        L.GlobalAveragePooling2D(keepdims=True),
        L.AdaptiveAveragePooling2D((4, 3)),
        L.AdaptiveMaxPooling2D(5),
        L.UpSampling2D((2, 3)),
        L.UpSampling2D(2, interpolation="bilinear"),
        L.ZeroPadding2D(((1, 0), (2, 3))),
        L.Cropping2D(((1, 2), (0, 1))),
        L.SpatialDropout2D(0.5),
    )


@case
def pooling_3d():
    return parallel(
        (5, 6, 4, 2),
        L.MaxPooling3D((2, 3, 2), padding="same"),
        L.AveragePooling3D(2, strides=1),
        L.GlobalMaxPooling3D(keepdims=True),
        L.GlobalAveragePooling3D(),
        L.AdaptiveAveragePooling3D((2, 3, 1)),
        L.AdaptiveMaxPooling3D(2),
        L.UpSampling3D((1, 2, 3)),
        L.ZeroPadding3D(((1, 0), (0, 2), (1, 1))),
        L.Cropping3D((1, (0, 1), (1, 0))),
        L.SpatialDropout3D(0.5, seed=1),
    )


@case
def reshaping():
    return chain((4, 6), L.Permute((2, 1)), L.Reshape((3, -1)), L.Flatten(), L.RepeatVector(3), L.Reshape((2, 3, 12)), L.Flatten())


@case
def merging():
    a, b, c = (keras.Input((3, 4), name=name) for name in "abc")
    kinds = [L.Add(), L.Average(), L.Maximum(), L.Minimum(), L.Multiply()]
    outputs = [kind([a, b, c]) for kind in kinds]
    outputs += [L.Subtract()([a, c]), L.Concatenate(axis=1)([a, b, c]), L.Concatenate()([b, a])]
    outputs += [L.Dot(axes=(2, 2))([a, b]), L.Dot(axes=1, normalize=True)([b, c])]
    return keras.Model([a, b, c], outputs)


@case
def merging_functions():
    a, b = keras.Input((3, 4)), keras.Input((3, 4))
    return keras.Model([a, b], L.concatenate([L.add([a, b]), L.maximum([a, b]), L.subtract([b, a])], axis=-1))


# Normalization and preprocessing


@case
def normalizations():
    return chain(
        (6, 4),
        L.BatchNormalization(momentum=0.9, epsilon=1e-4, beta_regularizer="l2"),
        L.BatchNormalization(axis=1, center=False),
        L.BatchNormalization(scale=False, moving_variance_initializer=initializers.Constant(2.0), gamma_constraint="non_neg"),
        L.LayerNormalization(axis=[1, 2], epsilon=1e-5, scale=False),
        L.LayerNormalization(center=False, gamma_initializer="random_normal"),
        L.GroupNormalization(groups=2, axis=-1, epsilon=1e-2, beta_initializer="ones"),
        L.GroupNormalization(groups=-1),
        L.RMSNormalization(epsilon=1e-5),
        L.UnitNormalization(axis=[1, 2]),
        L.UnitNormalization(),
    )


@case
def spectral_normalization():
    x = keras.Input((6, 6, 3))
    h = L.SpectralNormalization(L.Conv2D(4, 3, activation="relu"), power_iterations=2)(x)
    h = L.Flatten()(h)
    return keras.Model(x, L.SpectralNormalization(L.Dense(3, use_bias=False), name="bounded")(h))


@case
def adapted_normalization():
    x = keras.Input((5, 3))
    data = rng.normal(2, 3, (40, 5, 3)).astype("float32")
    outputs = []
    for axis in (-1, (1, 2), None):
        layer = L.Normalization(axis=axis)
        layer.adapt(data)
        outputs.append(layer(x))
    outputs.append(L.Normalization(axis=-1, mean=[1.0, 2.0, 3.0], variance=[0.5, 1.0, 2.0], invert=True)(outputs[0]))
    outputs.append(L.Normalization(axis=None, mean=0.5, variance=2.0)(x))
    return keras.Model(x, outputs)


@case
def preprocessing_of_numbers():
    x = keras.Input((4,))
    outputs = [L.Rescaling(1 / 127.5, offset=-1)(x), L.Rescaling([1.0, 2.0, 3.0, 4.0], offset=[0.5, 0.0, 1.0, 2.0])(x)]
    outputs += [L.Discretization([-0.5, 0.0, 0.7])(x), L.Discretization([0.1], output_mode="multi_hot")(x)]
    return keras.Model(x, outputs)


@case
def preprocessing_of_categories():
    x = keras.Input((5,), dtype="int32")
    outputs = [L.CategoryEncoding(7, output_mode="multi_hot")(x), L.CategoryEncoding(num_tokens=7, output_mode="count")(x)]
    return keras.Model(x, outputs)


@case
def regularization_layers():
    return chain(
        (4, 3),
        L.Dropout(0.2, seed=1),
        L.Dropout(0.4, noise_shape=(None, 1, 3)),
        L.AlphaDropout(0.1, noise_shape=(None, 4, 1), seed=2),
        L.GaussianDropout(0.3, seed=3),
        L.GaussianNoise(0.2),
        L.ActivityRegularization(l1=0.01, l2=0.02),
        L.Identity(),
    )


# Sequences


@case
def embeddings():
    x = keras.Input((6,), dtype="int32", name="tokens")
    h = L.Embedding(9, 5, embeddings_initializer="uniform", embeddings_regularizer="l2", mask_zero=True)(x)
    h = L.LSTM(4, return_sequences=True)(h)
    h = L.GlobalAveragePooling1D()(h)
    plain = L.Embedding(9, 3, embeddings_constraint=constraints.UnitNorm(axis=-1))(x)
    return keras.Model(x, L.Concatenate()([h, L.Flatten()(plain)]))


@case
def masked_sequences():
    x = keras.Input((6, 2))
    h = L.Masking(mask_value=0.5)(x)
    h = L.Bidirectional(L.GRU(3, return_sequences=True))(h)
    h = L.TimeDistributed(L.Dense(3, activation="tanh"))(h)
    return keras.Model(x, L.SimpleRNN(2)(h))


@case
def lstm_options():
    return chain(
        (5, 3),
        L.LSTM(4, unit_forget_bias=False, recurrent_activation="hard_sigmoid", return_sequences=True, dropout=0.1, seed=2),
        L.LSTM(3, go_backwards=True, return_sequences=True, recurrent_dropout=0.2, recurrent_regularizer="l1"),
        L.LSTM(2, use_bias=False, activation="relu", kernel_initializer="he_uniform", recurrent_constraint="unit_norm"),
    )


@case
def gru_options():
    return chain(
        (5, 3),
        L.GRU(4, reset_after=False, return_sequences=True, bias_regularizer="l2", dropout=0.3, recurrent_dropout=0.1, seed=1),
        L.GRU(3, activation="softsign", recurrent_initializer=initializers.Orthogonal(0.5), return_sequences=True),
        L.SimpleRNN(3, return_sequences=True, activation="relu", recurrent_dropout=0.2, seed=3),
        L.SimpleRNN(2, use_bias=False, go_backwards=True, unroll=True),
    )


@case
def states_between_layers():
    source, target = keras.Input((4, 3), name="source"), keras.Input((5, 2), name="target")
    _, h, c = L.LSTM(4, return_state=True, name="encoder")(source)
    decoded = L.LSTM(4, return_sequences=True, name="decoder")(target, initial_state=[h, c])
    _, last = L.GRU(3, return_sequences=True, return_state=True)(decoded)
    return keras.Model([source, target], [L.TimeDistributed(L.Dense(2, activation="softmax"))(decoded), last])


@case
def stateful_recurrence():
    return chain(None, L.GRU(3, stateful=True, return_sequences=True), L.LSTM(2, stateful=True), batch_shape=(4, 5, 2))


@case
def cells():
    return chain(
        (5, 3),
        L.RNN(L.LSTMCell(4, dropout=0.1, seed=1), return_sequences=True),
        L.RNN([L.GRUCell(3, reset_after=False), L.SimpleRNNCell(2), L.LSTMCell(3)], return_sequences=True),
        L.RNN(L.StackedRNNCells([L.GRUCell(2), L.GRUCell(4, use_bias=False)]), go_backwards=True, return_sequences=True),
        L.RNN(L.SimpleRNNCell(2, activation="sigmoid", recurrent_dropout=0.1, seed=4)),
    )


@case
def bidirectional_kinds():
    x = keras.Input((5, 3))
    kinds = [L.Bidirectional(L.LSTM(2, return_sequences=True), merge_mode=mode) for mode in ("sum", "mul", "ave", "concat")]
    outputs = [kind(x) for kind in kinds]
    outputs += list(L.Bidirectional(L.GRU(3), merge_mode=None)(x))
    backward = L.GRU(2, go_backwards=True, activation="relu", return_sequences=True)
    outputs.append(L.Bidirectional(L.SimpleRNN(2, return_sequences=True), backward_layer=backward, name="both")(x))
    outputs += list(L.Bidirectional(L.LSTM(2, return_state=True))(x))
    return keras.Model(x, outputs)


@case
def time_distributed():
    inner = keras.Sequential([keras.Input((6, 5, 2)), L.Conv2D(2, 3), L.BatchNormalization(), L.Flatten()], name="frame")
    return chain(
        (3, 6, 5, 2),
        L.TimeDistributed(inner),
        L.TimeDistributed(L.Dense(4)),
        L.TimeDistributed(L.Dropout(0.1, seed=2)),
        L.TimeDistributed(L.LayerNormalization()),
        L.LSTM(2),
    )


# Attention


@case
def multi_head_attention():
    x, y = keras.Input((5, 6)), keras.Input((3, 6))
    a = L.MultiHeadAttention(2, 3, value_dim=4, output_shape=7, dropout=0.1, seed=1)(x, y)
    b = L.MultiHeadAttention(3, 2, use_bias=False, kernel_regularizer="l2")(x, x, use_causal_mask=True)
    c, scores = L.MultiHeadAttention(2, 2, name="scored")(x, x, return_attention_scores=True)
    return keras.Model([x, y], [a, b, c, scores])


@case
def attention_over_axes():
    x = keras.Input((3, 4, 6))
    return keras.Model(x, L.MultiHeadAttention(2, 3, attention_axes=(1, 2))(x, x))


@case
def grouped_query_attention():
    x, y = keras.Input((5, 6)), keras.Input((3, 6))
    a = L.GroupQueryAttention(3, 4, 2, dropout=0.1, seed=2)(x, y)
    b = L.GroupQueryAttention(2, 4, 1, use_gate=True, sliding_window=2)(x, x, use_causal_mask=True)
    return keras.Model([x, y], [a, b])


@case
def dot_product_attention():
    x, y, z = keras.Input((5, 4)), keras.Input((3, 4)), keras.Input((3, 4))
    a = L.Attention(use_scale=True, dropout=0.1, seed=1)([x, y])
    b = L.Attention(score_mode="concat")([x, y, z])
    c = L.AdditiveAttention(use_scale=False)([x, y, z])
    return keras.Model([x, y, z], [a, b, c, L.Attention()([x, x], use_causal_mask=True)])


@case
def attention_with_masks():
    a, b = keras.Input((5,), dtype="int32"), keras.Input((4,), dtype="int32")
    embed = L.Embedding(8, 6, mask_zero=True)
    x, y = embed(a), embed(b)
    h = L.MultiHeadAttention(2, 3)(x, y)
    g = L.Attention()([x, y])
    return keras.Model([a, b], [h, g])


@case
def einsum_dense():
    return chain(
        (5, 6),
        L.EinsumDense("abc,cd->abd", output_shape=(5, 8), bias_axes="d", activation="relu"),
        L.EinsumDense("...x,xy->...y", output_shape=4, bias_axes="y", kernel_regularizer="l2"),
        L.EinsumDense("abc,cde->abde", output_shape=(5, 2, 3), kernel_initializer="he_normal"),
        L.EinsumDense("abcd,cd->ab", output_shape=5),
    )


# Graphs


@case
def nested_models():
    a = keras.Input((4,))
    inner = keras.Model(a, L.Dense(3)(L.Dense(4, activation="relu")(a)), name="inner")
    b = keras.Input((4,))
    middle = keras.Model(b, [inner(b), L.Dense(2)(b)], name="middle")
    x = keras.Input((4,))
    first, second = middle(x)
    # Keras can't read its own file of a model that is called at two levels.
    again, _ = middle(L.Dense(4)(x))
    return keras.Model(x, [L.Concatenate()([first, second]), again], name="outer")


@case
def shared_layers():
    a, b = keras.Input((4,), name="left"), keras.Input((4,), name="right")
    shared = L.Dense(3, activation="tanh", name="shared")
    again = L.Dense(3, name="again")
    x, y = shared(a), shared(b)
    return keras.Model([a, b], [L.Subtract()([x, y]), again(again(x)), L.Dense(1)(L.Multiply()([x, y]))])


@case
def shared_models():
    branch = keras.Sequential([keras.Input((6, 6, 2)), L.Conv2D(3, 3), L.GlobalAveragePooling2D(), L.Dense(2)], name="branch")
    a, b = keras.Input((6, 6, 2)), keras.Input((6, 6, 2))
    return keras.Model([a, b], L.Dot(axes=1, normalize=True)([branch(a), branch(b)]))


@case
def inputs_by_name():
    inputs = {"width": keras.Input((3,), name="width"), "height": keras.Input((2,), name="height")}
    h = L.Concatenate()([inputs["width"], inputs["height"]])
    return keras.Model(inputs, {"area": L.Dense(1, name="area")(h), "kind": L.Dense(4, activation="softmax", name="kind")(h)})


@case
def one_input_in_a_list():
    x = keras.Input((3,))
    return keras.Model([x], [L.Dense(2)(x)])


@case
def nested_structures():
    a, b, c = (keras.Input((3,), name=name) for name in "pqr")
    h = L.Add()([a, L.Multiply()([b, c])])
    return keras.Model([a, {"b": b, "c": c}], [h, {"sum": L.Dense(2)(h)}])


@case
def stacks():
    inner = keras.Sequential([L.Dense(4, activation="relu"), L.Dropout(0.5)], name="inner")
    model = keras.Sequential([keras.Input((3,)), inner, keras.Sequential([L.Dense(2)]), L.BatchNormalization()], name="stack")
    return model


@case
def stack_of_a_graph():
    x = keras.Input((5,))
    graph = keras.Model(x, L.Add()([L.Dense(5)(x), x]))
    return keras.Sequential([keras.Input((5,)), graph, L.Dense(2), L.Softmax()])


@case
def stack_built_late():
    model = keras.Sequential([L.Conv2D(3, 3, strides=2), L.Flatten(), L.Dense(2)])
    model.build((None, 7, 7, 2))
    return model


@case
def frozen_layers():
    base = keras.Sequential([keras.Input((4,)), L.Dense(4), L.BatchNormalization()], name="base")
    base.trainable = False
    x = keras.Input((4,))
    h = L.Dense(3, trainable=False)(base(x, training=False))
    frozen = L.BatchNormalization(name="late")
    h = frozen(h)
    frozen.trainable = False
    return keras.Model(x, h)


@case
def operations():
    x, y = keras.Input((3, 4)), keras.Input((3, 4))
    h = ops.abs(x - y) * 2.0 + 1.0
    h = ops.where(x > y, h, -h)
    h = ops.concatenate([h, ops.maximum(x, y), ops.square(x) / 3.0], axis=-1)
    h = ops.transpose(h, (0, 2, 1))
    h = ops.sum(h, axis=1, keepdims=True) + ops.mean(h, axis=[1, 2], keepdims=True)
    h = ops.expand_dims(ops.reshape(h, (-1, 3)), 1)
    h = ops.matmul(h, x)
    return keras.Model([x, y], [ops.softmax(h, axis=-1), ops.squeeze(h, 1), ops.stack([x, y], axis=1), 1.0 - x**2])


@case
def more_operations():
    x = keras.Input((4, 6))
    h = ops.clip(x, -0.8, 0.9)
    h = ops.tanh(h) + ops.sigmoid(-h)
    h = ops.max(h, axis=2) + ops.min(h, axis=2) + ops.logsumexp(h, axis=2)
    return keras.Model(x, [h, ops.tile(x, [1, 2, 1]), ops.flip(x, axis=2), ops.exp(x), ops.log_softmax(x, axis=1), ops.gelu(x)])


@case
def residual_network():
    x = keras.Input((12, 12, 3))
    h = L.Conv2D(4, 3, strides=2, padding="same", use_bias=False)(x)
    for filters in (4, 8):
        short = L.Conv2D(filters, 1, strides=2)(h)
        h = L.ReLU()(L.BatchNormalization()(L.Conv2D(filters, 3, strides=2, padding="same")(h)))
        h = L.Add()([L.BatchNormalization()(L.Conv2D(filters, 3, padding="same")(h)), short])
    return keras.Model(x, L.Dense(5, activation="softmax")(L.GlobalAveragePooling2D()(h)), name="residual")


@case
def unet():
    x = keras.Input((8, 8, 2))
    down = L.Conv2D(4, 3, padding="same", activation="relu")(x)
    h = L.Conv2D(6, 3, padding="same", activation="relu")(L.MaxPooling2D()(down))
    up = L.Conv2DTranspose(4, 2, strides=2)(h)
    h = L.Concatenate()([down, up, L.UpSampling2D(interpolation="bilinear")(h)])
    return keras.Model(x, L.Conv2D(1, 1, activation="sigmoid")(h))


@case
def transformer():
    x = keras.Input((6,), dtype="int32")
    h = L.Add()([L.Embedding(10, 8)(x), L.Embedding(10, 8)(x)])
    for _ in range(2):
        h = L.LayerNormalization()(L.Add()([h, L.MultiHeadAttention(2, 4)(h, h, use_causal_mask=True)]))
        h = L.RMSNormalization()(L.Add()([h, L.Dense(8)(L.Dense(16, activation="gelu")(h))]))
    return keras.Model(x, L.Dense(10)(h))


@case
def many_of_a_kind():
    return chain((3,), *[L.Dense(3, activation="relu" if i % 2 else None) for i in range(23)])


@case
def names_of_all_kinds():
    names = ["constructor", "toString", "layer-2", "two words", "größe", "dense_7", "a(b)", "0", "_private", "hasOwnProperty"]
    return keras.Sequential([keras.Input((3,), name="valueOf"), *[L.Dense(3, name=name) for name in names]], name="prototype")


@case
def fixed_batch():
    x = keras.Input(batch_shape=(4, 5, 3), name="fixed")
    return keras.Model(x, L.Dense(2)(L.Flatten()(x)))


@case
def scalars_and_vectors():
    x, y = keras.Input((), name="scalar"), keras.Input((1,))
    return keras.Model([x, y], L.Add()([ops.expand_dims(x, -1), L.Dense(1)(y)]))


@case
def kinds_of_numbers():
    a = keras.Input((4,), dtype="int32")
    b = keras.Input((4,), dtype="bool")
    c = keras.Input((4,), dtype="int64")
    h = L.Embedding(8, 3, dtype="float32")(a)
    h = L.Flatten()(h)
    g = L.Rescaling(1 / 255)(c)
    k = ops.cast(b, "float32")
    return keras.Model([a, b, c], [L.Concatenate()([h, g, k]), L.Dense(2, dtype=keras.DTypePolicy("float32"))(g)])


# What models are compiled with


@case
def compiled_plainly():
    model = chain((4,), L.Dense(3, activation="softmax"))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy", "sparse_top_k_categorical_accuracy"])
    return model


@case
def compiled_by_objects():
    model = chain((4,), L.Dense(3))
    schedule = optimizers.schedules.CosineDecay(0.1, 100, alpha=0.1, warmup_target=0.2, warmup_steps=10)
    model.compile(
        optimizers.AdamW(schedule, weight_decay=0.02, beta_1=0.8, clipnorm=1.0, amsgrad=True),
        losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1),
        metrics=[metrics.CategoricalAccuracy(name="exact"), metrics.TopKCategoricalAccuracy(k=2), metrics.AUC(num_thresholds=50, from_logits=True)],
    )
    return model


@case
def compiled_by_outputs():
    x = keras.Input((4,))
    model = keras.Model(x, [L.Dense(1, name="size")(x), L.Dense(1, activation="sigmoid", name="sign")(x)])
    model.compile(
        optimizers.SGD(optimizers.schedules.PiecewiseConstantDecay([10, 20], [0.1, 0.05, 0.01]), momentum=0.9, nesterov=True),
        loss={"size": losses.Huber(delta=0.5), "sign": "binary_crossentropy"},
        loss_weights={"size": 1.0, "sign": 0.3},
        metrics={"size": ["mae", metrics.RootMeanSquaredError()], "sign": [metrics.BinaryAccuracy(threshold=0.4)]},
        weighted_metrics={"size": [], "sign": ["mse"]},
    )
    return model


@case
def compiled_by_lists():
    x = keras.Input((4,))
    model = keras.Model(x, [L.Dense(1)(x), L.Dense(2)(x)])
    decay = optimizers.schedules.InverseTimeDecay(0.1, decay_steps=5, decay_rate=0.5, staircase=True)
    model.compile(
        optimizers.RMSprop(decay, rho=0.8, centered=True, global_clipnorm=2.0),
        loss=["mse", losses.LogCosh()],
        loss_weights=[0.5, 2.0],
        metrics=[["mae"], [metrics.MeanSquaredError(name="square"), metrics.CosineSimilarity(axis=-1)]],
    )
    return model


@case
def trained_briefly():
    model = chain((4,), L.Dense(5, activation="relu"), L.BatchNormalization(), L.Dense(1))
    model.compile(optimizers.Nadam(0.01, use_ema=True, ema_momentum=0.9, ema_overwrite_frequency=None), "mse", metrics=["mae"])
    x = rng.normal(size=(16, 4)).astype("float32")
    model.fit(x, x[:, :1], epochs=2, batch_size=8, verbose=0)
    return model


rng = np.random.default_rng(20)


def randomize(model):
    for weight in model.weights:
        if "float" not in weight.dtype or weight.path.endswith(("/mean", "/variance")):
            continue
        low, high = (0.5, 1.5) if "variance" in weight.path or "gamma" in weight.path else (-0.5, 0.5)
        weight.assign(rng.uniform(low, high, weight.shape).astype("float32"))


def sample(tensor):
    shape = [4 if i == 0 and size is None else 7 if size is None else size for i, size in enumerate(tensor.shape)]
    dtype = keras.backend.standardize_dtype(tensor.dtype)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if "int" in dtype:
        return rng.integers(0, 6, shape).astype(dtype)
    return rng.uniform(-1, 1, shape).astype(dtype)


def packed(array):
    array = keras.ops.convert_to_numpy(array)
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"shape": list(array.shape), "dtype": str(array.dtype), "data": data}


def unpacked(value):
    return np.frombuffer(base64.b64decode(value["data"]), value["dtype"]).reshape(value["shape"])


def predict(model, inputs):
    structure = getattr(model, "_inputs_struct", None)
    given = inputs[0] if structure is None else keras.tree.pack_sequence_as(structure, inputs)
    return [keras.ops.convert_to_numpy(y) for y in keras.tree.flatten(model(given, training=False))]


def reset(model):
    for layer in model._flatten_layers():
        if getattr(layer, "stateful", False):
            layer.reset_state()


def make(folder, name):
    keras.backend.clear_session()
    model = makers[name]()
    randomize(model)
    reset(model)
    model.save(folder / f"{name}.keras")
    inputs = [sample(tensor) for tensor in model.inputs]
    found = {
        "config": plain(json.loads(zipfile.ZipFile(folder / f"{name}.keras").read("config.json"))),
        "summary": summary_of(model, expand_nested=True, show_trainable=True),
        "weights": [{"path": w.path, **packed(w)} for w in model.weights],
        "inputs": [packed(x) for x in inputs],
        "outputs": [packed(y) for y in predict(model, inputs)],
    }
    (folder / f"{name}.json").write_text(json.dumps(found))


def plain(node):
    """A configuration without what depends on the run or the backend: ids of shared objects are addresses, and with torch an
    optimizer is named after the backend's module."""
    if isinstance(node, list):
        return [plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    found = {key: plain(value) for key, value in node.items() if key != "shared_object_id"}
    if str(found.get("module")).startswith("keras.src.backend.torch.optimizers"):
        return {**found, "module": "keras.optimizers", "registered_name": None}
    return found


def bits(variables):
    return [(v.path, keras.ops.convert_to_numpy(v).tobytes()) for v in variables]


def check(folder, name):
    keras.backend.clear_session()
    before = keras.models.load_model(folder / f"{name}.keras")
    keras.backend.clear_session()
    after = keras.models.load_model(folder / f"{name}.saved.keras")
    case = json.loads((folder / f"{name}.json").read_text())
    inputs, outputs = ([unpacked(value) for value in case[key]] for key in ("inputs", "outputs"))
    serialized = [keras.saving.serialize_keras_object(model) for model in (before, after)]
    found = {
        "config": serialized[0] == serialized[1],
        "weights": bits(before.weights) == bits(after.weights),
        "outputs": all(np.array_equal(a, b) for a, b in zip(predict(after, inputs), outputs)),
        "summary": summary_of(before) == summary_of(after),
    }
    if before.compiled and before.optimizer is not None:
        found["optimizer"] = bits(before.optimizer.variables) == bits(after.optimizer.variables)
    return {key: True for key, same in found.items() if not same}


def main():
    what, folder, *names = sys.argv[1:]
    folder = pathlib.Path(folder)
    results = {}
    for name in names or makers:
        try:
            results[name] = make(folder, name) if what == "make" else check(folder, name)
        except Exception:
            results[name] = {"error": traceback.format_exc(limit=-3)}
    (folder / f"{what}.json").write_text(json.dumps(results))


main()
