"""Keras's side of `npm run test:keras` for random models: layers, masks, states, models in models, shared layers, and two steps.

    python random_models.py FOLDER FIRST_SEED COUNT      SEED.keras, and cases.jsonl: inputs, targets, outputs, logs and new weights

With TensorFlow. Layers whose training draws random numbers aren't used.
"""

import json
import os
import pathlib
import random
import sys

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import keras  # noqa: E402
import numpy as np  # noqa: E402
from keras import layers as L  # noqa: E402

STEPS, WIDTH, BATCH = 5, 4, 3


class Maker:
    """Builds one model. `pool` has the tensors that later layers may read."""

    def __init__(self, seed):
        self.pick = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.inputs, self.values, self.pool, self.used = [], [], [], []

    def one(self, *options):
        return self.pick.choice(options)

    def chance(self, share):
        return self.pick.random() < share

    def activation(self):
        return self.one("tanh", "relu", "sigmoid", "elu", "gelu", "softplus", "linear", "silu", "selu", "hard_sigmoid")

    def add_input(self, kind):
        if kind == "tokens":
            x = keras.Input((STEPS,), dtype="int32")
            value = self.numbers.integers(0, 6, (BATCH, STEPS))
            value[:, 0] = self.numbers.integers(1, 6, BATCH)
            self.inputs.append(x)
            self.values.append(value.astype("int32"))
            return L.Embedding(6, WIDTH, mask_zero=self.chance(0.7))(x)
        shape = {"sequence": (STEPS, WIDTH), "vector": (WIDTH,), "image": (6, 6, 2)}[kind]
        x = keras.Input(shape)
        value = self.numbers.normal(size=(BATCH, *shape)).astype("float32")
        if kind == "sequence" and self.chance(0.6):
            value[self.numbers.random((BATCH, STEPS)) < 0.3] = 0
            value[:, 0] = 0.5
        self.inputs.append(x)
        self.values.append(value)
        return L.Masking()(x) if kind == "sequence" and self.chance(0.6) else x

    def cell_options(self):
        options = {"activation": self.one("tanh", "relu", "sigmoid", "softsign")}
        if self.chance(0.3):
            options["use_bias"] = False
        return options

    def recurrent(self, sequences):
        kind = self.one("LSTM", "GRU", "SimpleRNN", "RNN")
        units = self.one(2, WIDTH)
        common = {"return_sequences": sequences, "go_backwards": self.chance(0.2), "zero_output_for_mask": sequences and self.chance(0.3)}
        if kind == "RNN":
            cells = [self.one(L.LSTMCell, L.GRUCell, L.SimpleRNNCell)(self.one(2, 3)) for _ in range(self.one(1, 2))]
            return L.RNN(cells if len(cells) > 1 or self.chance(0.5) else cells[0], **common)
        options = self.cell_options()
        if kind != "SimpleRNN":
            options["recurrent_activation"] = self.one("sigmoid", "tanh", "hard_sigmoid", "softmax")
        if kind == "GRU":
            options["reset_after"] = self.chance(0.7)
        if kind == "LSTM":
            options["unit_forget_bias"] = self.chance(0.7) and options.get("use_bias", True)
        return getattr(L, kind)(units, **options, **common)

    def of_sequence(self):
        """A layer from a sequence to a sequence, or to a vector."""
        made = self.one(
            lambda: self.recurrent(True),
            lambda: self.recurrent(self.chance(0.5)),
            lambda: L.Bidirectional(self.recurrent(self.chance(0.6)), merge_mode=self.one("concat", "sum", "mul", "ave")),
            lambda: L.TimeDistributed(self.one(L.Dense(self.one(2, WIDTH)), L.LayerNormalization(), L.BatchNormalization())),
            lambda: L.Dense(self.one(2, WIDTH), activation=self.activation()),
            lambda: L.GlobalAveragePooling1D(keepdims=self.chance(0.2)),
            lambda: L.GlobalMaxPooling1D(),
            lambda: L.Conv1D(self.one(2, WIDTH), self.one(1, 2, 3), padding=self.one("same", "valid", "causal"), activation=self.activation()),
            lambda: L.BatchNormalization(axis=self.one(-1, -1, 1), scale=self.chance(0.7), center=self.chance(0.7)),
            lambda: L.LayerNormalization(axis=self.one(-1, [1, 2]) if self.chance(0.3) else -1),
            lambda: L.Activation(self.activation()),
            lambda: L.Softmax(axis=self.one(-1, 1)),
            lambda: L.Flatten(),
            lambda: L.SeparableConv1D(3, 2, padding="same"),
            lambda: L.MaxPooling1D(2, padding=self.one("same", "valid")),
            lambda: L.UnitNormalization(),
            lambda: L.GroupNormalization(2) if self.chance(0.3) else L.RMSNormalization(),
            lambda: L.EinsumDense("abc,cd->abd", output_shape=(None, 3), bias_axes="d"),
            lambda: L.PReLU(shared_axes=[1]),
        )
        return made()

    def of_image(self):
        made = self.one(
            lambda: L.Conv2D(self.one(2, 3), self.one(1, 2, 3), strides=self.one(1, 2), padding=self.one("same", "valid"), activation=self.activation()),
            lambda: L.Conv2D(2, 3, dilation_rate=2, padding="same"),
            lambda: L.Conv2DTranspose(2, 3, strides=self.one(1, 2), padding=self.one("same", "valid")),
            lambda: L.DepthwiseConv2D(2, padding="same", depth_multiplier=self.one(1, 2)),
            lambda: L.SeparableConv2D(3, 2, padding="same"),
            lambda: L.MaxPooling2D(2, padding=self.one("same", "valid")),
            lambda: L.AveragePooling2D(2, padding=self.one("same", "valid")),
            lambda: L.BatchNormalization(),
            lambda: L.GlobalAveragePooling2D(),
            lambda: L.GlobalMaxPooling2D(),
            lambda: L.Flatten(),
            lambda: L.UpSampling2D(2, interpolation=self.one("nearest", "bilinear")),
            lambda: L.ZeroPadding2D(1),
            lambda: L.LeakyReLU(0.2),
        )
        return made()

    def of_vector(self):
        made = self.one(
            lambda: L.Dense(self.one(2, WIDTH, 5), activation=self.activation(), use_bias=self.chance(0.8)),
            lambda: L.Dense(3, kernel_regularizer=self.one("l1", "l2", "l1_l2"), kernel_constraint=self.one(None, "non_neg", "unit_norm", "max_norm")),
            lambda: L.BatchNormalization(momentum=0.8),
            lambda: L.LayerNormalization(),
            lambda: L.RepeatVector(self.one(2, STEPS)),
            lambda: L.Activation(self.activation()),
            lambda: L.ActivityRegularization(l1=0.01, l2=0.02),
        )
        return made()

    def step(self):
        x = self.one(*self.pool)
        rank = len(x.shape)
        same = [(layer, shape) for layer, shape in self.used if shape == x.shape]
        if same and self.chance(0.2):
            layer = self.one(*same)[0]
            return layer(x)
        if rank == 3 and self.chance(0.3):
            return self.several(x)
        if self.chance(0.15):
            return self.nested(x)
        layer = {2: self.of_vector, 3: self.of_sequence, 4: self.of_image}[rank]()
        y = layer(x)
        self.used.append((layer, x.shape))
        return y

    def several(self, x):
        """A call with several tensors."""
        others = [y for y in self.pool if len(y.shape) == 3 and y.shape[2] == x.shape[2]]
        y = self.one(*others)
        alike = [z for z in others if z.shape == x.shape]
        width = x.shape[2]

        def with_states():
            mean = L.GlobalAveragePooling1D()(x)
            layer = self.one(L.LSTM, L.GRU)(3, return_sequences=self.chance(0.6))
            states = [L.Dense(3)(mean) for _ in range(2 if isinstance(layer, L.LSTM) else 1)]
            return layer(x, initial_state=states)

        def returning_states():
            out, *states = L.LSTM(3, return_sequences=True, return_state=True)(x)
            return L.LSTM(3, return_sequences=True)(y, initial_state=states) if self.chance(0.6) else L.Add()([out[:, -1], states[0]])

        made = self.one(
            with_states,
            returning_states,
            lambda: L.Attention(use_scale=self.chance(0.5))([x, y]),
            lambda: L.AdditiveAttention()([x, y]),
            lambda: L.MultiHeadAttention(2, 2)(x, y, use_causal_mask=self.chance(0.3)),
            lambda: L.GroupQueryAttention(2, 2, 1)(x, y),
            lambda: self.one(L.Add, L.Multiply, L.Average, L.Maximum, L.Subtract)()([x, self.one(*alike)]),
            lambda: L.Concatenate(axis=self.one(1, 2))([x, self.one(*alike)]),
            lambda: keras.ops.concatenate([x, self.one(*alike)], axis=-1),
            lambda: x * 2 + self.one(*alike),
            lambda: x[:, :-1] if x.shape[1] and x.shape[1] > 2 else x,
            lambda: L.Dot(axes=(2, 2))([x, y]),
            lambda: keras.ops.mean(x, axis=1) + keras.ops.max(x, axis=1) * width,
        )
        return made()

    def nested(self, x):
        inside = keras.Input(x.shape[1:])
        make = {2: self.of_vector, 3: self.of_sequence, 4: self.of_image}
        h = inside
        for _ in range(self.one(1, 2, 3)):
            h = make[len(h.shape)]()(h)
            if len(h.shape) not in make:
                break
        if self.chance(0.3):
            h = keras.Sequential([L.Activation("tanh"), L.Dense(3)])(h)
        model = keras.Model(inside, h)
        return model(model(x)) if h.shape == x.shape and self.chance(0.3) else model(x)

    def model(self):
        kinds = [self.one("tokens", "tokens", "sequence", "sequence", "vector", "image") for _ in range(self.one(1, 1, 2))]
        self.pool = [self.add_input(kind) for kind in kinds]
        for _ in range(self.one(2, 3, 4, 5, 6)):
            try:
                y = self.step()
            except (ValueError, TypeError, IndexError, NotImplementedError):
                # Not all layers take all shapes.
                continue
            if len(y.shape) in (2, 3, 4) and None not in y.shape[1:] and 0 not in y.shape[1:]:
                self.pool.append(y)
        last = self.pool[-1]
        outputs = [last]
        unread = [y for y in self.pool[1:-1] if self.chance(0.2)]
        outputs += unread[:1]
        return keras.Model(self.inputs, outputs if len(outputs) > 1 else last)

    def optimizer(self):
        o = keras.optimizers
        name, rate = self.one(
            ("SGD", 0.05), ("Adam", 0.01), ("AdamW", 0.01), ("RMSprop", 0.01), ("Adagrad", 0.05), ("Adadelta", 0.5), ("Adamax", 0.01),
            ("Nadam", 0.01), ("Ftrl", 0.05), ("Lion", 0.002), ("Lamb", 0.01), ("Adafactor", 0.02),
        )
        options = self.one({}, {}, {"clipnorm": 0.5}, {"global_clipnorm": 0.5}, {"clipvalue": 0.05}, {"weight_decay": 0.02})
        return getattr(o, name)(rate, **options)


def has_noise(model, given, expected):
    """
    Whether a gradient, or an element of one, is only what rounding leaves of zero, such as that of a bias before a normalization:
    most optimizers would enlarge it, and Lion takes its sign.
    """
    import tensorflow as tf

    before = model.get_weights()
    with tf.GradientTape() as tape:
        loss = model.compute_loss(x=given, y=expected, y_pred=model(given, training=True))
    found = tape.gradient(loss, [weight.value for weight in model.trainable_weights])
    model.set_weights(before)

    def is_noise(gradient):
        sizes = np.abs(np.asarray(tf.convert_to_tensor(gradient)))
        largest = sizes.max()
        return 0 < largest < 1e-4 or bool(np.any((sizes > 0) & (sizes < 1e-6 * largest)))

    return any(is_noise(one) for one in found if one is not None)


def plain(array):
    return [float(f"{x:.8g}") for x in np.ravel(np.asarray(array, "float64"))]


def case(folder, seed):
    keras.utils.set_random_seed(seed)
    keras.utils.clear_session()
    maker = Maker(seed)
    model = maker.model()
    for weight in model.weights:
        if weight.dtype == "float32" and "seed" not in weight.path:
            low = 0.2 if "variance" in weight.path else -0.7
            weight.assign(np.round(maker.numbers.uniform(low, 0.8, weight.shape), 3))
    given = maker.values if len(maker.values) > 1 else maker.values[0]
    outputs = model(given)
    listed = outputs if isinstance(outputs, list) else [outputs]
    if not all(np.isfinite(y).all() and np.abs(y).max() < 1e4 for y in listed) or not model.trainable_weights:
        return None
    losses = [maker.one("mse", "mae", "huber", "log_cosh") for _ in listed]
    targets = [maker.numbers.normal(size=y.shape).astype("float32") for y in listed]
    options = {
        "loss": losses if len(losses) > 1 else losses[0],
        "metrics": None if len(losses) > 1 else maker.one(None, ["mae"], ["mse", "cosine_similarity"]),
        "run_eagerly": True,
    }
    expected = targets if len(targets) > 1 else targets[0]
    model.compile(optimizer=maker.optimizer(), **options)
    if has_noise(model, given, expected):
        model.compile(optimizer=keras.optimizers.SGD(0.05), **options)
    weights = maker.one(None, None, maker.numbers.uniform(0, 2, BATCH).astype("float32"))
    weights = None if len(losses) > 1 else weights
    path = os.path.join(folder, f"{seed}.keras")
    model.save(path)
    logs = [model.train_on_batch(given, expected, sample_weight=weights, return_dict=True) for _ in range(2)]
    trained = [plain(weight) for weight in model.get_weights()]
    if not all(np.isfinite(one).all() for one in trained):
        return None
    return {
        "seed": seed,
        "layers": [type(layer).__name__ for layer in model._flatten_layers(include_self=False)],
        "optimizer": {k: v for k, v in model.optimizer.get_config().items() if v not in (None, False)},
        "inputs": [{"shape": list(x.shape), "dtype": x.dtype.name, "data": plain(x)} for x in maker.values],
        "targets": [{"shape": list(y.shape), "data": plain(y)} for y in targets],
        "sampleWeight": None if weights is None else plain(weights),
        "outputs": [{"shape": list(y.shape), "data": plain(y)} for y in listed],
        "logs": [{k: float(v) for k, v in one.items()} for one in logs],
        "weights": trained,
    }


if __name__ == "__main__":
    folder, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    with open(os.path.join(folder, "cases.jsonl"), "a") as file:
        for seed in range(first, first + count):
            try:
                made = case(folder, seed)
            except Exception as error:
                print(seed, type(error).__name__, str(error).splitlines()[0][:150], file=sys.stderr)
                continue
            if made:
                file.write(json.dumps(made) + "\n")
                file.flush()
