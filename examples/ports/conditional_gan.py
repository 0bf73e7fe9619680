"""The oracle of conditional_gan.ts."""

import keras
import tensorflow as tf
from keras import layers, ops

from formula import integers, normal, set_kernels, uniform

SIZE, CLASSES, LATENT = 8, 3, 6


class ConditionalGAN(keras.Model):
    def __init__(self):
        super().__init__()
        self.discriminator = keras.Sequential([
            layers.Input((SIZE, SIZE, 1 + CLASSES)),
            layers.Conv2D(6, 3, strides=2, padding="same"),
            layers.LeakyReLU(negative_slope=0.2),
            layers.Conv2D(8, 3, strides=2, padding="same"),
            layers.LeakyReLU(negative_slope=0.2),
            layers.GlobalMaxPooling2D(),
            layers.Dense(1),
        ])
        self.generator = keras.Sequential([
            layers.Input((LATENT + CLASSES,)),
            layers.Dense(2 * 2 * 8),
            layers.LeakyReLU(negative_slope=0.2),
            layers.Reshape((2, 2, 8)),
            layers.Conv2DTranspose(8, 4, strides=2, padding="same"),
            layers.LeakyReLU(negative_slope=0.2),
            layers.Conv2DTranspose(6, 4, strides=2, padding="same"),
            layers.LeakyReLU(negative_slope=0.2),
            layers.Conv2D(1, 5, padding="same", activation="sigmoid"),
        ])
        self.d_optimizer = keras.optimizers.Adam(0.003)
        self.g_optimizer = keras.optimizers.Adam(0.003)
        self.loss_of = keras.losses.BinaryCrossentropy(from_logits=True)

    def call(self, x):
        return self.generator(ops.concatenate([x["noise"], x["labels"]], axis=-1))

    def train_step(self, data):
        x = data
        images, labels, noise = x["images"], x["labels"], x["noise"]
        batch = images.shape[0]
        planes = ops.broadcast_to(ops.reshape(labels, (batch, 1, 1, CLASSES)), (batch, SIZE, SIZE, CLASSES))
        latent = ops.concatenate([noise, labels], axis=-1)
        is_fake = ops.concatenate([ops.ones((batch, 1)), ops.zeros((batch, 1))], axis=0)

        def labelled(pictures):
            return ops.concatenate([pictures, planes], axis=-1)

        fake = self.generator(latent)
        both = ops.concatenate([labelled(fake), labelled(images)], axis=0)
        with tf.GradientTape() as tape:
            d_loss = self.loss_of(is_fake, self.discriminator(both))
        weights = self.discriminator.trainable_weights
        self.d_optimizer.apply(tape.gradient(d_loss, weights), weights)

        with tf.GradientTape() as tape:
            g_loss = self.loss_of(ops.zeros((batch, 1)), self.discriminator(labelled(self.generator(latent))))
        weights = self.generator.trainable_weights
        self.g_optimizer.apply(tape.gradient(g_loss, weights), weights)
        return {"d_loss": d_loss, "g_loss": g_loss}


def run():
    images = uniform((8, SIZE, SIZE, 1), 1)
    labels = keras.utils.to_categorical(integers((8,), 2, CLASSES), CLASSES).astype("float32")
    noise = normal((8, LATENT), 3)
    gan = ConditionalGAN()
    set_kernels(gan.discriminator, gan.generator)
    gan.compile(run_eagerly=True)
    x = {"images": images, "labels": labels, "noise": noise}
    history = gan.fit(x, epochs=3, batch_size=8, shuffle=False, verbose=0).history
    picture = ops.convert_to_numpy(gan(x)).ravel()[:4]
    return {"dLoss": history["d_loss"], "gLoss": history["g_loss"], "picture": picture}
