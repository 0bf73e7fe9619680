"""Keras's side of `npm run test:keras`: opens what Retrograd wrote, trains it on, and writes what it found.

    python keras_side.py FOLDER

FOLDER holds `trips` (a model's file as Keras wrote it, and as Retrograd wrote it again), `made` (models of Retrograd with
inputs and outputs) and `curves` (the start of a training run, and its state after five epochs).
"""

import json
import os
import pathlib
import sys
import traceback

os.environ.setdefault("KERAS_BACKEND", "jax")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np  # noqa: E402
import keras  # noqa: E402
from summaries import summary_of  # noqa: E402

folder = pathlib.Path(sys.argv[1])


def load(path):
    return keras.models.load_model(path)


def arrays(listed):
    return [np.array(a["data"], a["dtype"]).reshape(a["shape"]) for a in listed]


def single(values):
    return values[0] if len(values) == 1 else values


def listed(values):
    return [np.asarray(v) for v in (values if isinstance(values, (list, tuple)) else [values])]


def bits(variables):
    return [np.asarray(v).tobytes() for v in variables]


def trip(name):
    """Weights bit by bit, and configurations key by key."""
    before, after = load(folder / "trips" / f"{name}.keras"), load(folder / "trips" / f"{name}.saved.keras")
    found = {
        "config": before.get_config() == after.get_config(),
        "weights": bits(before.weights) == bits(after.weights),
        "names": [w.path for w in before.weights] == [w.path for w in after.weights],
    }
    if before.optimizer is not None:
        found["optimizer"] = bits(before.optimizer.variables) == bits(after.optimizer.variables)
        found["optimizerConfig"] = before.optimizer.get_config() == after.optimizer.get_config()
    after.load_weights(folder / "trips" / f"{name}.saved.weights.h5")
    found["weightsFile"] = bits(before.weights) == bits(after.weights)
    return found


def made(name):
    """How far predictions are from Retrograd's; then some training, for the way back."""
    case = json.loads((folder / "made" / f"{name}.json").read_text())
    path = folder / "made" / f"{name}.keras"
    model = load(path)
    # Keras gives a new optimizer its variables as soon as it is loaded. In the summary of the model that was saved it has none.
    summary = summary_of(keras.models.load_model(path, compile=False))
    x = single(arrays(case["inputs"]))
    difference = max(
        float(np.max(np.abs(a - b))) for a, b in zip(listed(model.predict(x, verbose=0)), arrays(case["outputs"]))
    )
    found = {"difference": difference, "config": json.loads(model.to_json())}
    model.fit(x, single(arrays(case["outputs"])), epochs=1, batch_size=4, shuffle=False, verbose=0)
    model.save(folder / "made" / f"{name}.trained.keras")
    outputs = [{"data": a.ravel().tolist()} for a in listed(model.predict(x, verbose=0))]
    return {**found, "outputs": outputs, "summaries": {"": summary, ".trained": summary_of(model)}}


def curve(name):
    """Five epochs after Retrograd's five, and five epochs before Retrograd's."""
    case = json.loads((folder / "curves" / "data.json").read_text())
    x, y = arrays(case["inputs"])[0], arrays(case["outputs"])[0]

    def train(path):
        model = load(path)
        return model, model.fit(x, y, epochs=5, batch_size=8, shuffle=False, verbose=0).history["loss"]

    _, after = train(folder / "curves" / f"{name}.five.keras")
    model, _ = train(folder / "curves" / f"{name}.start.keras")
    model.save(folder / "curves" / f"{name}.keras.keras")
    return {"losses": after}


def attempt(function, name):
    try:
        return function(name)
    except Exception:
        return {"error": traceback.format_exc(limit=-3)}


def names(part, end):
    return sorted(p.name[: -len(end)] for p in (folder / part).glob(f"*{end}"))


results = {
    "keras": keras.__version__,
    "trips": {name: attempt(trip, name) for name in names("trips", ".saved.keras")},
    "made": {name: attempt(made, name) for name in names("made", ".json")},
    "curves": {name: attempt(curve, name) for name in names("curves", ".start.keras")},
}
(folder / "results.json").write_text(json.dumps(results))
