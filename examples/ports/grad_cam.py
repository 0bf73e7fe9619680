"""The oracle of grad_cam.ts."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

from formula import integers, set_kernels, uniform


def classifier():
    image = keras.Input((16, 16, 3))
    x = layers.Rescaling(2.0, offset=-1)(image)
    x = layers.Conv2D(8, 3, strides=2, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    x = layers.Activation("relu")(x)
    shortcut = layers.Conv2D(12, 1, strides=2, padding="same")(x)
    x = layers.SeparableConv2D(12, 3, padding="same", activation="relu")(x)
    x = layers.MaxPooling2D(3, strides=2, padding="same")(x)
    x = layers.Add(name="block_out")([x, shortcut])
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(image, layers.Dense(4, name="predictions")(x))


def heatmap_of(image, model, layer_name, index=None):
    grad_model = keras.Model(model.inputs, [model.get_layer(layer_name).output, model.output])
    with tf.GradientTape() as tape:
        features, predictions = grad_model(image)
        if index is None:
            index = int(ops.argmax(predictions[0]))
        score = predictions[:, index]
    gradients = tape.gradient(score, features)
    importance = ops.mean(gradients, axis=(0, 1, 2))
    heatmap = ops.squeeze(features[0] @ importance[..., None])
    heatmap = ops.maximum(heatmap, 0) / ops.max(heatmap)
    return heatmap, index


def colours():
    """256 colours from blue over green to red."""
    t = np.linspace(0, 1, 256)
    return np.clip(np.stack([4 * t - 2, 2 - np.abs(4 * t - 2), 2 - 4 * t], axis=1), 0, 1).astype("float32")


def superimpose(image, heatmap, alpha=0.4):
    levels = ops.cast(255 * heatmap, "uint8")
    jet = ops.take(colours(), ops.cast(levels, "int32"), axis=0)
    jet = ops.image.resize(jet, (16, 16), interpolation="bilinear")
    return ops.clip(jet * alpha + image, 0, 1)


def run():
    images, labels = uniform((16, 16, 16, 3), 1), integers((16,), 2, 4)
    model = classifier()
    set_kernels(model)
    model.compile(
        optimizer=keras.optimizers.SGD(0.05, momentum=0.9, nesterov=True),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    history = model.fit(images, labels, epochs=3, batch_size=8, shuffle=False, verbose=0).history
    image = images[2:3]
    heatmap, index = heatmap_of(image, model, "block_out")
    other, _ = heatmap_of(image, model, "block_out", (index + 1) % 4)
    overlay = superimpose(images[2], heatmap)
    return {
        "loss": history["loss"],
        "class": [index],
        "heatmap": ops.convert_to_numpy(heatmap).ravel(),
        "other": ops.convert_to_numpy(other).ravel(),
        "overlay": ops.convert_to_numpy(ops.mean(overlay, axis=(1, 2))),
    }
