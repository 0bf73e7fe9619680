"""The oracle of actor_critic.ts."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

from cart_pole import CartPole
from formula import numbers, set_kernels, uniform

GAMMA, EPISODES, MAX_STEPS = 0.99, 3, 12
EPS = np.finfo(np.float32).eps.item()


def run():
    inputs = layers.Input(shape=(4,))
    common = layers.Dense(16, activation="relu")(inputs)
    action = layers.Dense(2, activation="softmax")(common)
    critic = layers.Dense(1)(common)
    model = keras.Model(inputs=inputs, outputs=[action, critic])
    set_kernels(model)
    optimizer = keras.optimizers.Adam(learning_rate=0.01)
    huber = keras.losses.Huber()
    draws = iter(numbers(EPISODES * MAX_STEPS, 5))
    env, running, losses, lengths, actions = CartPole(), [0.0], [], [], []
    for episode in range(EPISODES):
        state = env.reset(uniform((4,), 10 + episode, -0.05, 0.05))
        log_probabilities, values, rewards = [], [], []
        with tf.GradientTape() as tape:
            for _ in range(MAX_STEPS):
                probabilities, value = model(ops.expand_dims(ops.convert_to_tensor(state, "float32"), 0))
                values.append(value[0, 0])
                chosen = 0 if next(draws) < float(probabilities[0, 0]) else 1
                log_probabilities.append(ops.log(probabilities[0, chosen]))
                state, reward, done = env.step(chosen)
                rewards.append(reward)
                actions.append(chosen)
                if done:
                    break
            running.append(0.05 * sum(rewards) + 0.95 * running[-1])
            returns, discounted = [], 0.0
            for reward in rewards[::-1]:
                discounted = reward + GAMMA * discounted
                returns.insert(0, discounted)
            returns = np.array(returns)
            returns = ((returns - np.mean(returns)) / (np.std(returns) + EPS)).tolist()
            actor_losses, critic_losses = [], []
            for log_probability, value, ret in zip(log_probabilities, values, returns):
                actor_losses.append(-log_probability * (ret - value))
                critic_losses.append(huber(ops.expand_dims(value, 0), ops.expand_dims(ret, 0)))
            loss = sum(actor_losses) + sum(critic_losses)
            gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        losses.append(float(loss))
        lengths.append(len(rewards))
    return {"loss": losses, "running": running[1:], "length": lengths, "actions": actions}
