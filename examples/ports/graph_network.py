"""The oracle of graph_network.ts."""

import keras
import numpy as np
from keras import layers, ops

from formula import integers, set_kernels, uniform

NODES, FEATURES, CLASSES, EDGES = 12, 5, 3, 30
UNITS = [6, 6]


def feed_forward(units):
    return keras.Sequential([
        layer for unit in units for layer in (layers.BatchNormalization(), layers.Dense(unit, activation="gelu"))
    ])


class GraphConvolution(layers.Layer):
    def __init__(self, units, aggregation="mean", combination="concat", normalize=False):
        super().__init__()
        self.aggregation, self.combination, self.normalize = aggregation, combination, normalize
        self.prepare = feed_forward(units)
        if combination == "gru":
            self.update = layers.GRU(
                units[-1], activation="tanh", recurrent_activation="sigmoid", return_sequences=True
            )
        else:
            self.update = feed_forward(units)

    def call(self, inputs):
        representations, edges, weights = inputs
        node_indices, neighbour_indices = edges[0], edges[1]
        messages = self.prepare(ops.take(representations, neighbour_indices, axis=0))
        messages = messages * ops.expand_dims(weights, -1)
        if self.aggregation == "max":
            gathered = ops.segment_max(messages, node_indices, num_segments=NODES)
            isolated = ops.segment_sum(ops.ones_like(weights), node_indices, num_segments=NODES) == 0
            gathered = ops.where(isolated[:, None], 0.0, gathered)
        else:
            gathered = ops.segment_sum(messages, node_indices, num_segments=NODES)
            if self.aggregation == "mean":
                counts = ops.segment_sum(ops.ones_like(weights), node_indices, num_segments=NODES)
                gathered = gathered / ops.maximum(counts, 1)[:, None]
        if self.combination == "gru":
            embeddings = self.update(ops.stack([representations, gathered], axis=1))
            embeddings = ops.sum(embeddings, axis=1)
        elif self.combination == "concat":
            embeddings = self.update(ops.concatenate([representations, gathered], axis=1))
        else:
            embeddings = self.update(representations + gathered)
        return ops.normalize(embeddings, axis=-1, order=2) if self.normalize else embeddings


class NodeClassifier(keras.Model):
    def __init__(self, features, edges, weights):
        super().__init__()
        self.features, self.edges = features, edges
        self.edge_weights = weights / ops.sum(weights)
        self.preprocess = feed_forward(UNITS)
        self.conv1 = GraphConvolution(UNITS, "mean", "concat")
        self.conv2 = GraphConvolution(UNITS, "sum", "gru", normalize=True)
        self.conv3 = GraphConvolution(UNITS, "max", "add")
        self.postprocess = feed_forward(UNITS)
        self.logits = layers.Dense(CLASSES)

    def call(self, node_indices, training=None):
        x = self.preprocess(self.features)
        for conv in (self.conv1, self.conv2, self.conv3):
            x = conv((x, self.edges, self.edge_weights)) + x
        x = self.postprocess(x)
        return self.logits(ops.take(x, ops.squeeze(node_indices, -1), axis=0))


def run():
    features = uniform((NODES, FEATURES), 1, -1, 1)
    edges, weights = integers((2, EDGES), 2, NODES), uniform((EDGES,), 3, 0.5, 1.5)
    labels = integers((NODES,), 4, CLASSES)
    model = NodeClassifier(features, edges, weights)
    nodes = np.arange(NODES).reshape(-1, 1)
    model(nodes[:2])
    set_kernels(model)
    model.compile(
        optimizer=keras.optimizers.Adam(0.01),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[keras.metrics.SparseCategoricalAccuracy(name="acc")],
    )
    history = model.fit(
        nodes, labels, epochs=4, batch_size=4, shuffle=False, verbose=0, validation_data=(nodes[8:], labels[8:]),
        callbacks=[keras.callbacks.EarlyStopping(monitor="val_acc", patience=50, restore_best_weights=True)],
    ).history
    probabilities = ops.softmax(model(nodes[:4]))
    return {
        "loss": history["loss"],
        "accuracy": history["acc"],
        "validation": history["val_loss"],
        "probabilities": ops.convert_to_numpy(probabilities).ravel(),
    }
