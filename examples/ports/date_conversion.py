"""The oracle of date_conversion.ts."""

import keras
import numpy as np
from keras import layers, ops

from formula import integers, set_kernels

MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
INPUT_VOCABULARY = "\n0123456789/-., " + "".join(sorted(set("".join(MONTHS))))
OUTPUT_VOCABULARY = "\n\t0123456789-"
INPUT_LENGTH, OUTPUT_LENGTH, EMBEDDING, UNITS, COUNT = 12, 10, 8, 8, 12
FORMATS = [
    lambda y, m, d: f"{d:02}{MONTHS[m - 1]}{y}",
    lambda y, m, d: f"{m:02}/{d:02}/{y}",
    lambda y, m, d: f"{m}/{d}/{y % 100:02}",
    lambda y, m, d: f"{MONTHS[m - 1]} {d:02}, {y}",
    lambda y, m, d: f"{y}.{m:02}.{d:02}",
]


class LastTimestep(layers.Layer):
    def call(self, x):
        return x[:, -1, :]


def create_model():
    embedding_encoder = keras.Input((INPUT_LENGTH,))
    embedding_decoder = keras.Input((OUTPUT_LENGTH,))
    encoder = layers.Embedding(len(INPUT_VOCABULARY), EMBEDDING, mask_zero=True)(embedding_encoder)
    encoder = layers.LSTM(UNITS, return_sequences=True)(encoder)
    encoder_last = LastTimestep(name="encoderLast")(encoder)
    decoder = layers.Embedding(len(OUTPUT_VOCABULARY), EMBEDDING, mask_zero=True)(embedding_decoder)
    decoder = layers.LSTM(UNITS, return_sequences=True)(decoder, initial_state=[encoder_last, encoder_last])
    attention = layers.Dot(axes=(2, 2), name="attention")([decoder, encoder])
    attention = layers.Activation("softmax")(attention)
    context = layers.Dot(axes=(2, 1), name="context")([attention, encoder])
    combined = layers.Concatenate()([context, decoder])
    output = layers.TimeDistributed(layers.Dense(UNITS, activation="tanh"))(combined)
    output = layers.TimeDistributed(layers.Dense(len(OUTPUT_VOCABULARY), activation="softmax"))(output)
    return keras.Model([embedding_encoder, embedding_decoder], output)


def indices(texts, vocabulary, length):
    return np.array([[vocabulary.index(char) for char in text.ljust(length, "\n")] for text in texts], "float32")


def run():
    numbers = integers((COUNT, 3), 1, 10**6)
    dates = [(1950 + int(a) % 100, 1 + int(b) % 12, 1 + int(c) % 28) for a, b, c in numbers]
    encoder_x = indices([FORMATS[i % 5](*date) for i, date in enumerate(dates)], INPUT_VOCABULARY, INPUT_LENGTH)
    targets = [f"{y}-{m:02}-{d:02}" for y, m, d in dates]
    decoder_x = indices(["\t" + target[:-1] for target in targets], OUTPUT_VOCABULARY, OUTPUT_LENGTH)
    y = keras.utils.to_categorical(indices(targets, OUTPUT_VOCABULARY, OUTPUT_LENGTH), len(OUTPUT_VOCABULARY))
    model = create_model()
    set_kernels(model)
    model.compile(loss="categorical_crossentropy", optimizer=keras.optimizers.Adam(0.02))
    history = model.fit([encoder_x, decoder_x], y, epochs=4, batch_size=6, shuffle=False, verbose=0).history

    attention_model = keras.Model(model.inputs, model.outputs + [model.get_layer("attention").output])
    decoded = np.zeros((1, OUTPUT_LENGTH), "float32")
    decoded[0, 0] = OUTPUT_VOCABULARY.index("\t")
    for i in range(1, OUTPUT_LENGTH):
        predictions, scores = attention_model.predict([encoder_x[:1], decoded], verbose=0)
        decoded[0, i] = np.argmax(predictions[0, i - 1])
    return {
        "loss": history["loss"],
        "decoded": decoded.ravel(),
        "probabilities": np.max(predictions, axis=2).ravel(),
        "attention": np.mean(ops.convert_to_numpy(ops.softmax(scores)) ** 2, axis=(0, 2)),
    }
