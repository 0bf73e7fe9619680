"""A pole on a cart, in float64: see cart_pole.ts."""

import math


class CartPole:
    def reset(self, start):
        self.state = [float(value) for value in start]
        return self.state

    def step(self, action):
        x, velocity, angle, rotation = self.state
        force = 10.0 if action == 1 else -10.0
        cos, sin = math.cos(angle), math.sin(angle)
        push = (force + 0.05 * rotation * rotation * sin) / 1.1
        turn = (9.8 * sin - cos * push) / (0.5 * (4 / 3 - 0.1 * cos * cos / 1.1))
        pull = push - 0.05 * turn * cos / 1.1
        self.state = [x + 0.02 * velocity, velocity + 0.02 * pull, angle + 0.02 * rotation, rotation + 0.02 * turn]
        return self.state, 1.0, abs(self.state[0]) > 2.4 or abs(self.state[2]) > math.pi / 15
