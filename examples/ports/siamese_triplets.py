"""The oracle of siamese_triplets.ts."""

import keras
import tensorflow as tf
from keras import layers, ops

from formula import set_kernels, uniform

SHAPE = (8, 8, 3)


class DistanceLayer(layers.Layer):
    def call(self, anchor, positive, negative):
        ap_distance = ops.sum((anchor - positive) ** 2, -1)
        an_distance = ops.sum((anchor - negative) ** 2, -1)
        return ap_distance, an_distance


class SiameseModel(keras.Model):
    def __init__(self, siamese_network, margin=0.5):
        super().__init__()
        self.siamese_network = siamese_network
        self.margin = margin
        self.loss_tracker = keras.metrics.Mean(name="loss")

    def call(self, inputs):
        return self.siamese_network(inputs)

    def train_step(self, data):
        with tf.GradientTape() as tape:
            loss = self._compute_loss(data)
        weights = self.siamese_network.trainable_weights
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        self.loss_tracker.update_state(loss)
        return {"loss": self.loss_tracker.result()}

    def test_step(self, data):
        self.loss_tracker.update_state(self._compute_loss(data))
        return {"loss": self.loss_tracker.result()}

    def _compute_loss(self, data):
        ap_distance, an_distance = self.siamese_network(data)
        return ops.maximum(ap_distance - an_distance + self.margin, 0.0)

    @property
    def metrics(self):
        return [self.loss_tracker]


def embedding_network():
    image = keras.Input(SHAPE)
    x = layers.Conv2D(6, 3, activation="relu", name="conv1_block1_out")(image)
    x = layers.Conv2D(8, 3, activation="relu", name="conv2_block1_out")(x)
    base = keras.Model(image, x, name="base_cnn")
    trainable = False
    for layer in base.layers:
        if layer.name == "conv2_block1_out":
            trainable = True
        layer.trainable = trainable
    x = layers.Flatten()(base.output)
    x = layers.BatchNormalization()(layers.Dense(12, activation="relu")(x))
    x = layers.BatchNormalization()(layers.Dense(8, activation="relu")(x))
    return keras.Model(base.input, layers.Dense(4)(x), name="Embedding")


def run():
    embedding = embedding_network()
    anchor = layers.Input(name="anchor", shape=SHAPE)
    positive = layers.Input(name="positive", shape=SHAPE)
    negative = layers.Input(name="negative", shape=SHAPE)
    scaled = layers.Rescaling(2.0, offset=-1)
    distances = DistanceLayer()(*(embedding(scaled(x)) for x in (anchor, positive, negative)))
    network = keras.Model(inputs=[anchor, positive, negative], outputs=distances)
    set_kernels(embedding)

    anchors = uniform((12, *SHAPE), 1)
    triplets = (anchors, 0.7 * anchors + 0.3 * uniform((12, *SHAPE), 2), uniform((12, *SHAPE), 3))
    dataset = tf.data.Dataset.from_tensor_slices(triplets)
    train, validation = dataset.take(8).batch(4, drop_remainder=False), dataset.skip(8).batch(4)
    model = SiameseModel(network)
    model.compile(optimizer=keras.optimizers.SGD(0.02, momentum=0.9), weighted_metrics=[])
    history = model.fit(
        train.map(lambda *x: (x,)), epochs=4, validation_data=validation.map(lambda *x: (x,)), verbose=0
    ).history

    sample = [embedding(2 * x[:4] - 1) for x in triplets]
    cosine_similarity = keras.metrics.CosineSimilarity()
    positive_similarity = float(cosine_similarity(sample[0], sample[1]))
    cosine_similarity.reset_state()
    negative_similarity = float(cosine_similarity(sample[0], sample[2]))
    return {
        "loss": history["loss"],
        "validation": history["val_loss"],
        "similarity": [positive_similarity, negative_similarity],
        "embedding": ops.convert_to_numpy(sample[0][0]),
    }
