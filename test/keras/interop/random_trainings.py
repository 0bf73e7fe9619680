"""Keras's side of `npm run test:keras` for random trainings: what `fit` is given, and everything that comes of it.

    python random_trainings.py FOLDER FIRST_SEED COUNT   SEED.keras and cases.jsonl: options, data, histories, hooks, files, new weights

On TensorFlow, with one exception run eagerly: several steps in one execution.
"""

import csv
import json
import os
import pathlib
import random
import sys
import tempfile
import traceback

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras  # noqa: E402
import numpy as np  # noqa: E402
from keras import callbacks as C, layers as L, losses, metrics as M, optimizers as O  # noqa: E402
from wide_models import POLICIES, numpy, widened  # noqa: E402


class Training:
    def __init__(self, seed):
        self.pick = random.Random(seed)
        self.numbers = np.random.default_rng(seed)

    def one(self, *options):
        return self.pick.choice(options)

    def chance(self, share):
        return self.pick.random() < share

    def floats(self, *shape):
        return self.numbers.normal(size=shape).round(3).astype("float32")

    def head(self, kind, h, name):
        """A layer of outputs, with its loss, metrics and targets."""
        n = self.samples
        if kind == "numbers":
            loss = self.one("mse", "mae", losses.Huber(), "log_cosh", losses.MeanSquaredError(reduction="sum"))
            metrics = self.one([], ["mae"], [M.RootMeanSquaredError()], ["mse", M.MeanAbsoluteError(name="far")], [M.R2Score()])
            return L.Dense(1, name=name)(h), loss, metrics, self.floats(n, 1)
        if kind == "binary":
            loss = self.one("binary_crossentropy", losses.BinaryFocalCrossentropy(), losses.BinaryCrossentropy(label_smoothing=0.1), "hinge")
            metrics = self.one([], ["accuracy"], [M.Precision(), M.Recall()], [M.AUC(num_thresholds=20)], ["binary_accuracy"])
            return L.Dense(1, activation="sigmoid", name=name)(h), loss, metrics, self.numbers.integers(0, 2, (n, 1)).astype("float32")
        if kind == "classes":
            loss = self.one("sparse_categorical_crossentropy", losses.SparseCategoricalCrossentropy())
            metrics = self.one([], ["accuracy"], ["sparse_categorical_accuracy", M.SparseTopKCategoricalAccuracy(k=2, name="two")])
            return L.Dense(3, activation="softmax", name=name)(h), loss, metrics, self.numbers.integers(0, 3, (n,)).astype("int32")
        loss = self.one("categorical_crossentropy", losses.CategoricalCrossentropy(label_smoothing=0.2), "kld")
        metrics = self.one([], ["accuracy"], ["categorical_accuracy"], [M.F1Score(average="macro")])
        return L.Dense(3, activation="softmax", name=name)(h), loss, metrics, np.eye(3, dtype="float32")[self.numbers.integers(0, 3, n)]

    def model(self):
        self.validates = self.chance(0.5)
        self.data = self.one("arrays", "arrays", "arrays", "tuples", "records", "dataset")
        # Batches of one size: whether the losses of outputs are means over samples or over batches depends on how Keras runs.
        self.samples, self.batch = self.one((16, 4), (32, 8))
        self.policy = self.one(*["float32"] * 5, *POLICIES)
        keras.config.set_dtype_policy(self.policy)
        inputs = [keras.Input((4,), name="one", dtype="float32")]
        self.x = [self.floats(self.samples, 4)]
        if self.chance(0.25):
            inputs.append(keras.Input((3,), name="two", dtype="float32"))
            self.x.append(self.floats(self.samples, 3))
        h = L.Concatenate()(inputs) if len(inputs) > 1 else inputs[0]
        h = L.Dense(5, activation=self.one("tanh", "gelu", "elu", "sigmoid"), name="hidden", kernel_regularizer=self.one(None, None, "l2"))(h)
        if self.chance(0.4):
            h = L.BatchNormalization(momentum=0.8)(h)
        kinds = ["numbers", "binary", "classes", "vectors"]
        count = self.one(1, 1, 1, 2)
        names = ["a", "b"]
        heads = [self.head(self.one(*kinds), h, name) for name in names[:count]]
        outputs, self.losses, self.metrics, self.y = (list(part) for part in zip(*heads))
        self.form = self.one("list", "dict") if count > 1 else "single"
        given = {name: x for name, x in zip(("one", "two"), inputs)} if len(inputs) > 1 and self.chance(0.5) else inputs
        self.names_inputs = isinstance(given, dict)
        named = dict(zip(names, outputs)) if self.form == "dict" else outputs if count > 1 else outputs[0]
        return keras.Model(given if self.names_inputs or len(inputs) > 1 else inputs[0], named)

    def in_form(self, parts):
        return dict(zip("ab", parts)) if self.form == "dict" else parts if self.form == "list" else parts[0]

    def rate(self):
        s = O.schedules
        self.is_scheduled = self.chance(0.3)
        if not self.is_scheduled:
            return 0.02
        return self.one(
            s.ExponentialDecay(0.05, 3, 0.8, staircase=self.chance(0.5)),
            s.CosineDecay(0.03, 12, alpha=0.1, warmup_target=0.05, warmup_steps=3),
            s.CosineDecay(0.03, 10),
            s.PiecewiseConstantDecay([3, 7], [0.05, 0.02, 0.01]),
            s.PolynomialDecay(0.05, 9, 0.01, power=2.0, cycle=self.chance(0.5)),
            s.InverseTimeDecay(0.05, 4, 0.5, staircase=self.chance(0.5)),
            s.CosineDecayRestarts(0.04, 4, t_mul=1.5, m_mul=0.9),
        )

    def optimizer(self):
        rate = self.rate()
        options = dict(self.one({}, {}, {}, {"clipnorm": 0.5}, {"global_clipnorm": 0.7}, {"clipvalue": 0.05}, {"weight_decay": 0.02}))
        if self.chance(0.2):
            options.update(use_ema=True, ema_momentum=0.9, ema_overwrite_frequency=self.one(None, 3))
        if self.chance(0.2):
            options["gradient_accumulation_steps"] = self.one(2, 3)
        self.has_ema = "use_ema" in options
        if self.policy != "float32":
            return O.SGD(rate, momentum=self.one(0.0, 0.8), **options)
        make = self.one(
            lambda: O.SGD(rate, momentum=self.one(0.0, 0.9), nesterov=self.chance(0.5), **options),
            lambda: O.Adam(rate, amsgrad=self.chance(0.3), epsilon=1e-3, **options),
            lambda: O.AdamW(rate, **{"weight_decay": 0.01, **options}),
            lambda: O.RMSprop(rate, momentum=self.one(0.0, 0.5), centered=self.chance(0.4), epsilon=1e-3, **options),
            lambda: O.Nadam(rate, epsilon=1e-3, **options),
            lambda: O.Adamax(rate, **options),
            lambda: O.Adagrad(rate, **options),
            lambda: O.Adadelta(rate * 10 if not self.is_scheduled else rate, **options),
            lambda: O.Ftrl(rate, **options),
            lambda: O.Lion(0.003 if not self.is_scheduled else rate, **options),
            lambda: O.Lamb(rate, **options),
            lambda: O.Adafactor(rate, **options),
            lambda: O.LossScaleOptimizer(O.SGD(rate, momentum=0.5, **options), initial_scale=64.0, dynamic_growth_steps=4),
            lambda: O.Muon(rate, **{k: v for k, v in options.items()}),
        )
        return make()

    def callbacks(self, folder):
        """Callbacks of Keras, with how they are described for the other side."""
        value = self.one(*(["val_loss", "loss"] if self.validates else ["loss"]))
        made = []

        def add(name, options, extra=None):
            made.append((name, {**options, **(extra or {})}))

        if self.chance(0.3):
            add("EarlyStopping", {"monitor": value, "patience": self.one(0, 1, 2), "restore_best_weights": self.chance(0.6), "min_delta": self.one(0, 0.05, 0.3), "start_from_epoch": self.one(0, 0, 1), "mode": self.one("auto", "min")})
        if self.chance(0.3) and not self.is_scheduled:
            add("ReduceLROnPlateau", {"monitor": value, "factor": 0.5, "patience": self.one(1, 2), "min_delta": self.one(0.0001, 0.2), "cooldown": self.one(0, 1), "min_lr": self.one(0.0, 0.012)})
        elif self.chance(0.3) and not self.is_scheduled:
            add("LearningRateScheduler", {})
        if self.chance(0.3):
            weights = self.chance(0.5)
            end = "weights.h5" if weights else "keras"
            add("ModelCheckpoint", {"filepath": self.one("c/{epoch:02d}.", "c/best.", "c/{epoch}-{loss:.1f}.") + end, "monitor": "loss", "save_best_only": self.chance(0.5), "save_weights_only": weights, "save_freq": self.one("epoch", "epoch", 3)})
        if self.chance(0.3):
            add("CSVLogger", {"filename": "log.csv", "separator": self.one(",", ";")})
        if self.chance(0.2):
            add("TerminateOnNaN", {})
        if self.has_ema and self.chance(0.5):
            add("SwapEMAWeights", {"swap_on_epoch": self.chance(0.5)})
        return made


class Hooks(C.Callback):
    """The hooks in their order, with their numbers and the names of logs; may stop the run."""

    def __init__(self, stop):
        super().__init__()
        self.stop, self.found = stop, []

    def note(self, name, number=None, logs=None):
        self.found.append([name, number, sorted(logs or {})])

    def on_train_begin(self, logs=None):
        self.note("trainBegin")

    def on_train_end(self, logs=None):
        self.note("trainEnd", None, logs)

    def on_epoch_begin(self, epoch, logs=None):
        self.note("epochBegin", epoch)

    def on_epoch_end(self, epoch, logs=None):
        self.note("epochEnd", epoch, {k: v for k, v in logs.items() if k != "learning_rate"})

    def on_train_batch_begin(self, batch, logs=None):
        self.note("trainBatchBegin", batch)

    def on_train_batch_end(self, batch, logs=None):
        self.note("trainBatchEnd", batch, logs)
        if self.stop is not None and len(self.found) > self.stop:
            self.model.stop_training = True

    def on_test_begin(self, logs=None):
        self.note("testBegin")

    def on_test_end(self, logs=None):
        self.note("testEnd", None, logs)

    def on_test_batch_end(self, batch, logs=None):
        self.note("testBatchEnd", batch, logs)


def listed(values):
    return [float(v) if np.ndim(v) == 0 else np.asarray(v, "float64").ravel().tolist() for v in values]


def clean(value):
    """JSON has no NaN."""
    if isinstance(value, float):
        return value if np.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {key: clean(item) for key, item in value.items()}
    return [clean(item) for item in value] if isinstance(value, (list, tuple)) else value


def array(values):
    return {"shape": list(values.shape), "dtype": "int32" if values.dtype.kind in "iu" else "float32", "data": [float(f"{x:.8g}") for x in np.ravel(values.astype("float64"))]}


def case(folder, seed):
    keras.utils.set_random_seed(seed)
    keras.utils.clear_session()
    t = Training(seed)
    try:
        file = t.model()
        for weight in file.weights:
            if weight.path.split("/")[-1] in ("kernel", "bias"):
                weight.assign(t.numbers.uniform(-0.7, 0.7, weight.shape).round(3))
        model = widened(file)
        optimizer = t.optimizer()
        options = {
            "loss": t.in_form(t.losses),
            "metrics": t.in_form(t.metrics),
            # Gradients are float32 here, and never too large for float16.
            "auto_scale_loss": False,
            "loss_weights": t.in_form([0.5, 2.0]) if t.form != "single" and t.chance(0.5) else None,
            "weighted_metrics": ["mae"] if t.form == "single" and "numbers" in str(t.metrics) else None,
            # Keras doesn't end an epoch within an execution.
            "steps_per_execution": t.one(1, 1, 2) if t.data == "arrays" and not t.validates else 1,
        }
        options["run_eagerly"] = options["steps_per_execution"] == 1
        remake = lambda one: O.deserialize(O.serialize(one))  # noqa: E731
        file.compile(optimizer=remake(optimizer), **options)
        model.compile(optimizer=optimizer, **options)
        file.save(os.path.join(folder, f"{seed}.keras"))
    finally:
        keras.config.set_dtype_policy("float32")
    described = t.callbacks(folder)
    watches = any("monitor" in options for _, options in described)
    if t.chance(0.2) and not watches and "int" not in t.y[0].dtype.name and t.policy == "float32" and "LossScale" not in type(optimizer).__name__:
        t.y[0][t.samples // 2] = np.nan
    data = t.data
    if data == "records" and t.names_inputs:
        data = "tuples"
    weights = None
    if t.form == "single" and t.chance(0.3):
        weights = t.numbers.uniform(0, 2, t.samples).round(3).astype("float32")
    fit = {"epochs": t.one(1, 2, 3, 4), "initial_epoch": 0}
    if t.chance(0.2):
        fit["initial_epoch"] = t.one(0, 1)
        fit["epochs"] = max(fit["epochs"], fit["initial_epoch"] + 1)
    class_weight = None
    if data == "arrays":
        fit["batch_size"] = t.batch
        if weights is None and t.form == "single" and t.y[0].ndim < 3 and not np.isnan(t.y[0]).any() and t.chance(0.25) and "numbers" not in str(t.metrics):
            class_weight = {0: 0.5, 1: 2.0}
        if t.validates:
            fit["validation_split"] = 0.25
            fit["validation_batch_size"] = t.one(t.batch, 2)
    elif t.validates:
        fit["validation_data"] = "given"
    if t.validates and t.chance(0.3):
        fit["validation_freq"] = t.one(1, 2, [1, 3])
    if t.validates and t.chance(0.2):
        fit["validation_steps"] = 1
    if data == "dataset":
        fit["steps_per_epoch"] = t.one(None, 2)
    x = dict(zip(("one", "two"), t.x)) if t.names_inputs else t.x if len(t.x) > 1 else t.x[0]
    y = t.in_form(t.y)
    rows = lambda nest, at: keras.tree.map_structure(lambda v: v[at : at + t.batch], nest)  # noqa: E731
    starts = range(0, t.samples, t.batch)
    as_tuple = lambda nest: tuple(nest) if isinstance(nest, list) else nest  # noqa: E731
    batches = [(as_tuple(rows(x, at)), as_tuple(rows(y, at)), *([] if weights is None else [weights[at : at + t.batch]])) for at in starts]

    class Dataset(keras.utils.PyDataset):
        def __len__(self):
            return len(batches)

        def __getitem__(self, i):
            return batches[i]

    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        os.makedirs("c", exist_ok=True)
        hooks = Hooks(t.one(None, None, None, None, 9))

        def make(name, options):
            if name == "LearningRateScheduler":
                return C.LearningRateScheduler(lambda epoch, rate: rate * 0.7 if epoch % 2 == 0 else rate)
            return getattr(C, name)(**options)

        made = [*[make(*one) for one in described], hooks]
        arguments = {**fit, "callbacks": made, "verbose": 0, "shuffle": False, "class_weight": class_weight}
        held = (rows(x, 0), rows(y, 0))
        if "validation_data" in fit:
            arguments["validation_data"] = held
        if data == "arrays":
            history = model.fit(x, y, sample_weight=weights, **arguments)
        elif data == "dataset":
            history = model.fit(Dataset(), **arguments)
        else:
            # A generator ends with its first epoch.
            def endless():
                while True:
                    yield from batches

            arguments["steps_per_epoch"] = len(batches)
            history = model.fit(endless(), **arguments)
        files = sorted(str(p.relative_to(place)) for p in pathlib.Path(place).rglob("*") if p.is_file())
        table = None
        if "log.csv" in files:
            separator = next(o["separator"] for n, o in described if n == "CSVLogger")
            table = list(csv.reader(open("log.csv"), delimiter=separator))
        os.chdir("/")
    evaluated = model.evaluate(x, y, batch_size=t.batch, sample_weight=weights, verbose=0, return_dict=True)
    inner = getattr(model.optimizer, "inner_optimizer", model.optimizer)
    return clean(
        {
            "seed": seed,
            "policy": t.policy,
            "optimizer": type(optimizer).__name__,
            "stepsPerExecution": options["steps_per_execution"],
            "data": data,
            "fit": fit if data == "arrays" or data == "dataset" else {**fit, "steps_per_epoch": len(batches)},
            "batch": t.batch,
            "classWeight": class_weight,
            "callbacks": described,
            "stop": hooks.stop,
            "x": [array(v) for v in t.x],
            "y": [array(v) for v in t.y],
            "sampleWeight": None if weights is None else array(weights),
            "inputNames": ["one", "two"] if t.names_inputs else None,
            "outputNames": ["a", "b"] if t.form == "dict" else None,
            "history": {k: listed(v) for k, v in history.history.items()},
            "epochs": history.epoch,
            "hooks": hooks.found,
            "files": files,
            "table": table,
            "evaluated": dict(zip(evaluated, listed(evaluated.values()))),
            "iterations": int(inner.iterations),
            "rate": float(numpy(inner.learning_rate)),
            "weights": [[float(f"{v:.8g}") for v in np.ravel(numpy(w)).astype("float64")] for w in model.weights],
        }
    )


if __name__ == "__main__":
    folder, first, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    with open(os.path.join(folder, "cases.jsonl"), "a") as file:
        for seed in range(first, first + count):
            try:
                made = case(folder, seed)
            except Exception as error:
                print(seed, type(error).__name__, str(error).splitlines()[0][:200] if str(error) else "", file=sys.stderr)
                if os.environ.get("TRACE"):
                    traceback.print_exc()
                continue
            file.write(json.dumps(made) + "\n")
            file.flush()
