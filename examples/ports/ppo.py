"""The oracle of ppo.ts."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

from cart_pole import CartPole
from formula import numbers, set_kernels, uniform

GAMMA, LAM, CLIP_RATIO, TARGET_KL = 0.99, 0.97, 0.2, 0.002
STEPS_PER_EPOCH, EPOCHS, MAX_EPISODE = 24, 2, 10
POLICY_ITERATIONS, VALUE_ITERATIONS, ACTIONS = 8, 5, 2


def discounted_cumulative_sums(x, discount):
    sums, total = [], 0.0
    for value in reversed(x):
        total = value + discount * total
        sums.append(total)
    return np.array(sums[::-1])


class Buffer:
    def __init__(self):
        self.observations, self.actions, self.rewards, self.values, self.log_probabilities = [], [], [], [], []
        self.advantages, self.returns, self.start = [], [], 0

    def store(self, observation, action, reward, value, log_probability):
        self.observations.append(list(observation))
        self.actions.append(action)
        self.rewards.append(reward)
        self.values.append(value)
        self.log_probabilities.append(log_probability)

    def finish_trajectory(self, last_value=0.0):
        rewards = np.append(self.rewards[self.start :], last_value)
        values = np.append(self.values[self.start :], last_value)
        deltas = rewards[:-1] + GAMMA * values[1:] - values[:-1]
        self.advantages.extend(discounted_cumulative_sums(deltas, GAMMA * LAM))
        self.returns.extend(discounted_cumulative_sums(rewards, GAMMA)[:-1])
        self.start = len(self.rewards)

    def get(self):
        advantages = np.array(self.advantages)
        advantages = (advantages - np.mean(advantages)) / np.std(advantages)
        columns = (self.observations, advantages, self.returns, self.log_probabilities)
        return [np.array(self.actions, "int32")] + [np.array(column, "float32") for column in columns]


def mlp(x, sizes, activation="tanh", output_activation=None):
    for size in sizes[:-1]:
        x = layers.Dense(units=size, activation=activation)(x)
    return layers.Dense(units=sizes[-1], activation=output_activation)(x)


def log_probabilities_of(logits, actions):
    return ops.sum(ops.one_hot(actions, ACTIONS) * ops.log_softmax(logits), axis=1)


def run():
    observation_input = keras.Input(shape=(4,))
    actor = keras.Model(observation_input, mlp(observation_input, [8, 8, ACTIONS]))
    critic = keras.Model(observation_input, ops.squeeze(mlp(observation_input, [8, 8, 1]), axis=1))
    set_kernels(actor, critic)
    policy_optimizer, value_optimizer = keras.optimizers.Adam(0.003), keras.optimizers.Adam(0.01)

    @tf.function
    def train_policy(observations, actions, old, advantages):
        with tf.GradientTape() as tape:
            ratio = ops.exp(log_probabilities_of(actor(observations), actions) - old)
            limited = ops.where(advantages > 0, (1 + CLIP_RATIO) * advantages, (1 - CLIP_RATIO) * advantages)
            loss = -ops.mean(ops.minimum(ratio * advantages, limited))
        gradients = tape.gradient(loss, actor.trainable_variables)
        policy_optimizer.apply_gradients(zip(gradients, actor.trainable_variables))
        return ops.mean(old - log_probabilities_of(actor(observations), actions)), loss

    @tf.function
    def train_value(observations, returns):
        with tf.GradientTape() as tape:
            loss = ops.mean((returns - critic(observations)) ** 2)
        gradients = tape.gradient(loss, critic.trainable_variables)
        value_optimizer.apply_gradients(zip(gradients, critic.trainable_variables))
        return loss

    draws = iter(numbers(EPOCHS * STEPS_PER_EPOCH, 5))
    starts = iter(uniform((100, 4), 6, -0.05, 0.05))
    env, curves = CartPole(), {"value": [], "iterations": [], "actions": []}
    for _ in range(EPOCHS):
        buffer, length = Buffer(), 0
        observation = env.reset(next(starts))
        for step in range(STEPS_PER_EPOCH):
            batch = ops.convert_to_tensor([observation], "float32")
            logits = actor(batch)
            probability = float(ops.softmax(logits)[0, 0])
            action = 0 if next(draws) < probability else 1
            value = float(critic(batch)[0])
            log_probability = float(log_probabilities_of(logits, ops.convert_to_tensor([action]))[0])
            new_observation, reward, done = env.step(action)
            buffer.store(observation, action, reward, value, log_probability)
            observation, length = new_observation, length + 1
            curves["actions"].append(action)
            if done or length == MAX_EPISODE or step == STEPS_PER_EPOCH - 1:
                last = 0.0 if done else float(critic(ops.convert_to_tensor([observation], "float32"))[0])
                buffer.finish_trajectory(last)
                observation, length = env.reset(next(starts)), 0
        actions, observations, advantages, returns, old = buffer.get()
        curves["iterations"].append(0)
        for _ in range(POLICY_ITERATIONS):
            kl, _ = train_policy(observations, actions, old, advantages)
            curves["iterations"][-1] += 1
            if float(kl) > 1.5 * TARGET_KL:
                break
        for _ in range(VALUE_ITERATIONS):
            curves["value"].append(float(train_value(observations, returns)))
    curves["policy"] = ops.convert_to_numpy(ops.softmax(actor(observations[:6])))[:, 0]
    return curves
