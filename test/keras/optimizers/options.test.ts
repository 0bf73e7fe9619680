/** @file Invalid arguments of optimizers, and how they are named, configured, saved and loaded. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  DisposedError,
  DTypeError,
  init,
  RetrogradError,
  ShapeError,
  tensor,
  ValueError,
  variable,
} from '../../../src/index.ts';
import { optimizers } from '../../../src/keras/index.ts';
import { registerClass } from '../../../src/keras/serialization/registered.ts';
import { makeVariables, train, valuesOf, waves } from './support.ts';

beforeAll(async () => {
  await init();
});

const { optimizerOf, schedules } = optimizers;

function rejection(call: () => unknown): RetrogradError {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(RetrogradError);
    return error as RetrogradError;
  }
  throw new Error('nothing was rejected');
}

describe('names', () => {
  test.each([
    ['sgd', 'SGD'],
    ['SGD', 'SGD'],
    ['adam', 'Adam'],
    ['adamw', 'AdamW'],
    ['adamW', 'AdamW'],
    ['adam_w', 'AdamW'],
    ['rmsprop', 'RMSprop'],
    ['RMSprop', 'RMSprop'],
    ['Adafactor', 'Adafactor'],
    ['lamb', 'Lamb'],
    ['schedule_free_adam_w', 'ScheduleFreeAdamW'],
    ['muon', 'Muon'],
  ])('%s', (name, className) => {
    expect(optimizerOf(name).className).toBe(className);
    expect(optimizerOf({ className: name }).className).toBe(className);
  });

  test('an optimizer is returned as it is', () => {
    const optimizer = optimizers.adam();
    expect(optimizerOf(optimizer)).toBe(optimizer);
  });

  test('objects are named as in Keras, and numbered', () => {
    const [first, second] = [optimizers.rmsprop(), optimizers.rmsprop()];
    expect(first.name).toMatch(/^rm_sprop(_\d+)?$/);
    expect(second.name).not.toBe(first.name);
    expect(optimizers.adam({ name: 'mine' }).name).toBe('mine');
  });

  test('a class of the app can be registered', () => {
    class Slow extends optimizers.SGD {
      static override readonly className = 'Slow';
    }
    registerClass(Slow, { package: 'test' });
    expect(optimizerOf({ className: 'test>Slow', config: { learningRate: 0.5 } })).toBeInstanceOf(Slow);
  });

  test.each([['unknown'], [{ className: 'Dense' }], [null], [3], [{}]])('%j is rejected', (identifier) => {
    const error = rejection(() => optimizerOf(identifier as never));
    expect(error).toBeInstanceOf(ValueError);
    expect(error.rule).toContain('RMSprop');
    expect(error.hint).toBeTruthy();
  });
});

describe('options that are rejected', () => {
  const shared: Record<string, unknown[]> = {
    learningRate: [-1, Number.NaN, '0.1', null, { className: 'Nothing' }],
    weightDecay: [-0.1, '1'],
    clipnorm: [0, -1, Number.POSITIVE_INFINITY],
    globalClipnorm: [0, 'x'],
    clipvalue: [-2, Number.NaN],
    useEma: [1, 'yes'],
    emaMomentum: [-0.1, 1.1],
    emaOverwriteFrequency: [0, 1.5, '2'],
    lossScaleFactor: [0, -1],
    gradientAccumulationSteps: [1, 0, 2.5],
    name: [3, ''],
    momentums: [0.9],
    learning_rate: [0.1],
  };
  const own: Record<string, Record<string, unknown[]>> = {
    sgd: { momentum: [-0.1, 1.1, '0.9'], nesterov: [1] },
    adam: { beta1: [1, -1], beta2: [1, 'x'], epsilon: [-1], amsgrad: ['no'] },
    adamW: { beta1: [2] },
    adamax: { beta1: [1], beta2: [-0.5], epsilon: [Number.NaN] },
    nadam: { beta1: [1], beta2: [1], epsilon: [-1] },
    rmsprop: { rho: [1, -1], momentum: [-1, 2], epsilon: [-1], centered: [0] },
    adagrad: { initialAccumulatorValue: [-1], epsilon: [-1] },
    adadelta: { rho: [1], epsilon: [-1] },
    lion: { beta1: [0, 1.1], beta2: [-1, 2] },
    scheduleFreeAdamW: { beta1: [0, 1], warmupSteps: [-1, 0.5], epsilon: [-1] },
    lamb: { beta1: [1], beta2: [-0.1], epsilon: [-1] },
    muon: {
      adamBeta1: [1],
      adamBeta2: [-1],
      adamWeightDecay: [-1],
      epsilon: [-1],
      excludeLayers: ['dense', ['(']],
      excludeEmbeddings: [1],
      muonA: [Number.NaN],
      adamLrRatio: [-1],
      momentum: [1],
      nsSteps: [1.5],
      nesterov: [1],
      rmsRate: [-1],
    },
    lossScaleOptimizer: { innerOptimizer: [3], clipnorm: [1] },
    adafactor: { beta2Decay: [0.1], epsilon1: [-1], epsilon2: ['x'], clipThreshold: [0], relativeStep: [1] },
    ftrl: {
      learningRatePower: [0.5],
      initialAccumulatorValue: [-1],
      l1RegularizationStrength: [-1],
      l2RegularizationStrength: [-1],
      l2ShrinkageRegularizationStrength: [-1],
      beta: [-1],
    },
  };
  const cases = Object.entries(own).flatMap(([name, options]) =>
    Object.entries(name === 'adam' ? { ...shared, ...options } : options).flatMap(([option, values]) =>
      values.map((value) => ({ name, option, value })),
    ),
  );

  test.each(cases)('$name: $option of $value', ({ name, option, value }) => {
    const error = rejection(() => optimizerOf({ className: name, config: { [option]: value } }));
    expect(error).toBeInstanceOf(ValueError);
    expect(error.received).toContain(option === 'learningRate' ? '' : option);
    expect(error.hint).toBeTruthy();
  });

  test('two clippings', () => {
    const error = rejection(() => optimizers.adam({ clipnorm: 1, clipvalue: 1 }));
    expect(error.received).toBe('clipnorm: 1, clipvalue: 1');
  });

  const decay = { initialLearningRate: 0.1, decaySteps: 10, decayRate: 0.5 };
  test.each<[string, () => unknown]>([
    ['no options', () => schedules.exponentialDecay(undefined as never)],
    ['a missing rate', () => schedules.exponentialDecay({ decaySteps: 1, decayRate: 1 } as never)],
    ['no steps', () => schedules.exponentialDecay({ ...decay, decaySteps: 0 })],
    ['a staircase of 1', () => schedules.inverseTimeDecay({ ...decay, staircase: 1 as never })],
    ['a negative decay', () => schedules.inverseTimeDecay({ ...decay, decayRate: -1 })],
    ['an unknown option', () => schedules.inverseTimeDecay({ ...decay, power: 2 } as never)],
    ['an infinite power', () => schedules.polynomialDecay({ ...base(), power: Number.POSITIVE_INFINITY })],
    ['a cycle of words', () => schedules.polynomialDecay({ ...base(), cycle: 'yes' as never })],
    ['a negative end', () => schedules.polynomialDecay({ ...base(), endLearningRate: -1 })],
    ['a warm-up below 0', () => schedules.cosineDecay({ ...base(), warmupTarget: -1 })],
    ['warm-up steps below 0', () => schedules.cosineDecay({ ...base(), warmupSteps: -1 })],
    ['periods that shrink', () => schedules.cosineDecayRestarts({ ...restarts(), tMul: 0.5 })],
    ['alpha above 1', () => schedules.cosineDecayRestarts({ ...restarts(), alpha: 2 })],
    [
      'boundaries out of order',
      () => schedules.piecewiseConstantDecay({ boundaries: [3, 2], values: [1, 2, 3] }),
    ],
    ['too few values', () => schedules.piecewiseConstantDecay({ boundaries: [3], values: [1] })],
    ['a negative value', () => schedules.piecewiseConstantDecay({ boundaries: [3], values: [1, -1] })],
    ['a name that is none', () => schedules.cosineDecay({ ...base(), name: 3 as never })],
    ['an unknown schedule', () => schedules.scheduleOf({ className: 'Nothing' })],
  ])('schedules: %s', (_, call) => {
    expect(rejection(call)).toBeInstanceOf(ValueError);
  });

  function base() {
    return { initialLearningRate: 0.1, decaySteps: 10 };
  }
  function restarts() {
    return { initialLearningRate: 0.1, firstDecaySteps: 10 };
  }
});

describe('steps that are rejected', () => {
  const w = () => variable(tensor([1, 2]));
  const g = () => tensor([1, 1]);
  const disposed = () => {
    const x = g();
    x.dispose();
    return x;
  };
  test.each<[string, () => unknown, new (...args: never[]) => Error]>([
    ['too few gradients', () => optimizers.adam().apply([], [w()]), ValueError],
    ['null gradients alone', () => optimizers.adam().apply([null], [w()]), ValueError],
    ['no list', () => optimizers.adam().apply(g() as never, w() as never), ValueError],
    ['another shape', () => optimizers.adam().apply([tensor([1])], [w()]), ShapeError],
    ['another dtype', () => optimizers.adam().apply([tensor([1, 2], { dtype: 'int32' })], [w()]), DTypeError],
    [
      'an integer variable',
      () => optimizers.adam().apply([g()], [variable(tensor([1, 2], { dtype: 'int32' })) as never]),
      DTypeError,
    ],
    ['a tensor for a variable', () => optimizers.sgd().apply([g()], [g() as never]), ValueError],
    ['a number for a gradient', () => optimizers.sgd().apply([1 as never], [w()]), ValueError],
    ['a gradient that was disposed of', () => optimizers.sgd().apply([disposed()], [w()]), DisposedError],
    [
      'a variable that was disposed of',
      () => {
        const gone = w();
        gone.dispose();
        optimizers.sgd().apply([g()], [gone]);
      },
      DisposedError,
    ],
    [
      'a variable twice',
      () => {
        const twice = w();
        optimizers.sgd().apply([g(), g()], [twice, twice]);
      },
      ValueError,
    ],
    [
      'a variable that it does not know',
      () => {
        const optimizer = optimizers.sgd();
        optimizer.apply([g()], [w()]);
        optimizer.apply([g()], [w()]);
      },
      ValueError,
    ],
    ['gradients alone, before it is built', () => optimizers.sgd().apply([g()]), ValueError],
    [
      'exclusions once it is built',
      () => {
        const optimizer = optimizers.adamW();
        optimizer.build([w()]);
        optimizer.excludeFromWeightDecay({ names: ['bias'] });
      },
      ValueError,
    ],
    [
      'a number in place of a schedule',
      () => {
        const rate = schedules.cosineDecay({ initialLearningRate: 1, decaySteps: 2 });
        optimizers.sgd({ learningRate: rate }).learningRate = 0.1;
      },
      ValueError,
    ],
    ['a state before it is built', () => optimizers.sgd().setWeights([]), ValueError],
  ])('%s', (_, call, error) => {
    const rejected = rejection(call);
    expect(rejected).toBeInstanceOf(error);
    expect([rejected.rule, rejected.received, rejected.hint].every(Boolean)).toBe(true);
  });

  test('null gradients are said to be explained by the tape', () => {
    expect(rejection(() => optimizers.adam().apply([null], [w()])).hint).toContain('tape.explain');
  });
});

describe('state', () => {
  const shapes = [[3, 2], [4]];

  test('continues in another optimizer as in the first', async () => {
    const make = () => optimizers.nadam({ learningRate: 0.1, useEma: true, gradientAccumulationSteps: 2 });
    const whole = makeVariables(shapes);
    const expected = await train(make(), whole, [1, 2, 3, 4, 5]);
    const parts = makeVariables(shapes);
    const first = make();
    await train(first, parts, [1, 2, 3]);
    const second = make();
    second.build(parts);
    second.setWeights(await first.getWeights());
    first.dispose();
    const actual = await train(second, parts, [4, 5]);
    actual.flat().forEach((value, i) => {
      expect(value).toBeCloseTo(expected.flat()[i] as number, 6);
    });
    expect(second.iterations).toBe(2);
  });

  test('that does not match changes nothing', async () => {
    const optimizer = optimizers.adam();
    const variables = makeVariables(shapes);
    await train(optimizer, variables, [1]);
    const before = await optimizer.getWeights();
    const bad: unknown[][] = [
      before.slice(1),
      [...before.slice(0, -1), new Float32Array(3)],
      [...before.slice(0, -1), tensor([1])],
      [tensor(1), ...before.slice(1)],
      [1.5, ...before.slice(1)],
    ];
    for (const values of bad) {
      expect(rejection(() => optimizer.setWeights(values as never)).hint).toBeTruthy();
      expect(await optimizer.getWeights()).toEqual(before);
    }
  });

  test('a schedule’s configuration is kept with the optimizer’s', () => {
    const rate = schedules.cosineDecay({ initialLearningRate: 0.1, decaySteps: 10, warmupTarget: 0.2 });
    const config = optimizers.adam({ learningRate: rate }).getConfig();
    expect(config.learningRate).toEqual({ className: 'CosineDecay', config: rate.getConfig() });
    const again = optimizers.Adam.fromConfig(JSON.parse(JSON.stringify(config)));
    expect(again.getConfig()).toEqual(config);
    expect(again.schedule?.call(3)).toBe(rate.call(3));
  });

  test('the learning rate may be a function of the count of steps', () => {
    const optimizer = optimizers.sgd({ learningRate: (step) => 1 / (1 + step) });
    const variables = makeVariables([[1]]);
    expect(optimizer.learningRate).toBe(1);
    optimizer.apply(waves([[1]], 1), variables);
    expect(optimizer.learningRate).toBe(0.5);
  });

  test('weight decay skips what is excluded', async () => {
    const [kernel, bias, other] = ['a/kernel', 'a/bias', 'b/kernel'].map((name) =>
      variable(tensor([1, 2]), { name }),
    ) as [ReturnType<typeof variable>, ReturnType<typeof variable>, ReturnType<typeof variable>];
    const optimizer = optimizers.sgd({ learningRate: 0.5, weightDecay: 0.5 });
    optimizer.excludeFromWeightDecay({ names: ['bias'], variables: [other] });
    const zero = () => tensor([0, 0]);
    optimizer.apply([zero(), zero(), zero()], [kernel, bias, other]);
    expect(await valuesOf([kernel, bias, other])).toEqual([
      [0.75, 1.5],
      [1, 2],
      [1, 2],
    ]);
  });

  test('disposed of, it leaves the variables, and can start again', async () => {
    const variables = makeVariables(shapes);
    const optimizer = optimizers.adam();
    const moved = await train(optimizer, variables, [1]);
    optimizer.dispose();
    expect(await valuesOf(variables)).toEqual(moved);
    expect(optimizer.built).toBe(false);
    expect(await train(optimizer, variables, [2])).not.toEqual(moved);
  });
});
