"""Keras on torch: fit with validation after each epoch, and an evaluation before."""

import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy
from keras import layers, ops


class Dense(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.first = layers.Dense(256)
        self.last = layers.Dense(16)

    def call(self, x):
        hidden = ops.relu(self.first(x))  # model
        return self.last(hidden)  # model


class Tell(keras.callbacks.Callback):
    updates = 0

    def on_train_batch_end(self, batch, logs=None):
        self.updates += 1
        print(f"TRUTH {self.updates}", flush=True)

    def on_test_batch_end(self, batch, logs=None):
        print("EVALUATED", flush=True)


if __name__ == "__main__":
    x = numpy.random.rand(96, 64).astype("float32")
    y = numpy.random.rand(96, 16).astype("float32")
    model = Dense()
    model.compile(optimizer="sgd", loss="mse")
    tell = Tell()
    model.evaluate(x, y, batch_size=32, verbose=0, callbacks=[tell])
    model.fit(  # optimizer
        x, y, batch_size=32, epochs=50, verbose=0, validation_data=(x, y), callbacks=[tell]
    )
