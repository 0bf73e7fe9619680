"""Goes on with a training in Keras: the batches are shared by eight devices, each with a copy of the model.

    python continue_training.py FOLDER EPOCHS

FOLDER has the model, `from-page.keras`, and its data, `data.json`. Writes `from-keras.keras` and `keras.json`, the curve.
"""

import json
import os
import pathlib
import sys

devices = 8
# Here eight parts of one CPU stand for a machine's GPUs or TPU cores; without these lines Keras takes what is there.
os.environ["KERAS_BACKEND"] = "jax"
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"

import keras  # noqa: E402
import numpy as np  # noqa: E402

folder, epochs = pathlib.Path(sys.argv[1]), int(sys.argv[2])
data = json.loads((folder / "data.json").read_text())
x, y = np.array(data["x"], "float32"), np.array(data["y"], "int32")

keras.distribution.set_distribution(keras.distribution.DataParallel(devices=keras.distribution.list_devices("cpu")))
model = keras.saving.load_model(folder / "from-page.keras")
history = model.fit(x, y, batch_size=data["batchSize"], epochs=epochs, shuffle=False, verbose=0)
model.save(folder / "from-keras.keras")

sharding = model.weights[0].value.sharding
(folder / "keras.json").write_text(
    json.dumps(
        {
            "version": keras.__version__,
            "backend": keras.backend.backend(),
            "devices": len(sharding.device_set),
            "curve": history.history["loss"],
            "steps": int(model.optimizer.iterations),
        }
    )
)
