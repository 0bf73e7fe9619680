/** @file tape.explain: the path of a gradient, or where it is disconnected. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  argMax,
  cast,
  freshTensor,
  gather,
  gatherOnHost,
  GradientTape,
  greater,
  init,
  mul,
  reshape,
  square,
  stopGradient,
  sum,
  type Tensor,
  tensor,
  variable,
} from '../../src/index.ts';
import { layers } from '../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

describe('connected', () => {
  test('names the path, op by op', () => {
    const w = variable(tensor([1, 2]), { name: 'w' });
    const tape = new GradientTape();
    const loss = sum(square(mul(w, 3)));
    tape.gradient(loss, w);
    const answer = tape.explain(loss, w);
    expect(answer.connected).toBe(true);
    expect(answer.path.map(({ operation }) => operation)).toEqual(['mul', 'square', 'sum']);
    expect(answer.text).toBe(
      "connected: the gradient of float32[] reaches float32[2] 'w' through mul → square → sum.",
    );
  });

  test('a frozen variable does not cut the gradient to the input', () => {
    const frozen = variable(tensor([2]), { trainable: false });
    const x = tensor([1]);
    using tape = new GradientTape();
    tape.watch(x);
    const y = mul(square(x), frozen);
    expect(tape.explain(y, x).connected).toBe(true);
    expect(tape.explain(y, frozen).disconnectedAt?.cause).toBe('unwatched');
    expect(tape.explain(y, frozen).disconnectedAt?.why).toMatch(/not trainable/);
  });
});

test('a frozen layer passes the gradient on to its input', () => {
  const frozen = layers.dense({ units: 3, name: 'frozen' });
  frozen.build([null, 2]);
  frozen.trainable = false;
  const x = tensor([[1, 2]]);
  using tape = new GradientTape({ persistent: true });
  tape.watch(x);
  const loss = sum(square(frozen.apply(x) as Tensor));
  expect(tape.gradient(loss, x)).not.toBeNull();
  expect(tape.explain(loss, x).connected).toBe(true);
  expect(tape.explain(loss, x).path[0]?.operation).toMatch(/^frozen › /);
  expect(tape.explain(loss, frozen.weights[0] as Tensor).disconnectedAt?.why).toMatch(/not trainable/);
});

test('validation does not cost the history, and a history holds no metrics', () => {
  const x = tensor([[1], [2]]);
  using tape = new GradientTape();
  tape.watch(x);
  const y = gather(x, tensor([0], { dtype: 'int32' }));
  expect(y.kerasHistory?.operation.name).toBe('gather');
  expect(tape.explain(y, x).connected).toBe(true);
  expect(Object.keys(y.kerasHistory ?? {}).sort()).toEqual(['node', 'nodeIndex', 'operation', 'tensorIndex']);
});

describe('disconnected', () => {
  const start = () => {
    const x = tensor([1, 2], { name: 'x' });
    const tape = new GradientTape({ persistent: true });
    tape.watch(x);
    return { x, tape };
  };

  test('a readback and upload', async () => {
    const { x, tape } = start();
    const h = square(x);
    const loss = sum(mul(tensor(await h.data()), 2));
    const { disconnectedAt, text } = tape.explain(loss, x);
    expect(tape.gradient(loss, x)).toBeNull();
    expect(disconnectedAt).toMatchObject({
      cause: 'readBack',
      last: "'square' (float32[2])",
      first: 'tensor()',
    });
    expect(text).toBe(
      "disconnected: no gradient flows from float32[] to float32[2] 'x'.\n" +
        "  connected up to 'square' (float32[2]); disconnected at tensor().\n" +
        "  why: the values of float32[2] made by 'square' were read back to the host, and tensor() made a fresh tensor of them.\n" +
        '  hint: pass the tensor itself instead of its data(); an identity layer can’t reconnect what a readback disconnected.',
    );
    tape.dispose();
  });

  test('stopGradient', () => {
    const { x, tape } = start();
    const loss = sum(stopGradient(square(x)));
    expect(tape.explain(loss, x).disconnectedAt).toMatchObject({
      cause: 'detached',
      last: "'square' (float32[2])",
      first: "'stopGradient'",
    });
    tape.dispose();
  });

  test('integers', () => {
    const { x, tape } = start();
    const loss = sum(cast(cast(mul(x, 3), 'int32'), 'float32'));
    expect(tape.explain(loss, x).disconnectedAt).toMatchObject({
      cause: 'integers',
      last: "'mul' (float32[2])",
      first: "'cast'",
    });
    const n = tensor([1], { dtype: 'int32' });
    expect(tape.explain(loss, n).disconnectedAt?.cause).toBe('integers');
    tape.dispose();
  });

  test('argMax and comparisons', () => {
    const { x, tape } = start();
    const best = sum(cast(argMax(square(x)), 'float32'));
    expect(tape.explain(best, x).disconnectedAt).toMatchObject({
      cause: 'notDifferentiable',
      last: "'square' (float32[2])",
      first: "'argMax'",
    });
    const above = sum(cast(greater(x, 1), 'float32'));
    expect(tape.explain(above, x).disconnectedAt).toMatchObject({
      cause: 'notDifferentiable',
      first: "'greater'",
    });
    tape.dispose();
  });

  test('an identity Lambda does not reconnect what a readback disconnected', async () => {
    const { x, tape } = start();
    const h = square(x);
    const same = layers.lambda((v) => v);
    const loss = sum(same.apply(reshape(tensor(await h.data()), { shape: [1, 2] })) as Tensor);
    expect(tape.gradient(loss, x)).toBeNull();
    expect(tape.explain(loss, x).disconnectedAt).toMatchObject({
      cause: 'readBack',
      last: "'square' (float32[2])",
    });
    tape.dispose();
  });

  test('a variable that was used on the host alone', async () => {
    const table = variable(tensor([[1], [2]]), { name: 'table' });
    using tape = new GradientTape({ persistent: true });
    const loss = sum(freshTensor(await gatherOnHost(table, tensor([1], { dtype: 'int32' }))));
    expect(tape.gradient(loss, table)).toBeNull();
    expect(tape.explain(loss, table).disconnectedAt).toMatchObject({
      cause: 'readBack',
      first: 'freshTensor()',
    });
    expect(tape.explain(loss, variable(tensor([1]))).disconnectedAt).toMatchObject({ cause: 'unwatched' });
  });

  test('another tape', () => {
    const { x, tape } = start();
    tape.stopRecording(() => {
      using second = new GradientTape();
      second.watch(x);
      const h = square(x);
      expect(second.explain(h, x).connected).toBe(true);
      expect(tape.explain(h, x).disconnectedAt).toMatchObject({ cause: 'foreign', first: "'square'" });
    });
    tape.dispose();
  });

  test('a constant that was computed before the tape', () => {
    const w = variable(tensor([[2]]));
    const early = [
      layers.dense({ units: 1, name: 'early' }).apply(tensor([[1, 2]])),
      square(tensor([[3]])),
      tensor([[4]]),
    ] as const;
    using tape = new GradientTape({ persistent: true });
    const loss = sum(mul(add(add(early[0], early[1]), early[2]), w));
    expect(tape.gradient(loss, early)).toEqual([null, null, null]);
    const whys = early.map((constant) => tape.explain(loss, constant).disconnectedAt);
    expect(whys.map((found) => found?.cause)).toEqual(['unwatched', 'unwatched', 'unwatched']);
    expect(whys[0]?.why).toMatch(
      /'early' made while this tape was not recording: to the tape it is a constant/,
    );
    expect(whys[1]?.why).toMatch(/'square' made while/);
    expect(whys[2]?.why).not.toMatch(/made while/);
    expect(whys[0]?.hint).toMatch(/compute x while the tape records/);
  });

  test('stopped recording, and an op before the tape', () => {
    const { x, tape } = start();
    const hidden = tape.stopRecording(() => square(x));
    expect(tape.explain(sum(hidden), x).disconnectedAt).toMatchObject({
      cause: 'unrecorded',
      first: "'square'",
      last: "the source float32[2] 'x'",
    });
    tape.dispose();

    const w = variable(tensor([1]), { name: 'w' });
    const early = square(w);
    const late = new GradientTape({ persistent: true });
    late.watch(w);
    expect(late.explain(sum(early), w).disconnectedAt).toMatchObject({
      cause: 'unrecorded',
      first: "'square'",
    });
    late.dispose();
  });

  test('a variable made from a tensor', () => {
    const { x, tape } = start();
    const detached = variable(square(x), { name: 'copy' });
    const loss = sum(mul(detached, 2));
    expect(tape.explain(loss, x).disconnectedAt).toMatchObject({
      cause: 'variable',
      last: "'square' (float32[2])",
      first: 'a variable',
    });
    tape.dispose();
  });

  test('a tensor that no one watches', () => {
    const { tape } = start();
    const y = tensor([3]);
    expect(tape.explain(square(y), y).disconnectedAt).toMatchObject({
      cause: 'unwatched',
      hint: 'call tape.watch(x) before computing with x.',
    });
    tape.dispose();
  });

  test('no connection at all', () => {
    const { x, tape } = start();
    const other = tensor([5], { name: 'other' });
    const { disconnectedAt } = tape.explain(square(other), x);
    expect(disconnectedAt?.cause).toBe('independent');
    expect(disconnectedAt?.why).toMatch(/'other' \(fresh\)/);
    tape.dispose();
  });

  test('says that it isn’t connected, and names each origin of the target once', () => {
    const { x, tape } = start();
    const other = tensor([5], { name: 'other' });
    const twice = add(square(other), square(other));
    const { connected, disconnectedAt } = tape.explain(mul(twice, square(other)), x);
    expect(connected).toBe(false);
    expect(disconnectedAt?.why.match(/'other'/g)).toHaveLength(1);
    tape.dispose();
  });

  test('says which dtype stops a gradient', () => {
    const { x, tape } = start();
    const answer = tape.explain(sum(cast(cast(x, 'int32'), 'float32')), x);
    expect(answer.connected).toBe(false);
    expect(answer.disconnectedAt).toMatchObject({
      cause: 'integers',
      why: expect.stringMatching(/^'cast' gives int32, and gradients don’t pass through integers or bools/),
    });
    tape.dispose();
  });
});
