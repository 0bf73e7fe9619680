"""The oracle of text_classification.ts."""

import re
import string

import keras
import numpy as np
import tensorflow as tf
from keras import layers

from formula import set_kernels

REVIEWS = [
    ("A wonderful film,<br />with a great cast!", 1),
    ("Great fun... and a wonderful story", 1),
    ("I loved the story & the MUSIC", 1),
    ("The cast is great, and I loved it", 1),
    ("A boring film,<br />with a terrible cast", 0),
    ("Terrible music, and a boring story!", 0),
    ("I hated the story and the music", 0),
    ("The film is boring; I hated it", 0),
]
LENGTH, MAX_FEATURES = 8, 20


@keras.saving.register_keras_serializable()
def custom_standardization(text):
    stripped = tf.strings.regex_replace(tf.strings.lower(text), "<br />", " ")
    return tf.strings.regex_replace(stripped, f"[{re.escape(string.punctuation)}]", "")


def run():
    texts, labels = [text for text, _ in REVIEWS], np.array([label for _, label in REVIEWS])
    vectorize_layer = layers.TextVectorization(
        standardize=custom_standardization,
        max_tokens=MAX_FEATURES,
        output_mode="int",
        output_sequence_length=LENGTH,
    )
    raw = tf.data.Dataset.from_tensor_slices((texts, labels)).batch(4)
    vectorize_layer.adapt(raw.map(lambda x, y: x))
    train = raw.map(lambda text, label: (vectorize_layer(text), label)).prefetch(2)

    inputs = keras.Input((None,), dtype="int64")
    x = layers.Embedding(MAX_FEATURES, 8)(inputs)
    x = layers.Conv1D(6, 3, padding="valid", activation="relu", strides=1)(x)
    x = layers.Conv1D(6, 3, padding="valid", activation="relu", strides=2)(x)
    x = layers.GlobalMaxPooling1D()(x)
    x = layers.Dense(6, activation="relu")(x)
    model = keras.Model(inputs, layers.Dense(1, activation="sigmoid", name="predictions")(x))
    set_kernels(model)
    model.compile(loss="binary_crossentropy", optimizer=keras.optimizers.Adam(0.02), metrics=["accuracy", "AUC"])
    history = model.fit(train, validation_data=train, epochs=4, verbose=0).history

    raw_inputs = keras.Input((1,), dtype="string")
    end_to_end = keras.Model(raw_inputs, model(vectorize_layer(raw_inputs)))
    end_to_end.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
    evaluated = end_to_end.evaluate(raw, verbose=0, return_dict=True)
    scores = end_to_end.predict(tf.constant([["A great story!"], ["terrible & unknown"]]), verbose=0)
    return {
        "vocabulary": [ord(word[0]) for word in vectorize_layer.get_vocabulary() if word],
        "loss": history["loss"],
        "accuracy": history["accuracy"],
        "auc": history["AUC"],
        "validation": history["val_loss"],
        "evaluated": [evaluated["loss"], evaluated["accuracy"]],
        "scores": scores.ravel(),
    }
