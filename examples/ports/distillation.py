"""The oracle of distillation.ts."""

import keras
from keras import layers, ops

from formula import integers, set_kernels, uniform

TEMPERATURE = 3


def network(filters):
    return keras.Sequential([
        layers.Input((8, 8, 1)),
        layers.Conv2D(filters, 3, strides=2, padding="same"),
        layers.LeakyReLU(negative_slope=0.2),
        layers.MaxPooling2D(2, strides=1, padding="same"),
        layers.Conv2D(2 * filters, 3, strides=2, padding="same"),
        layers.Flatten(),
        layers.Dense(3),
    ])


class Distiller(keras.Model):
    def __init__(self, student, teacher):
        super().__init__()
        self.student = student
        self.teacher = teacher
        teacher.trainable = False
        self.label_loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.divergence = keras.losses.KLDivergence()

    def call(self, x):
        return self.student(x)

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        taught = ops.softmax(self.teacher(x, training=False) / TEMPERATURE, axis=1)
        distillation = self.divergence(taught, ops.softmax(y_pred / TEMPERATURE, axis=1)) * TEMPERATURE**2
        return 0.1 * self.label_loss(y, y_pred) + 0.9 * distillation


def run():
    images, labels = uniform((16, 8, 8, 1), 1), integers((16,), 2, 3)
    teacher, student = network(6), network(3)
    set_kernels(teacher, student)
    logits = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    teacher.compile(optimizer=keras.optimizers.Adam(0.005), loss=logits)
    taught = teacher.fit(images, labels, epochs=3, batch_size=8, shuffle=False, verbose=0).history["loss"]
    distiller = Distiller(student, teacher)
    distiller.compile(optimizer=keras.optimizers.Adam(0.005), metrics=["sparse_categorical_accuracy"])
    history = distiller.fit(images, labels, epochs=3, batch_size=8, shuffle=False, verbose=0).history
    return {"teacher": taught, "student": history["loss"]}
