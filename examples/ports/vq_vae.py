"""The oracle of vq_vae.ts."""

import keras
import numpy as np
from keras import layers, ops

from formula import set_kernels, uniform

CODES, DIM = 6, 3


class VectorQuantizer(layers.Layer):
    def build(self, input_shape):
        self.embeddings = self.add_weight(shape=(DIM, CODES), initializer="random_uniform", name="embeddings_vqvae")

    def call(self, x):
        flat = ops.reshape(x, (-1, DIM))
        quantized = ops.one_hot(self.codes_of(flat), CODES) @ ops.transpose(self.embeddings)
        quantized = ops.reshape(quantized, ops.shape(x))
        commitment = ops.mean((ops.stop_gradient(quantized) - x) ** 2)
        codebook = ops.mean((quantized - ops.stop_gradient(x)) ** 2)
        self.add_loss(0.25 * commitment + codebook)
        return x + ops.stop_gradient(quantized - x)

    def codes_of(self, flat):
        similarity = flat @ ops.convert_to_tensor(self.embeddings)
        squares = ops.sum(flat**2, axis=1, keepdims=True) + ops.sum(self.embeddings**2, axis=0)
        return ops.argmin(squares - 2 * similarity, axis=1)


class PixelConvolution(layers.Layer):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.conv = layers.Conv2D(8, 3, padding="same", activation="relu")

    def build(self, input_shape):
        self.conv.build(input_shape)
        seen = [1.0 if i < 4 or (i == 4 and self.kind == "B") else 0.0 for i in range(9)]
        self.mask = np.array(seen, np.float32).reshape(3, 3, 1, 1)

    def call(self, x):
        sums = ops.conv(x, self.conv.kernel * self.mask, padding="same")
        return ops.relu(sums + self.conv.bias)


def run():
    images = uniform((8, 8, 8, 1), 1)
    image = layers.Input((8, 8, 1))
    x = layers.Conv2D(4, 3, activation="relu", strides=2, padding="same")(image)
    encoder = keras.Model(image, layers.Conv2D(DIM, 1, padding="same")(x))
    latent = layers.Input((4, 4, DIM))
    y = layers.Conv2DTranspose(4, 3, activation="relu", strides=2, padding="same")(latent)
    decoder = keras.Model(latent, layers.Conv2DTranspose(1, 3, padding="same")(y))
    quantizer = VectorQuantizer(name="vector_quantizer")
    vq_vae = keras.Model(image, decoder(quantizer(encoder(image))))
    set_kernels(encoder, quantizer, decoder)
    vq_vae.compile(optimizer=keras.optimizers.Adam(0.01), loss="mse")
    trained = vq_vae.fit(images, images, epochs=4, batch_size=4, shuffle=False, verbose=0).history["loss"]

    encoded = encoder.predict(images, verbose=0)
    indices = ops.convert_to_numpy(quantizer.codes_of(encoded.reshape(-1, DIM))).reshape(8, 4, 4).astype("int32")
    pixel = layers.Input((4, 4), dtype="int32")
    grid = layers.Reshape((4, 4, CODES))(layers.CategoryEncoding(CODES, output_mode="one_hot")(pixel))
    h = PixelConvolution("B")(PixelConvolution("A")(grid))
    pixel_cnn = keras.Model(pixel, layers.Conv2D(CODES, 1)(h))
    set_kernels(pixel_cnn)
    pixel_cnn.compile(
        optimizer=keras.optimizers.Adam(0.01), loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    )
    sampler = pixel_cnn.fit(indices, indices, epochs=3, batch_size=8, shuffle=False, verbose=0).history["loss"]
    return {"vqVae": trained, "pixelCNN": sampler, "codes": indices.ravel()}
