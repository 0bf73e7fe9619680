"""Models with layers and options that are rarely used, for varied_models.py."""

import keras
import numpy as np
from keras import constraints, initializers, layers as L, losses, metrics, ops, optimizers, regularizers

makers = {}
rng = np.random.default_rng(4)


def case(function):
    makers[function.__name__] = function
    return function


def vector(size=4, **options):
    return keras.Input((size,), **options)


def chain(x, *made):
    h = x
    for layer in made:
        h = layer(h)
    return keras.Model(x, h)


def on_images(*made, size=(8, 8, 3)):
    """Layers on the same pictures."""
    x = keras.Input(size)
    return keras.Model(x, [layer(x) for layer in made])


# Pictures and sounds


@case
def sizes_of_pictures():
    return on_images(
        L.Resizing(5, 6),
        L.Resizing(5, 6, interpolation="nearest", crop_to_aspect_ratio=True),
        L.Resizing(12, 10, pad_to_aspect_ratio=True, fill_mode="constant", fill_value=0.5, antialias=False),
        L.Resizing(11, 4, interpolation="nearest"),
        L.CenterCrop(5, 3),
        L.CenterCrop(6, 6, data_format="channels_last"),
        L.Rescaling(2.0, offset=[0.1, 0.2, 0.3]),
    )


@case
def random_geometry():
    return on_images(
        L.RandomFlip("horizontal", seed=3),
        L.RandomFlip(),
        L.RandomRotation(0.2, fill_mode="constant", fill_value=0.3, seed=1),
        L.RandomRotation((-0.1, 0.3), interpolation="nearest"),
        L.RandomZoom(0.2, (-0.1, 0.3), fill_mode="wrap"),
        L.RandomTranslation((0.1, 0.2), 0.3, fill_mode="nearest", seed=7),
        L.RandomShear(x_factor=(0.1, 0.2), y_factor=(0.1, 0.3)),
        L.RandomPerspective(0.5, 0.4, fill_value=0.1),
        L.RandomElasticTransform(0.6, scale=0.8, seed=5),
    )


@case
def random_colors():
    return on_images(
        L.RandomBrightness(0.2, value_range=(0, 1), seed=1),
        L.RandomContrast((0.1, 0.3), value_range=(0, 1)),
        L.RandomHue(0.2, value_range=(0.0, 1.0)),
        L.RandomSaturation((0.2, 0.4)),
        L.RandomSharpness(0.3, value_range=[0, 1]),
        L.RandomColorJitter(brightness_factor=0.2, contrast_factor=0.1, saturation_factor=0.3, hue_factor=0.1),
        L.RandomColorDegeneration(0.4),
        L.RandomGrayscale(0.3, seed=2),
        L.RandomInvert(0.4),
        L.RandomPosterization(4),
        L.RandomGaussianBlur(0.5, kernel_size=5, sigma=(0.2, 1.0)),
        L.RandomErasing(0.5, scale=(0.1, 0.2)),
    )


@case
def mixtures_of_pictures():
    return on_images(
        L.AutoContrast(value_range=(0, 1)),
        L.Solarization(addition_factor=0.2, threshold_factor=0.4, value_range=(0, 1), seed=4),
        L.AugMix(value_range=(0, 1), num_chains=2, chain_depth=2, seed=1),
        L.RandAugment(value_range=(0, 1), num_ops=1, factor=0.3),
        L.MixUp(alpha=0.3, seed=2),
        L.CutMix(0.8),
    )


@case
def pictures_in_front_of_a_network():
    stack = keras.Sequential([keras.Input((None, None, 3)), L.Resizing(8, 8), L.RandomFlip(), L.Rescaling(1 / 255)], name="front")
    x = keras.Input((20, 16, 3), dtype="uint8")
    return keras.Model(x, L.Dense(2)(L.GlobalAveragePooling2D()(L.Conv2D(3, 3)(stack(x)))))


@case
def bytes_as_inputs():
    x = keras.Input((6, 6, 3), dtype="uint8", name="picture")
    small = keras.Input((4,), dtype="int16")
    a = L.Conv2D(2, 3)(L.Rescaling(1 / 127.5, -1.0)(x))
    b = L.Dense(3)(small)
    return keras.Model([x, small], [L.Flatten()(a), b, ops.cast(x, "float32") * 2.0])


@case
def spectrograms():
    x = keras.Input((256,))
    return keras.Model(
        x,
        [
            L.MelSpectrogram(fft_length=64, sequence_stride=32, num_mel_bins=8, sampling_rate=2000, max_freq=900)(x),
            L.STFTSpectrogram(mode="magnitude", frame_length=64, frame_step=32, fft_length=64)(ops.expand_dims(x, -1)),
            L.STFTSpectrogram(mode="log", frame_length=32, frame_step=16, padding="same", window="hamming", trainable=True)(ops.expand_dims(x, -1)),
        ],
    )


# Numbers and names


@case
def dtypes_of_layers():
    x = vector(6)
    h = L.Dense(4, dtype="mixed_float16")(x)
    h = L.LayerNormalization(dtype="float32")(h)
    h = L.Dense(4, dtype=keras.DTypePolicy("mixed_float16"))(h)
    return keras.Model(x, L.Activation("softmax", dtype="float32")(h))


@case
def half_precision():
    keras.config.set_dtype_policy("mixed_float16")
    try:
        x = keras.Input((8, 8, 3))
        h = L.BatchNormalization()(L.Conv2D(4, 3, activation="relu")(x))
        h = L.GlobalAveragePooling2D()(L.MaxPooling2D()(h))
        return keras.Model(x, L.Dense(3, activation="softmax", dtype="float32")(L.Dropout(0.2)(h)), name="half")
    finally:
        keras.config.set_dtype_policy("float32")


@case
def same_layer_names_in_parts():
    one = keras.Sequential([vector(), L.Dense(3, name="dense")], name="part")
    x = vector(name="part_1")
    h = one(x)
    return keras.Model(x, [h, L.Dense(2, name="dense")(h)], name="part_2")


@case
def names_with_slashes():
    x = vector(name="the input")
    h = L.Dense(3, name="block1 conv-2 (a)")(x)
    h = L.BatchNormalization(name="Block1_BN")(h)
    return keras.Model({"the input": x}, {"out put": h, "Z": L.Dense(1, name="ünï")(h)}, name="Größe 1")


@case
def numbers_of_all_sizes():
    x = vector()
    h = L.Dense(4, kernel_regularizer=regularizers.L2(1e-12), bias_initializer=initializers.Constant(1e22))(x)
    h = L.LayerNormalization(epsilon=1e-07)(h)
    h = L.LeakyReLU(negative_slope=1)(h)
    h = L.Rescaling(1e-5, offset=1e16)(h)
    return keras.Model(x, L.Rescaling(1.5e-310 * 0 + 3e-8)(h))


# Graphs


@case
def nested_outputs():
    x, y = vector(name="b_in"), vector(name="a_in")
    h = L.Dense(3, name="late")(x)
    g = L.Dense(2, name="early")(y)
    return keras.Model({"z": x, "deep": {"q": y}}, {"z": (h, g), "m": [g, {"k": L.Dense(1)(h)}], "a": L.Add()([h, h])})


@case
def tuples_of_inputs():
    a, b, c = (vector(3, name=name) for name in ("c1", "b1", "a1"))
    return keras.Model((a, (b, c)), (L.Dense(2)(a), (L.Add()([b, c]),)))


@case
def nested_model_with_names():
    a, b = vector(3, name="left"), vector(3, name="right")
    inner = keras.Model({"right": b, "left": a}, {"sum": L.Add()([a, b]), "first": L.Dense(2)(a)}, name="inner")
    x = vector(3)
    made = inner({"left": x, "right": L.Dense(3)(x)})
    return keras.Model(x, [made["sum"], made["first"]])


@case
def nested_model_with_nested_outputs():
    a = vector(3, name="a")
    inner = keras.Model(a, {"z": L.Dense(2)(a), "m": [L.Dense(3)(a), L.Dense(4)(a)]}, name="inner")
    x = vector(3)
    made = inner(x)
    return keras.Model(x, [L.Dense(1)(made["m"][1]), made["z"], made["m"][0]])


@case
def parts_by_keyword():
    q, v, k = keras.Input((4, 6), name="q"), keras.Input((5, 6), name="v"), keras.Input((5, 6), name="k")
    a = L.MultiHeadAttention(2, 3)(query=q, value=v, key=k)
    b = L.MultiHeadAttention(2, 3)(q, value=v)
    c = L.MultiHeadAttention(2, 3)(value=v, query=q)
    d = L.MultiHeadAttention(2, 3)(key=k, value=v, query=q)
    e = L.GroupQueryAttention(2, 4, 1)(query=q, key=k, value=v)
    f = L.LSTM(2)(sequences=L.Add()([v, k]))
    return keras.Model([q, v, k], [a, b, c, d, e, L.Dense(2)(inputs=f)])


@case
def attention_mask_as_input():
    q, v = keras.Input((4, 6)), keras.Input((5, 6))
    seen, steps = keras.Input((4, 5)), keras.Input((4,))
    a = L.MultiHeadAttention(2, 3)(q, v, attention_mask=ops.less(seen, 0.7))
    queries = ops.less(steps, 0.8)
    b = L.MultiHeadAttention(2, 3)(q, v, query_mask=queries, use_causal_mask=True)
    # What a masked query gives is another number on each of Keras's back ends.
    b = b * ops.expand_dims(ops.cast(queries, "float32"), -1)
    mask = ops.less(steps, 0.6)
    h = L.Dense(3)(q)
    return keras.Model([q, v, seen, steps], [a, b, L.GlobalAveragePooling1D()(h, mask=mask), L.Softmax()(h, mask=ops.less(h, 0.5))])


@case
def states_by_keyword():
    x, s, c = keras.Input((4, 3)), vector(2), vector(2)
    h = L.LSTM(2, return_sequences=True)(x, initial_state=[s, c])
    h = L.GRU(2, return_sequences=True)(h, initial_state=s, training=False)
    both = L.Bidirectional(L.GRU(2))(h, initial_state=[s, c])
    return keras.Model([x, s, c], [both, L.RNN(L.LSTMCell(2))(h, initial_state=[s, c])])


@case
def calls_with_training():
    x = vector()
    h = L.Dropout(0.5)(x, training=False)
    h = L.BatchNormalization()(h, training=False)
    h = L.GaussianNoise(1.0)(h, training=False)
    inner = keras.Sequential([vector(), L.Dropout(0.5), L.Dense(4)], name="inner")
    return keras.Model(x, inner(h, training=False))


@case
def wrappers_around_everything():
    x = keras.Input((3, 6, 6, 2), name="movie")
    h = L.TimeDistributed(L.Conv2D(2, 3, padding="same"), name="conv")(x)
    h = L.TimeDistributed(L.BatchNormalization())(h)
    h = L.TimeDistributed(L.MaxPooling2D())(h)
    h = L.TimeDistributed(L.SpectralNormalization(L.Conv2D(2, 2)))(h)
    g = L.TimeDistributed(L.Flatten())(h)
    g = L.TimeDistributed(keras.Sequential([L.Dense(4), L.ReLU()], name="late"))(g)
    return keras.Model(x, L.Bidirectional(L.LSTM(2, recurrent_dropout=0.1, seed=3), merge_mode="sum", name="two")(g))


@case
def convolutional_recurrence():
    a, b, c = keras.Input((3, 8, 2)), keras.Input((3, 6, 6, 2)), keras.Input((2, 4, 4, 4, 1))
    return keras.Model(
        [a, b, c],
        [
            L.ConvLSTM1D(2, 3, padding="same", return_sequences=True, dropout=0.1, seed=1)(a),
            L.Bidirectional(L.ConvLSTM2D(2, 3, kernel_regularizer="l2"))(b),
            *L.ConvLSTM3D(2, 2, return_state=True, unit_forget_bias=False)(c),
        ],
    )


@case
def tied_embeddings():
    x = keras.Input((5,), dtype="int32")
    embed = L.ReversibleEmbedding(9, 4, tie_weights=True, mask_zero=True)
    apart = L.ReversibleEmbedding(9, 4, tie_weights=False, logit_soft_cap=3.0)
    h = L.LayerNormalization()(embed(x))
    return keras.Model(x, [embed(h, reverse=True), apart(apart(x), reverse=True)])


@case
def frozen_parts():
    inner = keras.Sequential([vector(), L.Dense(4, trainable=False), L.BatchNormalization(trainable=False)], name="inner")
    x = vector()
    h = L.TimeDistributed(L.Dense(3), trainable=False)(ops.expand_dims(inner(x), 1))
    return keras.Model(x, L.Bidirectional(L.LSTM(2, trainable=False))(h), trainable=False)


@case
def empty_shapes():
    x = keras.Input(())
    y = keras.Input((1, 1, 1))
    return keras.Model([x, y], [L.Rescaling(2.0)(x), L.Flatten()(y), L.Flatten()(x), L.Reshape(())(y)])


@case
def open_batches():
    x = keras.Input(batch_shape=(3, None, 4), name="rows")
    h = L.Conv1D(3, 2, padding="causal")(x)
    h = L.Reshape((-1, 1))(h)
    return keras.Model(x, [L.GlobalMaxPooling1D()(h), L.GRU(2)(x)])


@case
def indexing():
    x = keras.Input((5, 6))
    return keras.Model(x, [x[:, 0], x[:, -2:, ::2], x[..., 1], x[:, None, 3], x[:, 1:4:2, 2:3]])


@case
def arithmetic_of_all_kinds():
    x, y = vector(), vector()
    results = [x % 2.0, x // 0.3, 2.0**x, x @ ops.ones((4, 2)), abs(x), -x, x <= y, x != y, ops.logical_not(x > y)]
    return keras.Model([x, y], [*results, ops.cast(x > 0, "int32") + 1, ops.sign(x), ops.floor(x), ops.rsqrt(ops.abs(y) + 1.0)])


@case
def ops_with_options():
    x = keras.Input((4, 6))
    h = [ops.softmax(x, axis=1), ops.var(x, axis=-1, keepdims=True), ops.argmax(x, axis=1), ops.cumsum(x, axis=1), ops.sort(x, axis=-1)]
    h += [ops.one_hot(ops.argmax(x, axis=-1), 6), *ops.split(x, 2, axis=-1), *ops.top_k(x, 2), ops.einsum("bij,bkj->bik", x, x)]
    h += [ops.pad(x, ((0, 0), (1, 2), (0, 0))), ops.repeat(x, 2, axis=1), ops.norm(x, axis=-1), ops.take(x, [0, 2], axis=1), ops.roll(x, 1, axis=2)]
    return keras.Model(x, h)


@case
def image_ops():
    x = keras.Input((6, 6, 3))
    return keras.Model(
        x,
        [
            ops.image.resize(x, (4, 5)),
            ops.image.rgb_to_grayscale(x),
            ops.average_pool(x, 2, 1, "same"),
            ops.max_pool(x, (2, 3)),
            ops.image.extract_patches(x, 2),
        ],
    )


@case
def padding_in_front():
    return on_images(L.ZeroPadding2D(2), L.ZeroPadding2D((1, 2)), L.Cropping2D(1), L.UpSampling2D((1, 3)))


@case
def old_names_of_layers():
    x = keras.Input((8, 8, 2))
    h = L.Convolution2D(3, 3)(x)
    h = L.MaxPool2D()(h)
    h = L.SeparableConvolution2D(2, 2)(h)
    h = L.Convolution2DTranspose(2, 2)(h)
    return keras.Model(x, [L.GlobalAvgPool2D()(h), L.GlobalMaxPool2D()(h), L.AvgPool2D(2)(x)])


@case
def initializers_as_objects():
    i = initializers
    return chain(
        vector(),
        L.Dense(4, kernel_initializer=i.Orthogonal(gain=0.5), bias_initializer=i.RandomNormal(mean=0.1, stddev=0.2, seed=3)),
        L.Dense(4, kernel_initializer="identity", bias_initializer=i.Zeros()),
        L.Dense(4, kernel_initializer=i.VarianceScaling(scale=0.5, mode="fan_out", distribution="uniform")),
        L.PReLU(alpha_initializer=i.RandomUniform(0.1, 0.2), alpha_constraint=constraints.NonNeg()),
        L.BatchNormalization(gamma_initializer=i.Constant(2), beta_regularizer=regularizers.L1L2(l1=0.1), synchronized=False),
        L.Dense(2, kernel_regularizer=regularizers.OrthogonalRegularizer(factor=0.1), kernel_constraint=constraints.MinMaxNorm()),
    )


def two_heads():
    x = vector()
    h = L.Dense(5, activation="relu")(x)
    return keras.Model(x, {"size": L.Dense(1, name="size")(h), "kind": L.Dense(3, activation="softmax", name="kind")(h)})


@case
def compiled_by_names():
    model = two_heads()
    model.compile(
        optimizers.Adam(1e-3, epsilon=1e-8, weight_decay=1e-4, use_ema=True, ema_momentum=0.95, ema_overwrite_frequency=10, loss_scale_factor=None),
        loss={"size": losses.MeanSquaredError(reduction="sum"), "kind": losses.SparseCategoricalCrossentropy(ignore_class=2)},
        loss_weights={"kind": 0.5, "size": 2},
        metrics={"kind": ["accuracy", metrics.SparseTopKCategoricalAccuracy(k=2, name="best")]},
        weighted_metrics={"size": [metrics.MeanAbsoluteError()]},
        run_eagerly=False,
        steps_per_execution=4,
        jit_compile=False,
    )
    return model


@case
def compiled_without_a_loss():
    model = two_heads()
    model.compile("rmsprop")
    return model


@case
def compiled_without_an_optimizer_state():
    model = keras.Sequential([vector(), L.Dense(3)])
    model.compile(optimizers.Ftrl(0.05, l2_shrinkage_regularization_strength=0.1), losses.Tversky(alpha=0.4, beta=0.6), auto_scale_loss=False)
    return model


@case
def all_losses():
    made = [losses.BinaryFocalCrossentropy(apply_class_balancing=True, gamma=1.5), losses.CategoricalFocalCrossentropy(alpha=0.3), losses.Dice(axis=-1)]
    made += [losses.CosineSimilarity(axis=1, name="angle"), losses.Hinge(), losses.KLDivergence(), losses.Poisson(dtype="float32"), losses.Huber(0.3)]
    made += [losses.CategoricalGeneralizedCrossEntropy(q=0.4), "mape", "msle", "squared_hinge", "categorical_hinge", "logcosh", "bce", "kld"]
    x = vector()
    model = keras.Model(x, [L.Dense(3, name=f"o{i}")(x) for i in range(len(made))])
    model.compile(optimizers.Lion(1e-3, beta_2=0.9), made, loss_weights=[i / 4 for i in range(len(made))])
    return model


@case
def all_metrics():
    m = metrics
    made = [m.Precision(thresholds=[0.3, 0.6], name="p"), m.Recall(top_k=2, class_id=1), m.AUC(curve="PR", multi_label=True, num_labels=3)]
    made += [m.F1Score(average="macro"), m.FBetaScore(beta=0.5, threshold=0.4), m.R2Score(class_aggregation="variance_weighted_average")]
    made += [m.MeanIoU(num_classes=3), m.OneHotIoU(num_classes=3, target_class_ids=[0, 2]), m.BinaryIoU(threshold=0.3), m.TruePositives(0.2)]
    made += [m.SensitivityAtSpecificity(0.4), m.PrecisionAtRecall(0.5, num_thresholds=20), m.RecallAtPrecision(0.8), m.LogCoshError()]
    made += [m.CategoricalCrossentropy(label_smoothing=0.1), m.Poisson(), m.KLDivergence(), m.PearsonCorrelation(), m.ConcordanceCorrelation(axis=-1)]
    made += ["mse", "cosine_similarity", "categorical_hinge", "acc", "AUC", "precision"]
    x = vector()
    model = keras.Model(x, L.Dense(3, activation="softmax")(x))
    model.compile("adamax", "categorical_crossentropy", metrics=made)
    return model


@case
def scaled_loss():
    model = keras.Sequential([vector(), L.Dense(4, dtype="mixed_float16"), L.Dense(1)])
    inner = optimizers.SGD(0.1, momentum=0.5, gradient_accumulation_steps=2)
    model.compile(optimizers.LossScaleOptimizer(inner, initial_scale=1024.0, dynamic_growth_steps=10), "mse")
    return model


@case
def muon():
    model = keras.Sequential([vector(), L.Dense(6, name="hidden"), L.Dense(1, name="last")])
    model.compile(optimizers.Muon(0.02, exclude_layers=["last"], ns_steps=4, adam_beta_1=0.8), "mae")
    x = rng.normal(size=(16, 4)).astype("float32")
    model.fit(x, x[:, :1], epochs=1, batch_size=8, verbose=0)
    return model


@case
def schedule_free():
    model = keras.Sequential([vector(), L.Dense(6), L.Dense(1)])
    model.compile(optimizers.ScheduleFreeAdamW(0.01, warmup_steps=3), "mae")
    x = rng.normal(size=(16, 4)).astype("float32")
    model.fit(x, x[:, :1], epochs=1, batch_size=8, verbose=0)
    return model


@case
def schedules_of_all_kinds():
    s = optimizers.schedules
    x = vector()
    model = keras.Model(x, L.Dense(1)(x))
    model.compile(optimizers.Adagrad(s.CosineDecayRestarts(0.1, 7, t_mul=1.5, m_mul=0.8, alpha=0.01, name="waves"), initial_accumulator_value=0.2), "mse")
    return model


@case
def polynomial_schedule():
    s = optimizers.schedules
    model = keras.Sequential([vector(), L.Dense(1)], name="poly")
    model.compile(optimizers.Adafactor(s.PolynomialDecay(0.1, 100, 0.01, power=2.0, cycle=True), relative_step=False, clip_threshold=0.5), "mse")
    return model


@case
def trained_with_frozen_layers():
    x = vector()
    h = L.Dense(4, name="first")(x)
    h = L.BatchNormalization()(h)
    model = keras.Model(x, L.Dense(1)(h))
    model.get_layer("first").trainable = False
    model.compile(optimizers.Adadelta(0.5, clipvalue=0.2), "mse", metrics=["mae"], weighted_metrics=["mse"])
    data = rng.normal(size=(16, 4)).astype("float32")
    model.fit(data, data[:, :1], epochs=2, batch_size=8, verbose=0)
    return model


@case
def trained_with_a_seed():
    model = keras.Sequential([vector(), L.Dropout(0.3, seed=11), L.GaussianNoise(0.1), L.Dense(1)])
    model.compile(optimizers.Lamb(0.01, global_clipnorm=1.0), losses.Huber(), metrics=[metrics.RootMeanSquaredError()])
    data = rng.normal(size=(16, 4)).astype("float32")
    model.fit(data, data[:, :1], epochs=2, batch_size=8, verbose=0)
    return model
