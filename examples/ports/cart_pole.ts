/** @file A pole on a cart, the usual first problem of reinforcement learning: it counts the steps until the pole falls. */

type State = [x: number, velocity: number, angle: number, rotation: number];

/** Pushes to the left (0) or right (1) move a cart of 1 kg that carries a pole of 1 m and 0.1 kg. A step takes 0.02 s. */
export class CartPole {
  state: State = [0, 0, 0, 0];

  reset(start: readonly number[]): State {
    this.state = [...start] as State;
    return this.state;
  }

  step(action: number): [state: State, reward: number, isDone: boolean] {
    const [x, velocity, angle, rotation] = this.state;
    const force = action === 1 ? 10 : -10;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const push = (force + 0.05 * rotation * rotation * sin) / 1.1;
    const turn = (9.8 * sin - cos * push) / (0.5 * (4 / 3 - (0.1 * cos * cos) / 1.1));
    const pull = push - (0.05 * turn * cos) / 1.1;
    this.state = [
      x + 0.02 * velocity,
      velocity + 0.02 * pull,
      angle + 0.02 * rotation,
      rotation + 0.02 * turn,
    ];
    return [this.state, 1, Math.abs(this.state[0]) > 2.4 || Math.abs(this.state[2]) > Math.PI / 15];
  }
}
