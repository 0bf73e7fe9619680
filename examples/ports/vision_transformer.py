"""The oracle of vision_transformer.ts."""

import keras
import numpy as np
from keras import layers, ops

from formula import integers, set_kernels, uniform

SIZE, PATCH, WIDTH, CLASSES = 12, 4, 8, 3
PATCHES = (SIZE // PATCH) ** 2


def mlp(x, hidden_units, dropout_rate):
    for units in hidden_units:
        x = layers.Dense(units, activation=keras.activations.gelu)(x)
        x = layers.Dropout(dropout_rate)(x)
    return x


class Patches(layers.Layer):
    def __init__(self, patch_size, **kwargs):
        super().__init__(**kwargs)
        self.patch_size = patch_size

    def call(self, images):
        batch_size, height, width, channels = ops.shape(images)
        count = (height // self.patch_size) * (width // self.patch_size)
        patches = ops.image.extract_patches(images, size=self.patch_size)
        return ops.reshape(patches, (batch_size, count, self.patch_size * self.patch_size * channels))

    def get_config(self):
        return {**super().get_config(), "patch_size": self.patch_size}


class PatchEncoder(layers.Layer):
    def __init__(self, num_patches, projection_dim, **kwargs):
        super().__init__(**kwargs)
        self.num_patches = num_patches
        self.projection_dim = projection_dim
        self.projection = layers.Dense(projection_dim)
        self.position_embedding = layers.Embedding(num_patches, projection_dim)

    def call(self, patches):
        positions = ops.expand_dims(ops.arange(0, self.num_patches, 1), axis=0)
        return self.projection(patches) + self.position_embedding(positions)

    def get_config(self):
        return {**super().get_config(), "num_patches": self.num_patches, "projection_dim": self.projection_dim}


def create_classifier(images):
    inputs = keras.Input((8, 8, 3))
    preprocessing = keras.Sequential([layers.Normalization(), layers.Resizing(SIZE, SIZE)], name="preprocessing")
    preprocessing.layers[0].adapt(images)
    encoded = PatchEncoder(PATCHES, WIDTH)(Patches(PATCH)(preprocessing(inputs)))
    for _ in range(2):
        x1 = layers.LayerNormalization(epsilon=1e-6)(encoded)
        attended = layers.MultiHeadAttention(num_heads=2, key_dim=WIDTH, dropout=0)(x1, x1)
        x2 = layers.Add()([attended, encoded])
        x3 = layers.LayerNormalization(epsilon=1e-6)(x2)
        encoded = layers.Add()([mlp(x3, [WIDTH * 2, WIDTH], 0), x2])
    representation = layers.Flatten()(layers.LayerNormalization(epsilon=1e-6)(encoded))
    representation = layers.Dropout(0)(representation)
    features = mlp(representation, [12, 8], 0)
    return keras.Model(inputs, layers.Dense(CLASSES)(features))


def run():
    images, labels = 255 * uniform((16, 8, 8, 3), 1), integers((16,), 2, CLASSES)
    model = create_classifier(images)
    set_kernels(model)
    model.compile(
        optimizer=keras.optimizers.AdamW(learning_rate=0.001, weight_decay=0.0001),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[
            keras.metrics.SparseCategoricalAccuracy(name="accuracy"),
            keras.metrics.SparseTopKCategoricalAccuracy(2, name="top-2-accuracy"),
        ],
    )
    history = model.fit(images, labels, batch_size=4, epochs=4, validation_split=0.25, shuffle=False, verbose=0).history
    restored = keras.Model.from_config(
        model.get_config(), custom_objects={"Patches": Patches, "PatchEncoder": PatchEncoder}
    )
    restored.set_weights(model.get_weights())
    restored.get_layer("preprocessing").layers[0].finalize_state()  # computes what calls use from the weights
    return {
        "loss": history["loss"],
        "top2": history["top-2-accuracy"],
        "validation": history["val_loss"],
        "probabilities": np.array(ops.softmax(restored.predict(images[:3], verbose=0))).ravel(),
    }
