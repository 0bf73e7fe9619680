"""The oracle of seq2seq.ts."""

import os
import tempfile

import keras
import numpy as np
from keras import layers

from formula import set_kernels

PAIRS = [("go", "geh"), ("run", "lauf"), ("stop", "halt"), ("wait", "warte"), ("help", "hilfe"), ("hello", "hallo")]
LATENT = 12
SOURCES = [source for source, _ in PAIRS]
TARGETS = [f"\t{target}\n" for _, target in PAIRS]
SOURCE_CHARS = sorted(set(" " + "".join(SOURCES)))
TARGET_CHARS = sorted(set(" " + "".join(TARGETS)))
SOURCE_LENGTH, TARGET_LENGTH = max(map(len, SOURCES)), max(map(len, TARGETS))


def one_hot(texts, chars, length):
    ids = [[chars.index(char) for char in text.ljust(length)] for text in texts]
    return np.eye(len(chars), dtype="float32")[ids]


def run():
    encoder_x = one_hot(SOURCES, SOURCE_CHARS, SOURCE_LENGTH)
    decoder_x = one_hot(TARGETS, TARGET_CHARS, TARGET_LENGTH)
    y = one_hot([target[1:] for target in TARGETS], TARGET_CHARS, TARGET_LENGTH)

    encoder_inputs = keras.Input((None, len(SOURCE_CHARS)))
    _, state_h, state_c = layers.LSTM(LATENT, return_state=True)(encoder_inputs)
    decoder_inputs = keras.Input((None, len(TARGET_CHARS)))
    decoder_lstm = layers.LSTM(LATENT, return_sequences=True, return_state=True)
    outputs, _, _ = decoder_lstm(decoder_inputs, initial_state=[state_h, state_c])
    outputs = layers.Dense(len(TARGET_CHARS), activation="softmax")(outputs)
    model = keras.Model([encoder_inputs, decoder_inputs], outputs)
    set_kernels(model)
    model.compile(optimizer=keras.optimizers.RMSprop(0.02), loss="categorical_crossentropy", metrics=["accuracy"])
    history = model.fit([encoder_x, decoder_x], y, batch_size=3, epochs=8, shuffle=False, verbose=0).history
    path = os.path.join(tempfile.mkdtemp(), "s2s_model.keras")
    model.save(path)

    restored = keras.models.load_model(path)
    encoder_outputs, *encoder_states = restored.layers[2].output
    encoder = keras.Model(restored.input[0], encoder_states)
    state_inputs = [keras.Input((LATENT,)), keras.Input((LATENT,))]
    outputs, *states = restored.layers[3](restored.input[1], initial_state=state_inputs)
    decoder = keras.Model([restored.input[1]] + state_inputs, [restored.layers[4](outputs)] + states)

    decoded, confidences = [], []
    for i in range(3):
        states = encoder.predict(encoder_x[i : i + 1], verbose=0)
        text = "\t"
        while len(text) <= TARGET_LENGTH and not text.endswith("\n"):
            last = one_hot([text[-1]], TARGET_CHARS, 1)
            probabilities, *states = decoder.predict([last] + states, verbose=0)
            text += TARGET_CHARS[int(np.argmax(probabilities[0, -1]))]
            confidences.append(probabilities.max())
        decoded.extend(ord(char) for char in text)
    return {
        "loss": history["loss"],
        "accuracy": history["accuracy"],
        "decoded": decoded,
        "confidences": confidences,
    }
