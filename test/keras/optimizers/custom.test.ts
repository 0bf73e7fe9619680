/** @file A custom optimizer: a rule of a few lines, with all features of the library's optimizers. */
import { beforeAll, expect, test } from 'vitest';
import { init, tensor, variable } from '../../../src/index.ts';
import { optimizers } from '../../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const heavyBall = optimizers.defineStep('heavyBall', ['rate', 'memory'], () => ({
  statements: `
    ball = params.memory * ball + g;
    value -= params.rate * ball;`,
}));

class HeavyBall extends optimizers.FusedOptimizer {
  static override readonly className = 'HeavyBall';
  readonly #rate = new optimizers.DynamicScalar(0);

  protected override get states() {
    return [[{ name: 'ball' }]];
  }

  protected override get settings() {
    return { kernel: heavyBall, variant: 'plain', params: { rate: this.#rate, memory: 0.5 } };
  }

  protected override advance(_step: number, rate: number): void {
    this.#rate.value = rate;
  }
}

test('moves by its own rule', async () => {
  const rate = optimizers.schedules.piecewiseConstantDecay({ boundaries: [0], values: [1, 0.5] });
  const optimizer = new HeavyBall({ learningRate: rate, clipvalue: 2 });
  const [a, b] = [variable(tensor([1, 2]), { name: 'a' }), variable(tensor([3]), { name: 'b' })];
  optimizer.apply([tensor([1, -1]), tensor([4])], [a, b]);
  optimizer.apply([tensor([1, 0]), tensor([1])], [a, b]);
  // Balls: 1, -1, 2 (clipped); then 1.5, -0.5, 2.
  expect(await a.array()).toEqual([1 - 1 - 0.75, 2 + 1 + 0.25]);
  expect(await b.array()).toEqual([3 - 2 - 1]);
  expect(optimizer.variables.map(({ name }) => name)).toEqual([
    'heavy_ball/iteration',
    'heavy_ball/a_ball',
    'heavy_ball/b_ball',
  ]);
});
