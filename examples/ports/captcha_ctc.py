"""The oracle of captcha_ctc.ts."""

import keras
import numpy as np
from keras import layers, ops

from formula import integers, set_kernels, uniform

CHARACTERS = ["2", "4", "7", "b", "n", "x"]
WIDTH, HEIGHT, LENGTH = 16, 8, 2


class CTCLayer(layers.Layer):
    def call(self, y_true, y_pred):
        batch, steps, _ = y_pred.shape
        lengths = ops.full((ops.shape(y_pred)[0],), steps, dtype="int32")
        label_lengths = ops.full((ops.shape(y_true)[0],), y_true.shape[1], dtype="int32")
        log_probabilities = ops.log(y_pred + keras.config.epsilon())
        blank = y_pred.shape[-1] - 1
        loss = ops.ctc_loss(ops.cast(y_true, "int32"), log_probabilities, label_lengths, lengths, mask_index=blank)
        self.add_loss(ops.mean(loss))
        return y_pred


def build_model(vocabulary_size):
    image = layers.Input((WIDTH, HEIGHT, 1), name="image")
    labels = layers.Input((LENGTH,), name="label", dtype="float32")
    x = layers.Conv2D(6, 3, activation="relu", kernel_initializer="he_normal", padding="same")(image)
    x = layers.MaxPooling2D((2, 2))(x)
    x = layers.Conv2D(8, 3, activation="relu", kernel_initializer="he_normal", padding="same")(x)
    x = layers.MaxPooling2D((1, 2))(x)
    x = layers.Reshape((WIDTH // 2, (HEIGHT // 4) * 8))(x)
    x = layers.Dense(8, activation="relu")(x)
    x = layers.Bidirectional(layers.LSTM(6, return_sequences=True))(x)
    x = layers.Bidirectional(layers.LSTM(5, return_sequences=True))(x)
    x = layers.Dense(vocabulary_size + 1, activation="softmax", name="characters")(x)
    output = CTCLayer(name="ctc_loss")(labels, x)
    return keras.Model(inputs=[image, labels], outputs=output)


def run():
    char_to_num = layers.StringLookup(vocabulary=CHARACTERS, mask_token=None)
    num_to_char = layers.StringLookup(vocabulary=char_to_num.get_vocabulary(), mask_token=None, invert=True)
    texts = ["".join(CHARACTERS[i] for i in row) for row in integers((8, LENGTH), 1, len(CHARACTERS))]
    labels = np.stack([char_to_num(list(text)).numpy() for text in texts])
    # What is seen of a character: a column pattern of its own, under noise.
    patterns = uniform((1 + len(CHARACTERS), WIDTH // LENGTH, HEIGHT), 2)
    images = patterns[labels].reshape(8, WIDTH, HEIGHT, 1) + 0.1 * uniform((8, WIDTH, HEIGHT, 1), 3)
    model = build_model(len(char_to_num.get_vocabulary()))
    set_kernels(model)
    model.compile(optimizer=keras.optimizers.Adam(0.01))
    x = {"image": images, "label": labels.astype("float32")}
    history = model.fit(
        x, epochs=3, batch_size=4, shuffle=False, verbose=0, validation_data=(x, None),
        callbacks=[keras.callbacks.EarlyStopping(monitor="val_loss", patience=3, restore_best_weights=True)],
    ).history

    prediction_model = keras.Model(model.input[0], model.get_layer(name="characters").output)
    predictions = prediction_model.predict(images, verbose=0)
    steps = np.full(8, predictions.shape[1])
    (greedy,), scores = ops.nn.ctc_decode(ops.log(predictions), steps, strategy="greedy", mask_index=-1)
    greedy = ops.convert_to_numpy(greedy)
    read = "|".join(
        "".join(c.decode() for c in num_to_char(row[row >= 0]).numpy()) if (row >= 0).any() else "" for row in greedy
    )
    return {
        "loss": history["loss"],
        "validation": history["val_loss"],
        "scores": ops.convert_to_numpy(scores).ravel(),
        "read": [ord(char) for char in read],
    }
