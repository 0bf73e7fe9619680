"""The oracle of feature_selection.ts."""

import keras
import numpy as np
from keras import layers, ops

from formula import integers, set_kernels, uniform

NUMERIC = ["age", "hours", "gain"]
CATEGORICAL = {"work": ["Private", "State", "Self"], "class": ["A", "B"]}
COUNT, SIZE = 16, 6


class GatedLinearUnit(layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.linear = layers.Dense(units)
        self.sigmoid = layers.Dense(units, activation="sigmoid")

    def call(self, inputs):
        return self.linear(inputs) * self.sigmoid(inputs)


class GatedResidualNetwork(layers.Layer):
    def __init__(self, units, dropout_rate):
        super().__init__()
        self.units = units
        self.elu_dense = layers.Dense(units, activation="elu")
        self.linear_dense = layers.Dense(units)
        self.dropout = layers.Dropout(dropout_rate)
        self.gated_linear_unit = GatedLinearUnit(units)
        self.layer_norm = layers.LayerNormalization()
        self.project = layers.Dense(units)

    def call(self, inputs):
        x = self.linear_dense(self.elu_dense(inputs))
        x = self.dropout(x)
        if inputs.shape[-1] != self.units:
            inputs = self.project(inputs)
        return self.layer_norm(inputs + self.gated_linear_unit(x))


class VariableSelection(layers.Layer):
    def __init__(self, num_features, units, dropout_rate):
        super().__init__()
        self.grns = [GatedResidualNetwork(units, dropout_rate) for _ in range(num_features)]
        self.grn_concat = GatedResidualNetwork(units, dropout_rate)
        self.softmax = layers.Dense(units=num_features, activation="softmax")

    def call(self, inputs):
        v = self.grn_concat(layers.concatenate(inputs))
        v = ops.expand_dims(self.softmax(v), axis=-1)
        x = ops.stack([grn(feature) for grn, feature in zip(self.grns, inputs)], axis=1)
        return ops.squeeze(ops.matmul(ops.transpose(v, axes=[0, 2, 1]), x), axis=1)


def create_model():
    inputs, encoded = {}, []
    for name in NUMERIC:
        inputs[name] = layers.Input((1,), name=name, dtype="float32")
        encoded.append(layers.Dense(SIZE)(inputs[name]))
    for name, vocabulary in CATEGORICAL.items():
        inputs[name] = layers.Input((1,), name=name, dtype="int32")
        embedding = layers.Embedding(input_dim=len(vocabulary) + 1, output_dim=SIZE, name=f"{name}_embedding")
        encoded.append(layers.Reshape((SIZE,))(embedding(inputs[name])))
    features = VariableSelection(len(encoded), SIZE, 0.0)(encoded)
    return keras.Model(inputs=inputs, outputs=layers.Dense(1, activation="sigmoid")(features))


def run():
    x = {name: uniform((COUNT, 1), 10 + i, -1, 1) for i, name in enumerate(NUMERIC)}
    for i, (name, vocabulary) in enumerate(CATEGORICAL.items()):
        lookup = layers.StringLookup(vocabulary=vocabulary, mask_token=None, num_oov_indices=1)
        words = [(vocabulary + ["Unknown"])[j] for j in integers((COUNT,), 20 + i, len(vocabulary) + 1)]
        x[name] = lookup(words).numpy().astype("int32").reshape(-1, 1)
    y, weights = integers((COUNT, 1), 30, 2), uniform((COUNT,), 31, 0.5, 2)
    model = create_model()
    set_kernels(model)
    model.compile(
        optimizer=keras.optimizers.Adam(learning_rate=0.005),
        loss=keras.losses.BinaryCrossentropy(),
        metrics=[keras.metrics.BinaryAccuracy(name="accuracy")],
    )
    history = model.fit(x, y, sample_weight=weights, epochs=4, batch_size=4, shuffle=False, verbose=0).history
    loss, accuracy = model.evaluate(x, y, verbose=0)
    return {
        "loss": history["loss"],
        "accuracy": history["accuracy"],
        "evaluated": [loss, accuracy],
        "predictions": model.predict(x, verbose=0).ravel()[:6],
    }
