"""The oracle of mlp_mixer.ts."""

import keras
from keras import layers

from formula import integers, set_kernels, uniform

PATCHES, CHANNELS = 16, 8


class MixerLayer(layers.Layer):
    def __init__(self):
        super().__init__()
        self.over_positions = keras.Sequential([layers.Dense(PATCHES, "gelu"), layers.Dense(PATCHES)])
        self.over_channels = keras.Sequential([layers.Dense(CHANNELS, "gelu"), layers.Dense(CHANNELS)])
        self.normalize = layers.LayerNormalization(epsilon=1e-6)
        self.swap = layers.Permute((2, 1))
        self.add = layers.Add()

    def build(self, input_shape):
        self.over_positions.build((None, CHANNELS, PATCHES))
        self.over_channels.build((None, PATCHES, CHANNELS))
        self.normalize.build((None, PATCHES, CHANNELS))

    def call(self, x):
        y = self.add([x, self.swap(self.over_positions(self.swap(self.normalize(x))))])
        return self.add([y, self.over_channels(self.normalize(y))])


def run():
    image = layers.Input((8, 8, 3))
    x = layers.Conv2D(CHANNELS, 2, strides=2, name="patches")(image)
    x = layers.Reshape((PATCHES, CHANNELS))(x)
    for _ in range(2):
        x = MixerLayer()(x)
    net = keras.Model(image, layers.Dense(3, "softmax")(layers.GlobalAveragePooling1D()(x)))
    set_kernels(net)
    net.compile(
        optimizer=keras.optimizers.AdamW(0.005, weight_decay=0.01),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    images, labels = uniform((16, 8, 8, 3), 1), integers((16,), 2, 3)
    history = net.fit(images, labels, epochs=4, batch_size=4, shuffle=False, validation_split=0.25, verbose=0).history
    return {"loss": history["loss"], "accuracy": history["accuracy"], "validation": history["val_loss"]}
