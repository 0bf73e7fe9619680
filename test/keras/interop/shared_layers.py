"""Layers that a model has in several places: makes models of them in Keras, and reads what Retrograd wrote of them.

    python shared_layers.py make|check FOLDER

Keras writes all of these models, and can't read most of its own files again: it loses the mark of a shared layer within a
model, or numbers its calls wrongly. What Retrograd writes it reads.
"""

import json
import os
import pathlib
import sys
import traceback

os.environ.setdefault("KERAS_BACKEND", "jax")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import keras  # noqa: E402
import numpy as np  # noqa: E402
from keras import layers as L  # noqa: E402

makers = {}


def case(make):
    makers[make.__name__] = make
    return make


def vector():
    return keras.Input((4,))


def dense():
    return L.Dense(4, name="shared", activation="tanh")


@case
def graph_and_stack():
    shared, c = dense(), vector()
    graph = keras.Model(c, [shared(c), L.Dense(2)(shared(shared(c)))], name="graph")
    stack = keras.Sequential([vector(), shared, L.UnitNormalization()], name="stack")
    a, b = vector(), vector()
    left, top = graph(a)
    right, _ = graph(stack(b))
    return keras.Model([a, b], [L.Maximum()([left, right]), top])


@case
def two_stacks():
    shared = dense()
    one = keras.Sequential([vector(), shared], name="one")
    two = keras.Sequential([vector(), L.Dense(4), shared, L.Dense(3)], name="two")
    a = vector()
    return keras.Model(a, [one(a), two(one(a))])


@case
def stack_in_a_stack():
    shared = dense()
    inner = keras.Sequential([vector(), shared], name="inner")
    return keras.Sequential([vector(), keras.Sequential([vector(), inner, shared], name="middle"), L.Dense(2)])


@case
def two_graphs():
    shared, c, d = dense(), vector(), vector()
    first = keras.Model(c, L.Dense(4)(shared(c)), name="first")
    second = keras.Model(d, L.Dense(2)(shared(shared(d))), name="second")
    a = vector()
    return keras.Model(a, second(first(second.layers[1](a))))


@case
def outside_and_inside():
    shared, c = dense(), vector()
    inner = keras.Model(c, L.Dense(4)(shared(c)), name="inner")
    a = vector()
    return keras.Model(a, L.Dense(1)(shared(inner(shared(a)))))


@case
def stack_in_two_graphs():
    shared = keras.Sequential([vector(), L.Dense(4), L.Dense(4, activation="relu")], name="shared")
    c, d = vector(), vector()
    first = keras.Model(c, L.Dense(4)(shared(c)), name="first")
    second = keras.Model(d, L.Dense(2)(shared(d)), name="second")
    a = vector()
    return keras.Model(a, second(first(a)))


@case
def graph_in_two_graphs():
    x, c, d = vector(), vector(), vector()
    shared = keras.Model(x, L.Add()([x, L.Dense(4)(x)]), name="shared")
    first = keras.Model(c, shared(L.Dense(4)(c)), name="first")
    second = keras.Model(d, [L.Dense(2)(shared(shared(d))), shared(d)], name="second")
    a = vector()
    return keras.Model(a, second(first(a)))


@case
def three_times():
    shared = dense()
    stacks = [keras.Sequential([vector(), shared], name=f"stack_{i}") for i in range(3)]
    a = vector()
    return keras.Model(a, [L.Add()([stack(a) for stack in stacks]), shared(stacks[0](a))])


@case
def parts_of_a_graph():
    c = vector()
    h = L.Dense(4, name="shared")(c)
    whole, part = keras.Model(c, L.Dense(2)(h), name="whole"), keras.Model(c, h, name="part")
    a = vector()
    return keras.Model(a, [whole(a), part(part(a))])


@case
def two_wrappers():
    shared, a = dense(), keras.Input((3, 4))
    return keras.Model(a, L.TimeDistributed(shared, name="two")(L.TimeDistributed(shared, name="one")(a)))


@case
def wrapper_and_layer():
    shared, a, b = dense(), keras.Input((3, 4)), vector()
    return keras.Model([a, b], [L.TimeDistributed(shared)(shared(a)), shared(b)])


@case
def wrapper_and_stack():
    shared, a, b = dense(), keras.Input((3, 4)), vector()
    stack = keras.Sequential([vector(), shared], name="stack")
    return keras.Model([a, b], [L.TimeDistributed(stack)(a), L.Dense(2)(stack(b))])


@case
def wrapper_in_a_stack():
    shared, a = dense(), keras.Input((3, 4))
    stack = keras.Sequential([keras.Input((3, 4)), L.TimeDistributed(shared)], name="stack")
    return keras.Model(a, shared(stack(a)))


@case
def one_cell():
    cell, a = L.LSTMCell(3, name="cell"), keras.Input((5, 3))
    return keras.Model(a, L.RNN(cell, name="two")(L.RNN(cell, return_sequences=True, name="one")(a)))


@case
def cell_of_a_stack():
    cell, a = L.GRUCell(3, name="cell"), keras.Input((5, 3))
    return keras.Model(a, L.RNN([cell, cell], name="rnn")(a))


@case
def backward_layer():
    back, a = L.LSTM(3, go_backwards=True, name="back"), keras.Input((5, 3))
    one = L.Bidirectional(L.LSTM(3, name="f"), backward_layer=back, name="one")(a)
    two = L.Bidirectional(L.LSTM(3, name="g"), backward_layer=back, name="two")(a)
    return keras.Model(a, [one, two, back(a)])


@case
def bidirectional_in_two_stacks():
    shared, a = L.Bidirectional(L.GRU(2), name="shared"), keras.Input((5, 3))
    one = keras.Sequential([keras.Input((5, 3)), shared], name="one")
    two = keras.Sequential([keras.Input((5, 3)), shared, L.Dense(2)], name="two")
    return keras.Model(a, [one(a), two(a)])


@case
def spectral():
    shared, a = dense(), vector()
    return keras.Model(a, L.SpectralNormalization(shared)(shared(a)))


@case
def statistics():
    shared = L.BatchNormalization(name="shared")
    one = keras.Sequential([vector(), shared], name="one")
    two = keras.Sequential([vector(), L.Dense(4), shared], name="two")
    a = vector()
    return keras.Model(a, [one(a), two(a)])


def listed(x):
    return {"shape": list(x.shape), "data": np.asarray(x, "float32").ravel().tolist()}


def single(values):
    return values[0] if len(values) == 1 else values


def outputs_of(model, inputs):
    return [np.asarray(y) for y in keras.tree.flatten(model(single(inputs)))]


def make(folder, name):
    keras.utils.clear_session()
    keras.utils.set_random_seed(1)
    model = makers[name]()
    rng = np.random.default_rng(0)
    for weight in model.weights:
        weight.assign(rng.uniform(0.1, 1, weight.shape) if "variance" in weight.path else rng.normal(size=weight.shape))
    model.save(folder / f"{name}.keras")
    inputs = [rng.normal(size=(2, *x.shape[1:])).astype("float32") for x in model.inputs]
    case = {"weights": len(model.weights), "inputs": inputs, "outputs": outputs_of(model, inputs)}
    (folder / f"{name}.json").write_text(
        json.dumps({**case, "inputs": [listed(x) for x in inputs], "outputs": [listed(y) for y in case["outputs"]]})
    )


def check(folder, name):
    """How far what Keras computes with a file of Retrograd is from what it computed before, and how many weights it has."""
    case = json.loads((folder / f"{name}.json").read_text())
    inputs, outputs = ([np.array(a["data"], "float32").reshape(a["shape"]) for a in case[key]] for key in ("inputs", "outputs"))
    keras.utils.clear_session()
    model = keras.models.load_model(folder / f"{name}.saved.keras")
    difference = max(float(np.abs(a - b).max()) for a, b in zip(outputs_of(model, inputs), outputs))
    return {"weights": len(model.weights), "difference": difference}


def main():
    what, folder, *names = sys.argv[1:]
    folder = pathlib.Path(folder)
    results = {}
    for name in names or makers:
        try:
            results[name] = {"make": make, "check": check}[what](folder, name)
        except Exception:
            results[name] = {"error": traceback.format_exc(limit=-3)}
    (folder / f"{what}.json").write_text(json.dumps(results))


main()
