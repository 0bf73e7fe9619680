"""The oracle of ddim.ts."""

import math

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

from formula import normal, set_kernels, uniform

SIZE, EMBEDDING, STEPS = 8, 8, 2
MIN_SIGNAL, MAX_SIGNAL, EMA = 0.1, 0.95, 0.9


@keras.saving.register_keras_serializable()
def sinusoidal_embedding(x):
    frequencies = ops.exp(ops.linspace(math.log(1.0), math.log(100.0), EMBEDDING // 2))
    angles = ops.cast(2 * math.pi * frequencies, "float32") * x
    return ops.concatenate([ops.sin(angles), ops.cos(angles)], axis=3)


def residual_block(x, width):
    residual = x if x.shape[3] == width else layers.Conv2D(width, 1)(x)
    x = layers.BatchNormalization(center=False, scale=False)(x)
    x = layers.Conv2D(width, 3, padding="same", activation="swish")(x)
    x = layers.Conv2D(width, 3, padding="same")(x)
    return layers.Add()([x, residual])


def get_network(widths):
    noisy = keras.Input((SIZE, SIZE, 3))
    variances = keras.Input((1, 1, 1))
    e = layers.Lambda(sinusoidal_embedding, output_shape=(1, 1, EMBEDDING))(variances)
    e = layers.UpSampling2D(size=SIZE, interpolation="nearest")(e)
    x = layers.Concatenate()([layers.Conv2D(widths[0], 1)(noisy), e])
    skips = []
    for width in widths[:-1]:
        x = residual_block(x, width)
        skips.append(x)
        x = layers.AveragePooling2D(2)(x)
    x = residual_block(x, widths[-1])
    for width in reversed(widths[:-1]):
        x = layers.UpSampling2D(2, interpolation="bilinear")(x)
        x = residual_block(layers.Concatenate()([x, skips.pop()]), width)
    x = layers.Conv2D(3, 1, kernel_initializer="zeros")(x)
    return keras.Model([noisy, variances], x, name="residual_unet")


class DiffusionModel(keras.Model):
    def __init__(self, network, ema_network):
        super().__init__()
        self.normalizer = layers.Normalization()
        self.network = network
        self.ema_network = ema_network

    def compile(self, **kwargs):
        super().compile(**kwargs)
        self.noise_loss_tracker = keras.metrics.Mean(name="n_loss")
        self.image_loss_tracker = keras.metrics.Mean(name="i_loss")

    @property
    def metrics(self):
        return [self.noise_loss_tracker, self.image_loss_tracker]

    def diffusion_schedule(self, times):
        start, end = math.acos(MAX_SIGNAL), math.acos(MIN_SIGNAL)
        angles = start + times * (end - start)
        return ops.sin(angles), ops.cos(angles)

    def denoise(self, noisy, noise_rates, signal_rates, training):
        network = self.network if training else self.ema_network
        noises = network([noisy, noise_rates**2], training=training)
        return noises, (noisy - noise_rates * noises) / signal_rates

    def reverse_diffusion(self, noise, steps):
        step_size = 1.0 / steps
        next_noisy = noise
        for step in range(steps):
            noisy = next_noisy
            times = ops.ones((noise.shape[0], 1, 1, 1)) - step * step_size
            noises, images = self.denoise(noisy, *self.diffusion_schedule(times), training=False)
            next_noise_rates, next_signal_rates = self.diffusion_schedule(times - step_size)
            next_noisy = next_signal_rates * images + next_noise_rates * noises
        return images

    def generate(self, noise, steps):
        images = self.normalizer.mean + self.reverse_diffusion(noise, steps) * self.normalizer.variance**0.5
        return ops.clip(images, 0.0, 1.0)

    def mix(self, x):
        images = self.normalizer(x["images"])
        noise_rates, signal_rates = self.diffusion_schedule(x["times"])
        return images, noise_rates, signal_rates, signal_rates * images + noise_rates * x["noises"]

    def train_step(self, x):
        images, noise_rates, signal_rates, noisy = self.mix(x)
        with tf.GradientTape() as tape:
            noises, pictures = self.denoise(noisy, noise_rates, signal_rates, training=True)
            noise_loss = self.loss(x["noises"], noises)
            image_loss = self.loss(images, pictures)
        gradients = tape.gradient(noise_loss, self.network.trainable_weights)
        self.optimizer.apply_gradients(zip(gradients, self.network.trainable_weights))
        self.noise_loss_tracker.update_state(noise_loss)
        self.image_loss_tracker.update_state(image_loss)
        for weight, ema_weight in zip(self.network.weights, self.ema_network.weights):
            ema_weight.assign(EMA * ema_weight + (1 - EMA) * weight)
        return {m.name: m.result() for m in self.metrics}

    def test_step(self, x):
        images, noise_rates, signal_rates, noisy = self.mix(x)
        noises, pictures = self.denoise(noisy, noise_rates, signal_rates, training=False)
        self.noise_loss_tracker.update_state(self.loss(x["noises"], noises))
        self.image_loss_tracker.update_state(self.loss(images, pictures))
        return {m.name: m.result() for m in self.metrics}


def run():
    images = uniform((8, SIZE, SIZE, 3), 1)
    x = {"images": images, "noises": normal((8, SIZE, SIZE, 3), 2), "times": uniform((8, 1, 1, 1), 3)}
    network = get_network([6, 8, 10])
    set_kernels(network)
    ema_network = keras.models.clone_model(network)
    ema_network.set_weights(network.get_weights())
    model = DiffusionModel(network, ema_network)
    model.normalizer.adapt(images)
    model.compile(
        optimizer=keras.optimizers.AdamW(learning_rate=0.005, weight_decay=0.01), loss=keras.losses.MeanAbsoluteError()
    )
    history = model.fit(x, epochs=3, batch_size=4, shuffle=False, verbose=0, validation_data=x).history
    generated = model.generate(ops.convert_to_tensor(normal((2, SIZE, SIZE, 3), 4)), STEPS)
    return {
        "noise": history["n_loss"],
        "image": history["i_loss"],
        "validation": history["val_n_loss"],
        "generated": ops.convert_to_numpy(ops.mean(generated, axis=(1, 2))).ravel(),
    }
