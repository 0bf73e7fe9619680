"""The oracle of variational_autoencoder.ts."""

import keras
import tensorflow as tf
from keras import layers, ops

from formula import normal, set_kernels, uniform


class Sampling(layers.Layer):
    def call(self, inputs):
        mean, log_variance, noise = inputs
        return mean + ops.exp(0.5 * log_variance) * noise


class VAE(keras.Model):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.total_loss = keras.metrics.Mean(name="loss")
        self.reconstruction_loss = keras.metrics.Mean(name="reconstruction")
        self.kl_loss = keras.metrics.Mean(name="kl")

    @property
    def metrics(self):
        return [self.total_loss, self.reconstruction_loss, self.kl_loss]

    def train_step(self, data):
        images, noise = data["images"], data["noise"]
        with tf.GradientTape() as tape:
            mean, log_variance, z = self.encoder([images, noise])
            errors = keras.losses.binary_crossentropy(images, self.decoder(z))
            reconstruction = ops.mean(ops.sum(errors, axis=(1, 2)))
            divergence = -0.5 * (1 + log_variance - ops.square(mean) - ops.exp(log_variance))
            kl = ops.mean(ops.sum(divergence, axis=1))
            total = reconstruction + kl
        self.optimizer.apply(tape.gradient(total, self.trainable_weights), self.trainable_weights)
        self.total_loss.update_state(total)
        self.reconstruction_loss.update_state(reconstruction)
        self.kl_loss.update_state(kl)
        return {metric.name: metric.result() for metric in self.metrics}


def run():
    image, noise = layers.Input((8, 8, 1)), layers.Input((2,))
    x = layers.Conv2D(4, 3, activation="relu", strides=2, padding="same")(image)
    x = layers.Flatten()(x)
    x = layers.Dense(8, "relu")(x)
    mean = layers.Dense(2, name="z_mean")(x)
    log_variance = layers.Dense(2, name="z_log_var")(x)
    z = Sampling()([mean, log_variance, noise])
    encoder = keras.Model([image, noise], [mean, log_variance, z])

    latent = layers.Input((2,))
    y = layers.Dense(4 * 4 * 4, "relu")(latent)
    y = layers.Reshape((4, 4, 4))(y)
    y = layers.Conv2DTranspose(4, 3, activation="relu", strides=2, padding="same")(y)
    y = layers.Conv2DTranspose(1, 3, activation="sigmoid", padding="same")(y)
    decoder = keras.Model(latent, y)

    vae = VAE(encoder, decoder)
    set_kernels(encoder, decoder)
    vae.compile(optimizer=keras.optimizers.Adam(0.01), run_eagerly=True)
    x = {"images": uniform((8, 8, 8, 1), 1), "noise": normal((8, 2), 2)}
    history = vae.fit(x, epochs=4, batch_size=8, shuffle=False, verbose=0).history
    decoded = ops.convert_to_numpy(decoder(uniform((1, 2), 3, -1, 1))).ravel()[:4]
    return {**{name: history[name] for name in ("loss", "reconstruction")}, "decoded": decoded}
