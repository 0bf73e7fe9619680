/** @file The cost of a step (launches, copies and memory), and its correctness wherever the variables are stored. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  getDevice,
  init,
  memory,
  type Tensor,
  tensor,
  tidy,
  type Variable,
  variable,
} from '../../../src/index.ts';
import { optimizers } from '../../../src/keras/index.ts';
import { ownDevice } from '../../support/ownDevice.ts';
import { adapterClasses, asAdapter } from '../../support/adapterClass.ts';
import { launchesOf, makeVariables, train, valuesOf, wave, waves } from './support.ts';

beforeAll(async () => {
  await init();
});

const { sgd, adam } = optimizers;
const manyShapes = Array.from({ length: 19 }, (_, k) => (k % 2 ? [3 + k] : [k + 1, 5]));

describe('launches of a step', () => {
  test.each([
    ['8 variables share one', 8, {}, 1],
    ['9 need two', 9, {}, 2],
    ['20 need three', 20, {}, 3],
    [
      'options are in the same launch',
      8,
      { weightDecay: 0.1, clipvalue: 1, useEma: true, lossScaleFactor: 2 },
      1,
    ],
    ['accumulation, too', 8, { gradientAccumulationSteps: 2 }, 1],
    ['lengths are measured by two more', 8, { clipnorm: 1 }, 3],
    ['lengths of all together', 20, { globalClipnorm: 1 }, 7],
  ])('%s', (_, count, options, launches) => {
    const shapes = Array.from({ length: count }, (__, k) => [k + 2]);
    const variables = makeVariables(shapes);
    const optimizer = adam(options);
    const step = () => optimizer.apply(waves(shapes, 1), variables);
    step();
    expect(launchesOf(step)).toBe(launches);
  });

  test('a large variable has a separate launch', () => {
    const shapes = [[4], [600, 600], [5]];
    const variables = makeVariables(shapes);
    const optimizer = adam();
    const step = () => optimizer.apply(waves(shapes, 1), variables);
    step();
    expect(launchesOf(step)).toBe(2);
  });

  test('a group without gradients has none', () => {
    const variables = makeVariables(manyShapes);
    const optimizer = sgd();
    optimizer.build(variables);
    const gradients = waves(manyShapes, 1).map((gradient, k) => (k < 3 ? gradient : null));
    expect(launchesOf(() => optimizer.apply(gradients, variables))).toBe(1);
  });

  test('WebGPU’s minimum limits are enough for every option', async () => {
    await using own = await ownDevice();
    expect(own.device.limits.maxStorageBuffersPerShaderStage).toBe(8);
    const options = {
      clipnorm: 0.5,
      gradientAccumulationSteps: 2,
      useEma: true,
      weightDecay: 0.1,
      lossScaleFactor: 2,
    };
    const shapes = [...manyShapes, [600, 600]];
    const variables = makeVariables(shapes);
    const optimizer = adam({ ...options, amsgrad: true });
    const values = await train(optimizer, variables, [1, 2, 3, 4]);
    expect(values.flat().every(Number.isFinite)).toBe(true);
    const other = optimizers.rmsprop({ ...options, momentum: 0.5, centered: true });
    expect((await train(other, variables, [1, 2])).flat().every(Number.isFinite)).toBe(true);
    expect(launchesOf(() => other.apply(waves(shapes, 1), variables))).toBe(2 * (4 + 1) + 1);
  });
});

describe('memory', () => {
  test('is flat over steps, and freed at the end', () => {
    const variables = makeVariables(manyShapes);
    const before = memory();
    const optimizer = adam({ clipnorm: 1 });
    const step = () => {
      tidy(() => optimizer.apply(waves(manyShapes, 1), variables));
      getDevice().flush();
    };
    for (let i = 0; i < 3; i++) step();
    const early = memory();
    for (let i = 0; i < 20; i++) step();
    const late = memory();
    expect(late.bytes).toBe(early.bytes);
    expect(late.tensors).toBe(early.tensors);
    expect(late.allocations).toBe(early.allocations);
    optimizer.dispose();
    expect(memory().tensors).toBe(before.tensors);
    expect(memory().bytes).toBe(before.bytes);
    for (const w of variables) w.dispose();
  });
});

describe('wherever variables are stored', () => {
  /** Separate variables, with one optimizer each: nothing is packed. */
  async function apart(phases: number[]) {
    const variables = makeVariables(manyShapes);
    const values = await Promise.all(variables.map((w) => train(adam({ learningRate: 0.05 }), [w], phases)));
    return { variables, values };
  }

  test('packed or separate, a step gives the same bits', async () => {
    const variables = makeVariables(manyShapes);
    const optimizer = adam({ learningRate: 0.05 });
    // The gradients of `apart` begin at the same phase for each variable.
    for (const phase of [1, 2, 3]) {
      const gradients = manyShapes.map((shape) => waves([shape], phase)[0] as Tensor);
      optimizer.apply(gradients, variables);
    }
    expect(await valuesOf(variables)).toEqual((await apart([1, 2, 3])).values.map(([values]) => values));
  });

  test('variables that were assigned are packed again, and updated', async () => {
    const [moved, still] = [makeVariables(manyShapes), makeVariables(manyShapes)];
    const [a, b] = [adam({ learningRate: 0.05 }), adam({ learningRate: 0.05 })];
    await train(a, moved, [1]);
    await train(b, still, [1]);
    const homes = moved.map((w) => w.storage);
    for (const w of moved.slice(3, 9)) {
      const copy = tensor(await w.data(), { shape: w.shape });
      w.assign(copy);
      copy.dispose();
      expect(homes).not.toContain(w.storage);
    }
    const state = a.variables[5] as Variable;
    state.assign(tensor(await state.data(), { shape: state.shape }));
    expect(await train(a, moved, [2])).toEqual(await train(b, still, [2]));
    expect(moved.map((w) => w.storage)).toEqual(homes);
    expect(launchesOf(() => a.apply(waves(manyShapes, 3), moved))).toBe(3);
  });

  test('variables that exchanged their values are packed again', async () => {
    const shapes = [[4], [4], [4]];
    const variables = makeVariables(shapes);
    const [x, y, z] = variables as [Variable, Variable, Variable];
    const optimizer = sgd({ learningRate: 0 });
    optimizer.build(variables);
    const before = await valuesOf(variables);
    const copy = tensor(await x.data());
    x.assign(y);
    y.assign(z);
    z.assign(copy);
    copy.dispose();
    const after = await train(optimizer, variables, [1]);
    expect(after).toEqual([before[1], before[2], before[0]]);
    expect(launchesOf(() => optimizer.apply(waves(shapes, 2), variables))).toBe(1);
  });

  test('shared values are left alone', async () => {
    const variables = makeVariables([[4], [6]]);
    const [first] = variables as [Variable, Variable];
    const optimizer = sgd({ learningRate: 1 });
    await train(optimizer, variables, [1]);
    const held = variable(first);
    const before = await held.data();
    const expected = Array.from(before, (value, i) => Math.fround(value - (wave(4, 2)[i] as number)));
    await train(optimizer, variables, [2]);
    expect(Array.from(await held.data())).toEqual(Array.from(before));
    expect(Array.from(await first.data())).toEqual(expected);
    held.dispose();
    expect(launchesOf(() => optimizer.apply(waves([[4], [6]], 3), variables))).toBe(1);
  });

  test('a gradient may be a variable, even the updated one', async () => {
    const variables = makeVariables([[4], [4]]);
    const [, second] = variables as [Variable, Variable];
    const [a, b] = (await valuesOf(variables)) as [number[], number[]];
    sgd({ learningRate: 0.5 }).apply([second, second], variables);
    const [x, y] = await valuesOf(variables);
    expect(x).toEqual(a.map((value, i) => Math.fround(value - 0.5 * (b[i] as number))));
    expect(y).toEqual(b.map((value) => Math.fround(value - 0.5 * value)));
  });

  test('two optimizers may take turns', async () => {
    const [shared, single] = [makeVariables([[3], [5]]), makeVariables([[3], [5]])];
    const [a, b, c] = [sgd({ learningRate: 0.1 }), sgd({ learningRate: 0.1 }), sgd({ learningRate: 0.1 })];
    for (const phase of [1, 2, 3, 4]) {
      await train(phase % 2 ? a : b, shared, [phase]);
      await train(c, single, [phase]);
    }
    expect(await valuesOf(shared)).toEqual(await valuesOf(single));
    a.dispose();
    b.dispose();
    expect(await valuesOf(shared)).toEqual(await valuesOf(single));
  });

  test('a disposed variable does not affect others', async () => {
    const variables = makeVariables([[3], [5], [2]]);
    const optimizer = adam({ useEma: true, clipnorm: 1 });
    await train(optimizer, variables, [1]);
    variables[1]?.dispose();
    const left = [variables[0], variables[2]] as Variable[];
    const [before] = await valuesOf(left);
    const [after] = await train(optimizer, left, [2]);
    expect(after).not.toEqual(before);
    optimizer.dispose();
  });

  test('empty and scalar variables are updated with the others', async () => {
    const variables = makeVariables([[0], [], [0, 3], [5]]);
    const optimizer = adam({ globalClipnorm: 10 });
    const values = await train(optimizer, variables, [1]);
    expect(values.map(({ length }) => length)).toEqual([0, 1, 0, 5]);
    expect(values[1]?.[0]).toBeCloseTo(Math.sin(0 + 1) - 0.001, 5);
  });
});

describe('norms of gradients', () => {
  const shapes = [[7], [70, 70], [2100], [600, 600], [1], [4096], [4097]];
  const gradientsOf = (phase: number) => waves(shapes, phase, 3);
  const lengthOf = (values: ArrayLike<number>) =>
    Math.sqrt(Array.from(values).reduce((s, x) => s + x * x, 0));

  describe.each(adapterClasses)('as on an adapter of class %s', (kind) => {
    test.each([
      ['clipnorm', 2],
      ['globalClipnorm', 5],
    ] as const)('%s', async (option, limit) => {
      await asAdapter(kind, async () => {
        const variables = makeVariables(shapes);
        const before = await valuesOf(variables);
        const gradients = gradientsOf(1);
        const values = await valuesOf(gradients);
        sgd({ learningRate: 1, [option]: limit }).apply(gradients, variables);
        const after = await valuesOf(variables);
        const lengths = values.map(lengthOf);
        const all = lengthOf(lengths);
        after.forEach((moved, k) => {
          const length = option === 'clipnorm' ? (lengths[k] as number) : all;
          const scale = Math.min(1, limit / length);
          const worst = moved.reduce((error, value, i) => {
            const expected = (before[k]?.[i] as number) - scale * (values[k]?.[i] as number);
            return Math.max(error, Math.abs(value - expected));
          }, 0);
          expect(worst).toBeLessThan(1e-6);
        });
      });
    });

    test('the same step has the same bits', async () => {
      await asAdapter(kind, async () => {
        const run = async () => {
          const variables = makeVariables(shapes);
          sgd({ learningRate: 1, globalClipnorm: 5 }).apply(gradientsOf(1), variables);
          return valuesOf(variables);
        };
        expect(await run()).toEqual(await run());
      });
    });
  });

  test('a NaN norm is not hidden', async () => {
    const variables = makeVariables([[2], [2], [2]]);
    const gradients = [tensor([1, Number.NaN]), tensor([1, 1]), null];
    optimizers.sgd({ clipnorm: 1 }).apply(gradients, variables);
    const [a, b, c] = (await valuesOf(variables)) as [number[], number[], number[]];
    expect(a.every(Number.isNaN)).toBe(true);
    expect([...b, ...c].every(Number.isFinite)).toBe(true);
    sgd({ globalClipnorm: 1 }).apply(
      [null, tensor([Number.POSITIVE_INFINITY, 1]), tensor([1, 1])],
      variables,
    );
    expect((await valuesOf(variables.slice(1))).flat().every(Number.isNaN)).toBe(true);
  });
});

test.each([
  'adam',
  'sgd',
  'rmsprop',
  'adagrad',
  'adadelta',
  'adamax',
  'nadam',
  'lion',
  'adafactor',
  'lamb',
  'ftrl',
])('%s carries NaN of a gradient into its variable, and nowhere else', async (name) => {
  const variables = makeVariables([[3], [2]]);
  const optimizer = optimizers.optimizerOf({ className: name, config: { clipvalue: 5 } });
  optimizer.apply([tensor([1, Number.NaN, -1]), tensor([1, 2])], variables);
  const [a, b] = (await valuesOf(variables)) as [number[], number[]];
  expect(a[1]).toBeNaN();
  expect(b.every(Number.isFinite)).toBe(true);
  // These two use norms of whole variables.
  if (name !== 'adafactor' && name !== 'lamb') expect([a[0], a[2]].every(Number.isFinite)).toBe(true);
  expect(getDevice().isLost).toBe(false);
});
