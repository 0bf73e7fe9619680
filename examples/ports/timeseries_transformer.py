"""The oracle of timeseries_transformer.ts."""

import keras
import numpy as np
from keras import layers

from formula import set_kernels, uniform

LENGTH, CLASSES, COUNT = 16, 2, 20


def series():
    noise = uniform((COUNT, LENGTH, 1), 1, -0.3, 0.3)
    labels = np.arange(COUNT) % CLASSES
    steps = np.arange(LENGTH)[None, :, None]
    waves = np.sin(steps * (0.4 + 0.5 * labels[:, None, None]))
    return (waves + noise).astype("float32"), labels


def transformer_encoder(inputs, head_size, num_heads, ff_dim, dropout=0.0):
    x = layers.MultiHeadAttention(key_dim=head_size, num_heads=num_heads, dropout=dropout)(inputs, inputs)
    x = layers.Dropout(dropout)(x)
    x = layers.LayerNormalization(epsilon=1e-6)(x)
    res = x + inputs
    x = layers.Conv1D(filters=ff_dim, kernel_size=1, activation="relu")(res)
    x = layers.Dropout(dropout)(x)
    x = layers.Conv1D(filters=inputs.shape[-1], kernel_size=1)(x)
    x = layers.LayerNormalization(epsilon=1e-6)(x)
    return x + res


def build_model(input_shape):
    inputs = keras.Input(shape=input_shape)
    x = layers.Conv1D(8, 3, padding="causal")(inputs)
    for _ in range(2):
        x = transformer_encoder(x, head_size=6, num_heads=2, ff_dim=5)
    x = layers.GlobalAveragePooling1D(data_format="channels_last")(x)
    x = layers.Dense(8, activation="relu")(x)
    return keras.Model(inputs, layers.Dense(CLASSES, activation="softmax")(x))


def run():
    x, y = series()
    model = build_model(x.shape[1:])
    set_kernels(model)
    schedule = keras.optimizers.schedules.CosineDecay(0.005, 20, warmup_target=0.03, warmup_steps=4)
    model.compile(
        loss="sparse_categorical_crossentropy",
        optimizer=keras.optimizers.SGD(learning_rate=schedule, momentum=0.9, clipnorm=1.0),
        metrics=["sparse_categorical_accuracy"],
    )
    callbacks = [keras.callbacks.EarlyStopping(patience=2, restore_best_weights=True)]
    history = model.fit(
        x, y, validation_split=0.2, epochs=3, batch_size=4, shuffle=False, verbose=0, callbacks=callbacks
    ).history
    loss, accuracy = model.evaluate(x, y, verbose=0)
    return {
        "loss": history["loss"],
        "accuracy": history["sparse_categorical_accuracy"],
        "validation": history["val_loss"],
        "evaluated": [loss, accuracy],
    }
