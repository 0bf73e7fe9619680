import { compile, GradientTape, tensor, tidy, variable } from 'retrograd';
import { optimizers } from 'retrograd/keras';

/** Gradient descent on variables: on the pixels of a picture, or on the weights of a network. */
export class Descent {
  losses = [];

  /** `loss(variables)` returns a scalar. */
  constructor(variables, loss, learningRate) {
    this.variables = variables;
    this.optimizer = optimizers.adam({ learningRate });
    this.optimizer.build(variables);
    // Recorded once, then replayed: the launches of a step, without the JavaScript between them.
    this.step = compile(() => {
      const tape = new GradientTape();
      try {
        const value = loss();
        this.optimizer.apply(tape.gradient(value, variables), variables);
        return value;
      } finally {
        tape.dispose();
      }
    });
  }

  /** Everything that must survive the loss of a device. */
  async save() {
    const values = await Promise.all(this.variables.map((v) => v.data()));
    return {
      values,
      moments: await this.optimizer.getWeights(),
      losses: [...this.losses],
    };
  }

  restore({ values, moments, losses }) {
    this.variables.forEach((v, i) => {
      v.assign(tidy(() => tensor(values[i], { shape: v.shape })));
    });
    this.optimizer.setWeights(moments);
    this.losses = losses;
  }

  dispose() {
    this.step.dispose();
    this.optimizer.dispose();
    for (const v of this.variables) v.dispose();
  }
}

/** A picture that starts as `values`, a tensor [1, size, size, 3]. */
export const pictureVariable = (values) =>
  variable(values, { name: 'picture' });

/** A picture's values, from 0 to 1, as the pixels of a canvas. */
export function pixelsOf(values, size) {
  const data = new Uint8ClampedArray(4 * size * size).fill(255);
  for (let i = 0; i < size * size; i++)
    for (let c = 0; c < 3; c++)
      data[4 * i + c] = Math.round(255 * values[3 * i + c]);
  return { width: size, height: size, data };
}

/** Peak signal-to-noise ratio in decibels: how near a picture is to its target, pixel by pixel. */
export function decibels(values, wanted) {
  const total = values.reduce(
    (sum, value, i) => sum + (value - wanted[i]) ** 2,
    0,
  );
  return `${(10 * Math.log10(values.length / total)).toFixed(1)} dB`;
}
