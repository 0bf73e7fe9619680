/** @file Parts of a model that an app writes: functions that return something else, and methods that would never be called. */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, mean, ones, RetrogradError, squaredDifference, type Tensor, tensor } from '../../src/index.ts';
import {
  callbacks,
  input,
  Layer,
  layers,
  losses,
  Model,
  optimizers,
  sequential,
} from '../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const x = () => ones([2, 4]);
const data = [
  [[1], [2]],
  [[1], [2]],
] as const;

const regressor = (options: object = {}) => {
  const net = sequential([layers.inputLayer([1]), layers.dense({ units: 1, ...options })]);
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  return net;
};

/** Builds a layer with a weight [3]. */
const weightOf = (initializer: unknown) => {
  class Weighted extends Layer {
    override build(): void {
      this.addWeight('w', { shape: [3], initializer: initializer as 'zeros' });
    }
    override call(inputs: Tensor): Tensor {
      return inputs;
    }
  }
  return new Weighted().apply(x());
};

const lossesWith = (kernelRegularizer: unknown) => {
  const layer = layers.dense({ units: 1, kernelRegularizer: kernelRegularizer as 'l2' });
  layer.apply(x());
  return layer.losses;
};

const rateOf = (schedule: () => unknown) => optimizers.sgd(schedule as () => number).learningRate;

test.each<[string, () => unknown, RegExp]>([
  [
    'an initializer, another shape',
    () => weightOf(() => ones([2])),
    /returns float32\[3\][\s\S]*float32\[2\]/,
  ],
  ['an initializer, another dtype', () => weightOf(() => tensor([1, 2, 3], [3], 'int32')), /int32\[3\]/],
  ['an initializer, nothing', () => weightOf(() => {}), /received: undefined/],
  ['an initializer, a Promise', () => weightOf(async () => ones([3])), /await it first/],
  ['a regularizer, a number', () => lossesWith(() => 3), /a regularizer returns a tensor[\s\S]*received: 3/],
  ['a regularizer, a Promise', () => lossesWith(async (w: Tensor) => w), /await it first/],
  [
    'a schedule, a text',
    () => rateOf(() => '0.1'),
    /a schedule gives a finite number[\s\S]*'0.1' for step 0/,
  ],
  ['a schedule, NaN', () => rateOf(() => Number.NaN), /received: NaN for step 0/],
  ['a schedule, a Promise', () => rateOf(async () => 0.1), /await it first/],
  [
    'an activation that was assigned',
    () => Object.assign(layers.dense(2), { activation: 'relu' }).apply(x()),
    /an activation is one of/,
  ],
])('returned by %s', (_, call, message) => {
  expect(call).toThrow(message);
  expect(call).toThrow(RetrogradError);
});

test.each([() => {}, () => 3, async (w: Tensor) => w])('returned by a constraint: %s', async (constraint) => {
  const net = regressor({ kernelConstraint: constraint });
  await expect(net.fit(...data, { verbose: 0 })).rejects.toThrow(/a constraint returns a tensor/);
});

test.each([undefined, 3, { a: null }])('returned by predictStep: %s', async (outputs) => {
  class Silent extends Model {
    readonly top = layers.dense(1);
    override call(inputs: Tensor): Tensor {
      return this.top.apply(inputs);
    }
    override predictStep(): never {
      return outputs as never;
    }
  }
  const net = new Silent();
  await expect(net.predict(data[0])).rejects.toThrow(/predictStep: .*returns the outputs/);
  expect(() => net.predictOnBatch(data[0])).toThrow(RetrogradError);
});

test('a batch with another part', async () => {
  const batches = function* () {
    yield { xs: data[0], ys: data[1], sample_weight: [1, 2] };
  };
  await expect(regressor().fit(batches)).rejects.toThrow("did you mean 'sampleWeight'?");
});

describe('callbacks', () => {
  const { Callback } = callbacks;
  class Misspelt extends Callback {
    onEpochEnds(): void {}
  }
  class Inherited extends Misspelt {}
  class Python extends Callback {
    on_train_begin(): void {}
  }
  class Fine extends Callback {
    readonly lines: number[] = [];
    override onEpochEnd(epoch: number): void {
      this.lines.push(epoch);
    }
    onLossSpike(): void {}
  }

  test.each<[string, unknown, RegExp]>([
    ['a hook by another name', new Misspelt(), /Misspelt: hooks[\s\S]*did you mean 'onEpochEnd'/],
    ['an inherited one', [new Inherited()], /did you mean 'onEpochEnd'/],
    ['a hook in snake case', [new Python()], /did you mean 'onTrainBegin'/],
    ['a Map', new Map(), /received: a Map/],
    ['a Set', new Set([new Fine()]), /received: a Set/],
  ])('with %s are rejected', async (_, given, message) => {
    const run = regressor().fit(...data, { callbacks: given as Fine });
    await expect(run).rejects.toThrow(message);
  });

  test('may have their own methods', async () => {
    const fine = new Fine();
    await regressor().fit(...data, { callbacks: [fine], epochs: 2, verbose: 0, seed: null });
    expect(fine.lines).toEqual([0, 1]);
  });
});

test.each([
  ['trainableVariables', /trainableWeights/],
  ['nonTrainableVariables', /nonTrainableWeights/],
  ['variables', /hint: weights/],
  ['resetStates', /resetState\(\) of each/],
])('a model has no %s, and says what it has instead', (name, message) => {
  const net = regressor() as unknown as Record<string, unknown>;
  expect(() => net[name]).toThrow(message);
  expect(() => (layers.dense(2) as unknown as Record<string, unknown>)[name]).toThrow(message);
  class Own extends Model {
    variables = [1];
  }
  expect(new Own().variables).toEqual([1]);
});

test('a step that returns a promise is rejected, and no rejection of its own is left', async () => {
  class Stepping extends Model {
    // @ts-expect-error: a step returns no promise.
    override async trainStep(): Promise<object> {
      throw new Error('of the step');
    }
  }
  const inputs = input({ shape: [1] });
  const net = new Stepping({ inputs, outputs: layers.dense(1).apply(inputs) });
  net.compile({ optimizer: 'sgd', loss: 'mse' });
  await expect(net.fit(...data, { verbose: 0 })).rejects.toThrow(/without async and await/);
});

test('a loss whose call computes the losses of samples, as in Keras, leads to an error that names values', async () => {
  class Own extends losses.Loss {
    // @ts-expect-error: it takes more arguments.
    override call(yTrue: Tensor, yPred: Tensor): Tensor {
      return mean(squaredDifference(yTrue, yPred), { axis: -1 });
    }
    override values(): Tensor {
      return ones([1]);
    }
  }
  const net = regressor();
  net.compile({ optimizer: 'sgd', loss: new Own() });
  await expect(net.fit(...data, { verbose: 0 })).rejects.toThrow(/in `values\(yTrue, yPred\)`/);
});
