"""Models that put layers together in unusual ways, for varied_models.py."""

import keras
from keras import layers as L, ops

makers = {}


def case(function):
    makers[function.__name__] = function
    return function


def vector(size=4, **options):
    return keras.Input((size,), **options)


@keras.saving.register_keras_serializable(package="odd")
class Scale(L.Layer):
    """One weight, an option and a default."""

    def __init__(self, power=1, **kwargs):
        super().__init__(**kwargs)
        self.power = power

    def build(self, shape):
        self.scale = self.add_weight(name="scale", shape=(shape[-1],), initializer="ones")

    def call(self, x):
        return ops.power(x, self.power) * self.scale

    def get_config(self):
        return {**super().get_config(), "power": self.power}


@keras.saving.register_keras_serializable(package="odd", name="Renamed")
class Around(L.Layer):
    """A layer with a layer inside, registered under another name than its own."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.inner = L.Dense(units, name="inner")

    def build(self, shape):
        self.inner.build(shape)

    def call(self, x):
        return self.inner(x) + 1.0

    def get_config(self):
        return {**super().get_config(), "units": self.units}


@case
def layers_of_an_app():
    x = vector()
    h = Scale(power=2, name="squared")(x)
    h = Around(3)(Scale()(h))
    inner = keras.Sequential([vector(3), Scale(name="squared")], name="inner")
    return keras.Model(x, [h, inner(h)])


@case
def one_tensor_in_many_places():
    x = vector()
    h = L.Dense(4, name="h")(x)
    return keras.Model(x, [h, x, h, L.Add()([h, h]), L.Concatenate()([x, h, x])])


@case
def outputs_that_are_not_used():
    a = keras.Input((5, 3))
    inner = keras.Model(a, [L.LSTM(2)(a), L.Flatten()(a), L.GlobalMaxPooling1D()(a)], name="inner")
    x = keras.Input((5, 3))
    _, flat, _ = inner(x)
    _, _, cell = L.LSTM(4, return_state=True)(x)
    sequence, *states = L.Bidirectional(L.GRU(2, return_state=True, return_sequences=True))(x)
    return keras.Model(x, [flat, cell, states[1], sequence])


@case
def one_layer_on_many_shapes():
    dense, norm, pool = L.Dense(3, name="dense"), L.LayerNormalization(), L.GlobalAveragePooling2D()
    conv = L.Conv2D(3, 2, padding="same")
    small, large, rows = keras.Input((4, 4, 3)), keras.Input((6, 8, 3)), keras.Input((5, 3))
    return keras.Model([small, large, rows], [pool(conv(small)), pool(conv(conv(large))), dense(rows), dense(pool(small)), norm(dense(large))])


@case
def the_same_names_everywhere():
    inner = keras.Sequential([vector(name="x"), L.Dense(4, name="dense"), L.Dense(4, name="model")], name="dense")
    deep = keras.Sequential([vector(name="x"), inner, L.Dense(4, name="x1")], name="model")
    x = vector(name="x")
    return keras.Model(x, L.Dense(2, name="dense_1")(deep(L.Dense(4, name="dense")(x))), name="model")


@case
def sizes_that_are_open():
    x, image = keras.Input((None, 6)), keras.Input((None, None, 3))
    h = L.MultiHeadAttention(2, 3)(x, x)
    h, scores = L.MultiHeadAttention(3, 2, name="scored", output_shape=5)(h, x, return_attention_scores=True)
    g = L.GroupQueryAttention(3, 4, 2)(x, x)
    a = L.Attention()([x, g])
    b = L.AdditiveAttention()([a, x])
    c = L.Conv1D(4, 3, padding="causal")(b)
    i = L.GlobalMaxPooling2D()(L.UpSampling2D()(L.Conv2DTranspose(2, 3, strides=2)(image)))
    return keras.Model([x, image], [h, scores, g, a, L.TimeDistributed(L.Dense(2))(c), i, L.Bidirectional(L.LSTM(2))(x)])


@case
def wrappers_in_wrappers():
    x = keras.Input((2, 3, 4))
    h = L.TimeDistributed(L.TimeDistributed(L.Dense(3)))(x)
    h = L.TimeDistributed(L.Bidirectional(L.SimpleRNN(2, return_sequences=True), merge_mode="sum"))(h)
    stack = keras.Sequential([keras.Input((3, 2)), L.LSTM(3), L.Dropout(0.2)], name="stack")
    h = L.TimeDistributed(stack)(h)
    return keras.Model(x, L.Bidirectional(L.RNN([L.GRUCell(2), L.LSTMCell(3)]), merge_mode="ave")(h))


@case
def recurrence_of_all_kinds():
    x = keras.Input(batch_shape=(4, 5, 3))
    h = L.Bidirectional(L.LSTM(3, return_sequences=True, stateful=True, unroll=True))(x)
    h, s = L.SimpleRNN(4, return_sequences=True, return_state=True, go_backwards=True)(h)
    h = L.RNN(L.GRUCell(4, reset_after=False), return_sequences=True)(h, initial_state=s)
    first, last = L.GRU(3)(h), L.Bidirectional(L.GRU(2), merge_mode=None)(h)
    images = keras.Input((3, 6, 6, 2))
    g = L.ConvLSTM2D(2, 3, strides=2, padding="same", return_sequences=True, recurrent_activation="hard_sigmoid")(images)
    return keras.Model([x, images], [first, *last, L.ConvLSTM2D(3, 2, dilation_rate=2, data_format="channels_last")(g)])
