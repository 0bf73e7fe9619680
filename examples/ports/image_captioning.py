"""The oracle of image_captioning.ts."""

import re

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

from formula import set_kernels, uniform

CAPTIONS = [
    ("<start> a red cat sits <end>", "<start> the cat is red! <end>"),
    ("<start> a dog runs fast <end>", "<start> the dog, it runs <end>"),
    ("<start> two birds <end>", "<start> birds in a tree <end>"),
    ("<start> a blue car stops <end>", "<start> the car is blue <end>"),
]
LENGTH, DIM, FF, HEADS, PER_IMAGE = 8, 8, 12, 2, 2


def custom_standardization(text):
    return tf.strings.regex_replace(tf.strings.lower(text), f"[{re.escape('!,.?')}]", "")


def get_cnn_model():
    image = keras.Input((8, 8, 3))
    x = layers.Conv2D(6, 3, strides=2, padding="same", activation="relu")(image)
    x = layers.Conv2D(DIM, 3, strides=2, padding="same", activation="relu")(x)
    cnn = keras.Model(image, layers.Reshape((-1, x.shape[-1]))(x))
    cnn.trainable = False
    return cnn


class TransformerEncoderBlock(layers.Layer):
    def __init__(self):
        super().__init__()
        self.attention = layers.MultiHeadAttention(num_heads=1, key_dim=DIM, dropout=0.0)
        self.norm_1 = layers.LayerNormalization()
        self.norm_2 = layers.LayerNormalization()
        self.dense = layers.Dense(DIM, activation="relu")

    def call(self, inputs, training, mask=None):
        inputs = self.dense(self.norm_1(inputs))
        attended = self.attention(query=inputs, value=inputs, key=inputs, attention_mask=None, training=training)
        return self.norm_2(inputs + attended)


class PositionalEmbedding(layers.Layer):
    def __init__(self, vocabulary_size):
        super().__init__()
        self.tokens = layers.Embedding(vocabulary_size, DIM)
        self.positions = layers.Embedding(LENGTH - 1, DIM)

    def call(self, inputs):
        positions = ops.arange(0, inputs.shape[-1], 1)
        return self.tokens(inputs) * DIM**0.5 + self.positions(positions)

    def compute_mask(self, inputs, mask=None):
        return ops.not_equal(inputs, 0)


class TransformerDecoderBlock(layers.Layer):
    def __init__(self, vocabulary_size):
        super().__init__()
        self.attention_1 = layers.MultiHeadAttention(num_heads=HEADS, key_dim=DIM, dropout=0.0)
        self.attention_2 = layers.MultiHeadAttention(num_heads=HEADS, key_dim=DIM, dropout=0.0)
        self.ffn_1 = layers.Dense(FF, activation="relu")
        self.ffn_2 = layers.Dense(DIM)
        self.norm_1 = layers.LayerNormalization()
        self.norm_2 = layers.LayerNormalization()
        self.norm_3 = layers.LayerNormalization()
        self.embedding = PositionalEmbedding(vocabulary_size)
        self.out = layers.Dense(vocabulary_size, activation="softmax")

    def call(self, inputs, encoder_outputs, training, mask=None):
        inputs = self.embedding(inputs)
        steps = inputs.shape[1]
        causal = ops.cast(ops.arange(steps)[:, None] >= ops.arange(steps), "int32")[None]
        padding = ops.cast(mask[:, :, None], "int32")
        combined = ops.minimum(ops.cast(mask[:, None, :], "int32"), causal)
        x = self.attention_1(query=inputs, value=inputs, key=inputs, attention_mask=combined, training=training)
        out_1 = self.norm_1(inputs + x)
        x = self.attention_2(
            query=out_1, value=encoder_outputs, key=encoder_outputs, attention_mask=padding, training=training
        )
        out_2 = self.norm_2(out_1 + x)
        return self.out(self.norm_3(self.ffn_2(self.ffn_1(out_2)) + out_2))


class ImageCaptioningModel(keras.Model):
    def __init__(self, cnn, encoder, decoder):
        super().__init__()
        self.cnn, self.encoder, self.decoder = cnn, encoder, decoder
        self.loss_tracker = keras.metrics.Mean(name="loss")
        self.acc_tracker = keras.metrics.Mean(name="accuracy")

    def calculate_loss(self, y_true, y_pred, mask):
        mask = ops.cast(mask, "float32")
        loss = self.loss(y_true, y_pred) * mask
        return ops.sum(loss) / ops.sum(mask)

    def calculate_accuracy(self, y_true, y_pred, mask):
        matches = ops.logical_and(mask, ops.equal(y_true, ops.cast(ops.argmax(y_pred, axis=2), "int32")))
        return ops.sum(ops.cast(matches, "float32")) / ops.sum(ops.cast(mask, "float32"))

    def caption_loss(self, image_embedding, sequence, training):
        encoded = self.encoder(image_embedding, training=training)
        inputs, y_true = sequence[:, :-1], sequence[:, 1:]
        mask = ops.not_equal(y_true, 0)
        y_pred = self.decoder(inputs, encoded, training=training, mask=mask)
        return self.calculate_loss(y_true, y_pred, mask), self.calculate_accuracy(y_true, y_pred, mask)

    def train_step(self, data):
        images, sequences = data
        total_loss, total_accuracy = 0, 0
        image_embedding = self.cnn(images)
        for i in range(PER_IMAGE):
            with tf.GradientTape() as tape:
                loss, accuracy = self.caption_loss(image_embedding, sequences[:, i, :], True)
            total_loss += loss
            total_accuracy += accuracy
            weights = self.encoder.trainable_variables + self.decoder.trainable_variables
            self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return self.track(total_loss, total_accuracy / PER_IMAGE)

    def test_step(self, data):
        images, sequences = data
        image_embedding = self.cnn(images)
        found = [self.caption_loss(image_embedding, sequences[:, i, :], False) for i in range(PER_IMAGE)]
        return self.track(sum(loss for loss, _ in found), sum(accuracy for _, accuracy in found) / PER_IMAGE)

    def track(self, loss, accuracy):
        self.loss_tracker.update_state(loss)
        self.acc_tracker.update_state(accuracy)
        return {"loss": self.loss_tracker.result(), "acc": self.acc_tracker.result()}

    @property
    def metrics(self):
        return [self.loss_tracker, self.acc_tracker]


class LRSchedule(keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, post_warmup_learning_rate, warmup_steps):
        super().__init__()
        self.post_warmup_learning_rate = post_warmup_learning_rate
        self.warmup_steps = warmup_steps

    def __call__(self, step):
        progress = ops.cast(step, "float32") / self.warmup_steps
        return self.post_warmup_learning_rate * ops.minimum(progress, 1.0)

    def get_config(self):
        return {"post_warmup_learning_rate": self.post_warmup_learning_rate, "warmup_steps": self.warmup_steps}


def run():
    vectorization = layers.TextVectorization(
        output_mode="int", output_sequence_length=LENGTH, standardize=custom_standardization
    )
    vectorization.adapt([caption for pair in CAPTIONS for caption in pair])
    vocabulary = vectorization.get_vocabulary()
    images = uniform((4, 8, 8, 3), 1)
    sequences = np.stack([vectorization(list(pair)).numpy() for pair in CAPTIONS]).astype("int32")
    cnn, encoder, decoder = get_cnn_model(), TransformerEncoderBlock(), TransformerDecoderBlock(len(vocabulary))
    model = ImageCaptioningModel(cnn, encoder, decoder)
    encoded = encoder(cnn(images), training=False)
    decoder(sequences[:, 0, :-1], encoded, training=False, mask=sequences[:, 0, 1:] != 0)
    set_kernels(cnn, encoder, decoder)
    cross_entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=False, reduction=None)
    model.compile(optimizer=keras.optimizers.SGD(LRSchedule(0.2, warmup_steps=4)), loss=cross_entropy)
    history = model.fit(
        images, sequences, batch_size=2, epochs=5, validation_data=(images, sequences), shuffle=False, verbose=0
    ).history

    encoded = encoder(cnn(images[:1]), training=False)
    words, confidences = ["<start>"], []
    for i in range(LENGTH - 1):
        tokens = vectorization([" ".join(words)]).numpy()[:, :-1]
        predictions = ops.convert_to_numpy(decoder(tokens, encoded, training=False, mask=tokens != 0))
        index = int(np.argmax(predictions[0, i]))
        confidences.append(predictions[0, i, index])
        if vocabulary[index] == "<end>":
            break
        words.append(vocabulary[index])
    return {
        "loss": history["loss"],
        "accuracy": history["acc"],
        "validation": history["val_loss"],
        "confidences": confidences,
        "caption": [vocabulary.index(word) for word in words],
    }
