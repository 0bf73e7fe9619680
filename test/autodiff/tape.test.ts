/** @file GradientTape: TensorFlow's semantics and errors. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  cast,
  GradientTape,
  identity,
  init,
  memory,
  mul,
  ShapeError,
  stopGradient,
  square,
  sum,
  TapeError,
  type Tensor,
  tensor,
  tidy,
  variable,
} from '../../src/index.ts';
import { activeRecorders } from '../../src/ops/define/recorders.ts';

beforeAll(async () => {
  await init();
});

const values = async (t: Tensor | null | undefined) => (t ? Array.from(await t.data()) : null);

describe('gradient', () => {
  test('watches trainable variables by itself, and tensors on request', async () => {
    const w = variable(tensor([2, 3]));
    const frozen = variable(tensor([5, 7]), { trainable: false });
    const x = tensor([1, 1]);
    using tape = new GradientTape({ persistent: true });
    tape.watch(x);
    const y = sum(mul(mul(x, w), frozen));
    expect(await values(tape.gradient(y, w))).toEqual([5, 7]);
    expect(await values(tape.gradient(y, x))).toEqual([10, 21]);
    expect(tape.gradient(y, frozen)).toBeNull();
  });

  test('watches no variables with watchAccessedVariables: false', () => {
    const w = variable(tensor([2, 3]));
    const tape = new GradientTape({ watchAccessedVariables: false });
    expect(tape.gradient(sum(square(w)), w)).toBeNull();
  });

  test('sums several targets', async () => {
    const x = tensor([1, 2]);
    const tape = new GradientTape();
    tape.watch(x);
    const [dx] = tape.gradient([square(x), mul(x, 3)], [x]);
    expect(await values(dx)).toEqual([5, 7]);
  });

  test('of a target among the sources is ones', async () => {
    const x = tensor([1, 2]);
    const tape = new GradientTape();
    tape.watch(x);
    const y = mul(x, 3);
    const [dx, dy] = tape.gradient(y, [x, y]);
    expect(await values(dx)).toEqual([3, 3]);
    expect(await values(dy)).toEqual([1, 1]);
  });

  test('of a source with respect to itself is ones', async () => {
    const x = tensor([4, 2]);
    const tape = new GradientTape();
    tape.watch(x);
    expect(await values(tape.gradient(x, x))).toEqual([1, 1]);
  });

  test('of a tensor that isn’t watched is null, also with respect to itself', () => {
    const x = tensor([4, 2]);
    using tape = new GradientTape({ persistent: true });
    expect(tape.gradient(x, x)).toBeNull();
  });

  test('of a tensor with a mask, and with a property that an app gave it, is that of the tensor', async () => {
    const x = Object.assign(tensor([1, 2]), { other: tensor([3]) });
    x.attachment = tensor([1, 0]);
    using tape = new GradientTape();
    tape.watch(x);
    expect(await values(tape.gradient(square(x), x))).toEqual([2, 4]);
  });

  test('adds up where a tensor is used several times', async () => {
    const x = tensor([3]);
    const tape = new GradientTape();
    tape.watch(x);
    expect(await values(tape.gradient(add(mul(x, x), add(x, x)), x))).toEqual([8]);
  });

  test('weighs by output gradients', async () => {
    const x = tensor([1, 2]);
    const tape = new GradientTape();
    tape.watch(x);
    const outputGradients = tensor([10, 100]);
    expect(await values(tape.gradient(square(x), x, { outputGradients }))).toEqual([20, 400]);
    expect(await values(outputGradients)).toEqual([10, 100]);
  });

  test('takes ones for output gradients that are left out', async () => {
    const x = tensor([1, 2]);
    using tape = new GradientTape({ persistent: true });
    tape.watch(x);
    const targets = [square(x), mul(x, 3)];
    const weighed = (outputGradients: (Tensor | null)[] | null) =>
      values(tape.gradient(targets, x, { outputGradients }));
    expect(await weighed(null)).toEqual([5, 7]);
    expect(await weighed([])).toEqual([5, 7]);
    expect(await weighed([null, tensor([1, 10])])).toEqual([5, 34]);
  });

  test('keeps the structure of the sources', async () => {
    const [a, b] = [variable(tensor([1])), variable(tensor([2]))];
    const tape = new GradientTape();
    const gradients = tape.gradient(mul(a, b), { a, b });
    expect(await values(gradients.a)).toEqual([2]);
    expect(await values(gradients.b)).toEqual([1]);
  });

  test('is null for integers and for what was never on the tape', () => {
    const x = tensor([1, 2]);
    const n = tensor([1, 2], { dtype: 'int32' });
    const tape = new GradientTape({ persistent: true });
    tape.watch(x);
    const y = sum(mul(x, cast(n, 'float32')));
    expect(tape.gradient(y, n)).toBeNull();
    expect(tape.gradient(y, tensor([1]))).toBeNull();
    expect(tape.gradient(cast(y, 'int32'), x)).toBeNull();
    tape.dispose();
  });

  test('is zeros where asked', async () => {
    const x = tensor([1, 2]);
    const tape = new GradientTape();
    expect(await values(tape.gradient(sum(square(x)), x, { unconnectedGradients: 'zero' }))).toEqual([0, 0]);
  });

  test('gives each source a separate tensor', async () => {
    const [a, b] = [tensor([1]), tensor([2])];
    const tape = new GradientTape();
    tape.watch([a, b]);
    const [da, db] = tape.gradient(add(a, b), [a, b]);
    da?.dispose();
    expect(await values(db)).toEqual([1]);
  });

  test('follows a variable that was assigned in between by its old values', async () => {
    const w = variable(tensor([3]));
    const tape = new GradientTape();
    const y = square(w);
    w.assign(tensor([100]));
    expect(await values(tape.gradient(y, w))).toEqual([6]);
  });

  test('stops at stopGradient', async () => {
    const x = tensor([3]);
    const tape = new GradientTape();
    tape.watch(x);
    expect(await values(tape.gradient(mul(x, stopGradient(x)), x))).toEqual([3]);
  });
});

test('checks that were registered see the sources before each gradient', () => {
  const [x, y] = [tensor([1]), tensor([2])];
  using tape = new GradientTape({ persistent: true });
  tape.watch([x, y]);
  const z = mul(x, y);
  const seen: (readonly Tensor[])[] = [];
  activeRecorders()[0]?.beforeGradients?.((sources) => void seen.push(sources));
  tape.gradient(z, x);
  tape.gradient(z, [y, x]);
  expect(seen).toEqual([[x], [y, x]]);
});

describe('higher order', () => {
  test('an inner tape inside an outer one', async () => {
    const x = variable(tensor([2, 3]));
    const outer = new GradientTape();
    const inner = new GradientTape();
    const cube = mul(square(x), x);
    const first = inner.gradient(cube, x) as Tensor;
    expect(await values(first)).toEqual([12, 27]);
    expect(await values(outer.gradient(first, x))).toEqual([12, 18]);
  });

  test('a persistent tape that still records sees its own gradients', async () => {
    const x = variable(tensor([2]));
    using tape = new GradientTape({ persistent: true });
    const first = tape.gradient(mul(square(x), x), x) as Tensor;
    expect(await values(tape.gradient(first, x))).toEqual([12]);
  });

  test('third order', async () => {
    const x = variable(tensor([2]));
    const [a, b, c] = [new GradientTape(), new GradientTape(), new GradientTape()];
    const first = c.gradient(square(square(x)), x) as Tensor;
    const second = b.gradient(first, x) as Tensor;
    expect(await values(a.gradient(second, x))).toEqual([48]);
  });
});

describe('rules', () => {
  test('a tape that isn’t persistent gives gradients once', () => {
    const x = variable(tensor([1]));
    const tape = new GradientTape();
    const y = square(x);
    tape.gradient(y, x);
    expect(() => tape.gradient(y, x)).toThrow(TapeError);
    expect(() => tape.gradient(y, x)).toThrow(/persistent: true/);
  });

  test('unconnectedGradients is none or zero', () => {
    const x = variable(tensor([1]));
    const tape = new GradientTape();
    const y = square(x);
    // @ts-expect-error an unknown name
    expect(() => tape.gradient(y, x, { unconnectedGradients: 'nonsense' })).toThrow(/'nonsense'/);
    // The rejection leaves the tape usable.
    expect(tape.gradient(y, x)).not.toBeNull();
  });

  test('output gradients fit their targets', () => {
    const x = variable(tensor([1, 2]));
    using tape = new GradientTape({ persistent: true });
    const y = square(x);
    expect(() => tape.gradient(y, x, { outputGradients: tensor([1, 2, 3]) })).toThrow(ShapeError);
    expect(() => tape.gradient(y, x, { outputGradients: [tensor([1, 1]), tensor([1, 1])] })).toThrow(
      ShapeError,
    );
  });

  test('only floating-point tensors are watched', () => {
    using tape = new GradientTape();
    expect(() => tape.watch(tensor([1], { dtype: 'int32' }))).toThrow(TapeError);
    // @ts-expect-error not a tensor
    expect(() => tape.watch(3)).toThrow(TapeError);
  });

  test('targets and sources are tensors', () => {
    using tape = new GradientTape({ persistent: true });
    // @ts-expect-error a number
    expect(() => tape.gradient(3, tensor([1]))).toThrow(TapeError);
    expect(() => tape.gradient(tensor([1]), [])).toThrow(TapeError);
  });

  test('stopRecording pauses one tape, reset restarts it', async () => {
    const x = variable(tensor([2]));
    using tape = new GradientTape({ persistent: true });
    const hidden = tape.stopRecording(() => square(x));
    expect(tape.gradient(add(hidden, x), x)).not.toBeNull();
    expect(tape.gradient(hidden, x)).toBeNull();
    tape.reset();
    expect(await values(tape.gradient(square(x), x))).toEqual([4]);
  });

  test('outside `using` the recording ends with the gradient', () => {
    const x = variable(tensor([2]));
    const tape = new GradientTape();
    tape.gradient(square(x), x);
    expect(tape.isRecording).toBe(false);
    expect(square(x).kerasHistory).toBeNull();
  });
});

describe('memory', () => {
  test('a step in tidy leaves nothing behind', () => {
    const w = variable(tensor([1, 2, 3]));
    const before = memory();
    tidy(() => {
      const tape = new GradientTape();
      const loss = sum(square(mul(identity(w), 2)));
      tape.gradient(loss, w);
    });
    expect(memory().tensors).toBe(before.tensors);
    expect(memory().bytes).toBe(before.bytes);
  });

  test('a disposed tape frees what it saved', () => {
    const w = variable(tensor([1, 2, 3]));
    const before = memory().bytes;
    {
      using tape = new GradientTape({ persistent: true });
      tidy(() => void square(square(w)));
      expect(memory().bytes).toBeGreaterThan(before);
      expect(tape.isRecording).toBe(true);
    }
    expect(memory().bytes).toBe(before);
  });

  test('only what the gradient reads is kept', () => {
    const w = variable(tensor(new Float32Array(1024)));
    const tape = new GradientTape();
    const before = memory().bytes;
    // add saves nothing: the chain's intermediate results are gone at the end of the scope.
    const y = tidy(() => add(add(add(w, w), w), w));
    expect(memory().bytes - before).toBe(y.bytes);
    tape.dispose();
  });

  test('the backward walk frees each value at its last use', () => {
    const size = 65536;
    const x = tensor(new Float32Array(size).fill(1));
    const tape = new GradientTape();
    tape.watch(x);
    const loss = tidy(() => {
      let h = x;
      for (let i = 0; i < 10; i++) h = square(h) as Tensor<'float32'>;
      return sum(h);
    });
    const atStart = memory().bytes;
    tape.gradient(loss, x);
    // Ten saved inputs are gone, but for x itself; what remains is x's gradient.
    expect(memory().bytes).toBeLessThanOrEqual(atStart - 8 * size * 4);
  });
});
