/** @file Recurrent layers beyond the battery: states, masks that are passed on, custom cells, captured calls. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { OpenShape } from '../../../../src/core/shape.ts';
import {
  add,
  compile,
  GradientTape,
  init,
  matMul,
  memory,
  randomNormal,
  ShapeError,
  slice,
  sum,
  type Tensor,
  tensor,
  tidy,
  type Variable,
} from '../../../../src/index.ts';
import { input, layers, model } from '../../../../src/keras/index.ts';
import { maskOf } from '../../../../src/keras/masks.ts';

beforeAll(async () => {
  await init();
});

const draw = (seed: number, ...shape: number[]) => randomNormal(shape, { seed });
const values = async (x: Tensor) => Array.from(await x.data());
const steps = (x: Tensor, from: number, count: number) =>
  slice(x, { begin: [0, from, 0], size: [-1, count, -1] });
const flags = (rows: number[][]) => tensor(rows, { dtype: 'bool' });

async function expectClose(found: Tensor, wanted: Tensor | readonly number[]): Promise<void> {
  const expected = 'device' in wanted ? await values(wanted) : wanted;
  const actual = await values(found);
  expect(actual).toHaveLength(expected.length);
  actual.forEach((value, i) => {
    expect(Math.abs(value - (expected[i] as number))).toBeLessThan(1e-5);
  });
}

/** A recurrent layer whose outputs are a tensor or a list, as the test knows. */
type Recurrent = Omit<ReturnType<typeof layers.rnn>, 'apply'> & {
  apply(x: Tensor, options?: object): Tensor & readonly Tensor[];
};

const kinds: Record<string, (options?: object) => unknown> = {
  lstm: (options) => layers.lstm({ units: 3, ...options }),
  gru: (options) => layers.gru({ units: 3, ...options }),
  'a GRU that resets before': (options) => layers.gru({ units: 3, resetAfter: false, ...options }),
  simpleRNN: (options) => layers.simpleRNN({ units: 3, ...options }),
  'stacked cells': (options) =>
    layers.rnn({ cell: [layers.gruCell({ units: 2 }), layers.lstmCell({ units: 3 })], ...options }),
};

describe.each(Object.entries(kinds))('%s', (_, factory) => {
  const make = (options: object = {}) => factory(options) as Recurrent;
  const x = () => draw(1, 2, 6, 4);

  /** Another layer with the weights of `layer`. */
  function like(layer: Recurrent, options: object): Recurrent {
    const other = make(options);
    other.build([2, 6, 4]);
    other.setWeights(layer.weights);
    return other;
  }

  test('continues from the states that it returned', async () => {
    const layer = make({ returnState: true });
    const whole = layer.apply(x());
    const [, ...initialState] = layer.apply(steps(x(), 0, 2));
    const rest = layer.apply(steps(x(), 2, 4), { initialState });
    for (const [i, output] of rest.entries()) await expectClose(output, whole[i] as Tensor);
  });

  test('keeps its states from call to call if it is stateful', async () => {
    const layer = make();
    layer.apply(x());
    const stateful = like(layer, { stateful: true });
    expect(stateful.weights).toHaveLength(layer.weights.length);
    for (let run = 0; run < 2; run++) {
      stateful.apply(steps(x(), 0, 3));
      await expectClose(stateful.apply(steps(x(), 3, 3)), layer.apply(x()));
      stateful.resetState();
    }
    const states = stateful.states as readonly Variable[];
    for (const state of states) expect(await values(state)).toEqual(new Array(state.size).fill(0));
    expect(() => stateful.apply(draw(2, 3, 6, 4))).toThrow(ShapeError);
    stateful.dispose();
    for (const state of states) expect(state.disposed).toBe(true);
  });

  test('carries states over masked steps, as if they weren’t there', async () => {
    const layer = make({ returnSequences: true, returnState: true });
    const mask = flags([
      [0, 0, 1, 1, 0, 1],
      [0, 0, 1, 1, 0, 1],
    ]);
    const [sequence, ...states] = layer.apply(x(), { mask });
    const dense = [2, 3, 5].map((t) => steps(x(), t, 1));
    const initial = (layer.cell as { getInitialState(batch: number): Tensor[] }).getInitialState(2);
    let initialState = initial;
    const found: Tensor[] = [];
    for (const step of dense) {
      const [output, ...next] = layer.apply(step, { initialState }) as unknown as [Tensor, ...Tensor[]];
      found.push(output);
      initialState = next;
    }
    for (const [i, state] of states.entries()) await expectClose(state, initialState[i] as Tensor);
    for (const [t, at] of [2, 3, 5].entries())
      await expectClose(steps(sequence as Tensor, at, 1), found[t] as Tensor);
    await expectClose(steps(sequence as Tensor, 4, 1), found[1] as Tensor);
    expect(await values(steps(sequence as Tensor, 0, 2))).toEqual(new Array(12).fill(0));
  });

  test('returns zeros before the first unmasked step, whatever the states are', async () => {
    const layer = make({ returnSequences: true });
    layer.apply(x());
    const initialState = layer.cell.stateSizes.map((size, i) => draw(5 + i, 2, size));
    const mask = flags([
      [0, 0, 1, 0, 1, 1],
      [1, 0, 0, 0, 0, 0],
    ]);
    const found = await values(layer.apply(x(), { mask, initialState }));
    expect(found.slice(0, 6)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(found.slice(9, 12)).toEqual(found.slice(6, 9));
    expect(found[6]).not.toBe(0);
    expect(found.slice(21, 24)).toEqual(found.slice(18, 21));
  });

  test('takes sequences of any length, including 0', async () => {
    const steps = input({ shape: [null, 4] });
    const net = model({
      inputs: steps,
      outputs: (make() as never as ReturnType<typeof layers.gru>).apply(steps),
    });
    expect((net.outputs[0] as { shape: OpenShape }).shape).toEqual([null, 3]);
    for (const time of [1, 3, 8]) expect((net.apply(draw(1, 2, time, 4)) as Tensor).shape).toEqual([2, 3]);
    expect(await values(net.apply(draw(1, 2, 0, 4)) as Tensor)).toEqual(new Array(6).fill(0));
  });

  test('passes gradients to the states before', () => {
    const layer = make();
    layer.apply(x());
    const initialState = layer.cell.stateSizes.map((size, i) => draw(5 + i, 2, size));
    const tape = new GradientTape();
    tape.watch(initialState);
    const total = sum(layer.apply(x(), { initialState }));
    for (const gradient of tape.gradient(total, initialState)) expect(gradient).not.toBeNull();
  });

  test('runs captured, with states that continue', async () => {
    const layer = make({ stateful: true });
    layer.apply(x());
    layer.resetState();
    const wanted: number[][] = [];
    for (let i = 0; i < 3; i++) wanted.push(await values(layer.apply(draw(i, 2, 6, 4))));
    layer.resetState();
    const run = compile((given: Tensor) => layer.apply(given) as Tensor);
    for (let i = 0; i < 3; i++) await expectClose(run(draw(i, 2, 6, 4)), wanted[i] as number[]);
  });

  test('does not unroll sequences of unknown length, and keeps no states for an unknown batch size', () => {
    const open = input({ shape: [null, 4] });
    const apply = (options: object) => (make(options) as never as ReturnType<typeof layers.gru>).apply(open);
    expect(() => apply({ unroll: true })).toThrow(ShapeError);
    expect(() => apply({ stateful: true })).toThrow(ShapeError);
  });
});

test('an LSTM starts with ones in the bias of its forget gate, or without', async () => {
  const layer = layers.lstm({ units: 2 });
  layer.build([null, 3, 1]);
  expect(await values(layer.cell.bias as Variable)).toEqual([0, 0, 1, 1, 0, 0, 0, 0]);
  const plain = layers.lstm({ units: 2, unitForgetBias: false, biasInitializer: 'ones' });
  plain.build([null, 3, 1]);
  expect(await values(plain.cell.bias as Variable)).toEqual(new Array(8).fill(1));
});

test('weights are named by layer and cell, and have their penalties and constraints', () => {
  const layer = layers.gru({
    units: 2,
    name: 'memory',
    kernelRegularizer: 'l2',
    recurrentRegularizer: 'l1',
    biasConstraint: 'nonNeg',
    activityRegularizer: 'l2',
  });
  layer.apply(draw(1, 2, 3, 4));
  expect(layer.weights.map(({ path }) => path)).toEqual([
    'memory/gru_cell/kernel',
    'memory/gru_cell/recurrent_kernel',
    'memory/gru_cell/bias',
  ]);
  expect(layer.cell.bias?.constraint?.className).toBe('NonNeg');
  expect(layer.losses).toHaveLength(3);
});

test('other initial states than a layer has are rejected', () => {
  const layer = layers.lstm({ units: 2 });
  const x = draw(1, 3, 4, 5);
  const state = draw(2, 3, 2);
  for (const initialState of [
    [state],
    state,
    [state, draw(2, 2, 2)],
    [state, state, state],
    'zeros',
    [1, 2],
  ]) {
    expect(() => layer.apply(x, { initialState })).toThrow(/initialState/);
  }
  expect(layer.apply(x, { initialState: [state, state] }).shape).toEqual([3, 2]);
});

test('masks pass from an embedding through layers to the last one', async () => {
  const ids = input({ shape: [4], dtype: 'int32' });
  const words = layers.embedding({ inputDim: 5, outputDim: 3, maskZero: true }).apply(ids);
  expect(maskOf(words)).not.toBeNull();
  const first = layers.gru({ units: 2, returnSequences: true, name: 'first' });
  const second = layers.lstm({ units: 2, name: 'second' });
  const sequence = first.apply(words);
  expect(maskOf(sequence)).not.toBeNull();
  const output = second.apply(sequence);
  expect(maskOf(output)).toBeNull();
  const net = model({ inputs: ids, outputs: output });
  const padded = net.apply(tensor([[1, 2, 0, 0]], { dtype: 'int32' })) as Tensor;
  const [table] = net.weights as [Variable];
  const short = add(table, 0);
  const embedded = slice(short, { begin: [1, 0], size: [2, -1] });
  const given = embedded.device && tensor(Array.from(await embedded.data()), { shape: [1, 2, 3] });
  await expectClose(padded, second.apply(first.apply(given)));
});

test('a masking layer masks steps of one value', async () => {
  const x = tensor([
    [
      [1, 2],
      [7, 7],
      [3, 7],
    ],
  ]);
  const masked = layers.masking({ maskValue: 7 }).apply(x);
  expect(await values(masked)).toEqual([1, 2, 0, 0, 3, 7]);
  expect(await values(maskOf(masked) as Tensor)).toEqual([1, 0, 1]);
  const layer = layers.simpleRNN({ units: 2 });
  await expectClose(
    layer.apply(masked),
    layer.apply(
      tensor([
        [
          [1, 2],
          [3, 7],
        ],
      ]),
    ),
  );
});

/** The sum of the inputs so far, doubled: a cell of an app. */
class Doubling extends layers.RNNCell {
  static override readonly className: string = 'Doubling';
  readonly stateSize = 2;
  kernel: Variable | null = null;

  override get outputSize(): number {
    return 3;
  }

  override build([x]: readonly OpenShape[]): void {
    this.kernel = this.addWeight('kernel', { shape: [x?.at(-1) as number, 2], initializer: 'ones' });
  }

  override call([x, total]: readonly Tensor[]): readonly Tensor[] {
    const next = add(total as Tensor, matMul(x as Tensor, this.kernel as Variable));
    return [
      matMul(
        next,
        tensor([
          [1, 0, 1],
          [0, 1, 1],
        ]),
      ),
      next,
    ];
  }
}

test('a cell of an app runs over sequences', async () => {
  const layer = layers.rnn({
    cell: new Doubling({ name: 'double' }),
    returnSequences: true,
    returnState: true,
  });
  const [outputs, state] = layer.apply(
    tensor([
      [
        [1, 2],
        [3, 4],
      ],
    ]),
  ) as [Tensor, Tensor];
  expect(await outputs.array()).toEqual([
    [
      [3, 3, 6],
      [10, 10, 20],
    ],
  ]);
  expect(await state.array()).toEqual([[10, 10]]);
  expect(layer.weights.map(({ path }) => path)).toEqual([`${layer.name}/double/kernel`]);
  expect(layer.computeOutputShape([null, 5, 2])).toEqual([
    [null, 5, 3],
    [null, 2],
  ]);
});

test('dropout is the same at all times, and differs from call to call', async () => {
  const layer = layers.simpleRNN({
    units: 1,
    activation: null,
    kernelInitializer: 'ones',
    recurrentInitializer: 'zeros',
    dropout: 0.5,
    returnSequences: true,
  });
  const x = tensor(new Array(4 * 5 * 1).fill(1), { shape: [4, 5, 1] });
  const seen = new Set<string>();
  for (let i = 0; i < 12; i++) {
    const rows = (await layer.apply(x, { training: true }).array()) as number[][][];
    for (const row of rows) expect(new Set(row.flat()).size).toBe(1);
    seen.add(JSON.stringify(rows));
  }
  expect(seen.size).toBeGreaterThan(1);
  expect(await values(layer.apply(x))).toEqual(new Array(20).fill(1));
});

test('a training step leaves nothing behind', () => {
  const layer = layers.lstm({ units: 3, dropout: 0.2, recurrentDropout: 0.2 });
  const x = draw(1, 2, 4, 3);
  const run = () =>
    tidy(() => {
      const tape = new GradientTape();
      const loss = sum(layer.apply(x, { training: true }));
      tape.gradient(loss, layer.weights);
    });
  run();
  const before = memory().tensors;
  for (let i = 0; i < 3; i++) run();
  expect(memory().tensors).toBe(before);
});
