"""Keras's side of featureSpace.test.ts: what it returns for feature spaces and a model that Retrograd saved, and files that it saves again.

    python feature_space.py FOLDER       reads cases.json, writes results.json and NAME.again.keras
"""

import json
import os
import pathlib
import sys

os.environ["KERAS_BACKEND"] = "tensorflow"

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

folder = pathlib.Path(sys.argv[1])
cases = json.loads((folder / "cases.json").read_text())


def plain(value):
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return np.asarray(value).ravel().tolist()


results = {}
for name, data in cases["spaces"].items():
    space = keras.models.load_model(folder / f"{name}.keras")
    results[name] = plain(space(data))
    space.save(folder / f"{name}.again.keras")
model = keras.models.load_model(folder / "model.keras")
inputs = {key: tf.constant(value, dtype="float32" if key in cases["floats"] else "int32") for key, value in cases["inputs"].items()}
results["model"] = plain(model(inputs))
(folder / "results.json").write_text(json.dumps(results))
