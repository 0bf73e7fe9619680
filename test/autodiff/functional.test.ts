/** @file Gradients of functions, functions with a custom gradient, and recomputation. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  argMax,
  cast,
  checkpoint,
  customGradient,
  debugMode,
  GradientTape,
  grad,
  grads,
  hvp,
  identity,
  init,
  jacfwd,
  jacobian,
  jvp,
  memory,
  mul,
  reshape,
  ShapeError,
  square,
  stopGradient,
  sub,
  sum,
  TapeError,
  type Tensor,
  tensor,
  tidy,
  valueAndGrad,
  valueAndGrads,
  variable,
} from '../../src/index.ts';

beforeAll(async () => {
  await init();
});

const values = async (t: Tensor | null | undefined) => (t ? Array.from(await t.data()) : null);

describe('grad and its family', () => {
  test('grad', async () => {
    expect(await values(grad((x) => mul(square(x), x))(tensor([1, 2])))).toEqual([3, 12]);
    expect(await values(grad(square)(tensor([1, 2]), tensor([10, 100])))).toEqual([20, 400]);
  });

  test('grads and valueAndGrads take a list', async () => {
    const [a, b] = [tensor([2, 3]), tensor([5, 7])];
    const [da, db] = grads((x, y) => mul(x, y))([a, b]);
    expect(await values(da)).toEqual([5, 7]);
    expect(await values(db)).toEqual([2, 3]);
    const both = valueAndGrads((x, y) => sum(mul(x, y)))([a, b]);
    expect(await both.value.item()).toBe(31);
    expect(await values(both.grads[0])).toEqual([5, 7]);
  });

  test('valueAndGrad', async () => {
    const { value, grad: gradient } = valueAndGrad((x) => sum(square(x)))(tensor([3, 4]));
    expect(await value.item()).toBe(25);
    expect(await values(gradient)).toEqual([6, 8]);
  });

  test('nests for higher derivatives', async () => {
    const cube = (x: Tensor) => mul(square(x), x);
    expect(await values(grad(grad(cube))(tensor([2, 3])))).toEqual([12, 18]);
    expect(await values(grad(grad(grad(cube)))(tensor([2, 3])))).toEqual([6, 6]);
  });

  test('one tensor given twice gets two gradients', async () => {
    const a = tensor([3]);
    const [first, second] = grads((x, y) => mul(square(x), y))([a, a]);
    expect(await values(first)).toEqual([18]);
    expect(await values(second)).toEqual([9]);
  });

  test('jvp moves along tangents', async () => {
    const { value, tangent } = jvp(
      (x, y) => mul(square(x), y),
      [tensor([2, 3]), tensor([5, 7])],
      [tensor([1, 0]), tensor([0, 1])],
    );
    expect(await values(value)).toEqual([20, 63]);
    expect(await values(tangent)).toEqual([20, 9]);
  });

  test('hvp', async () => {
    const f = (x: Tensor, y: Tensor) => sum(mul(square(x), y));
    const [hx, hy] = hvp(
      f as (...t: Tensor[]) => Tensor,
      [tensor([2, 3]), tensor([5, 7])],
      [tensor([1, 1]), tensor([1, 2])],
    );
    // d²/dx² = 2y, d²/dxdy = 2x.
    expect(await values(hx)).toEqual([10 + 4, 14 + 12]);
    expect(await values(hy)).toEqual([4, 6]);
  });

  test('jacobian', async () => {
    const rows = jacobian((x) => mul(square(x), tensor([[1], [10]])))(tensor([2, 3]));
    expect(rows.shape).toEqual([2, 2, 2]);
    expect(await values(rows)).toEqual([4, 0, 0, 6, 40, 0, 0, 60]);
    const columns = jacfwd((x) => mul(reshape(x, { shape: [2, 1] }), tensor([[1, 10]])))(tensor([2, 3]));
    expect(await values(columns)).toEqual([1, 0, 10, 0, 0, 1, 0, 10]);
  });

  test('batchJacobian', async () => {
    const x = tensor([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    using tape = new GradientTape({ persistent: true });
    tape.watch(x);
    const y = square(x);
    const rows = tape.batchJacobian(y, x);
    expect(rows?.shape).toEqual([3, 2, 2]);
    expect(await values(rows)).toEqual([2, 0, 0, 4, 6, 0, 0, 8, 10, 0, 0, 12]);
    expect(await values(tape.jacobian(square(x), x, { unconnectedGradients: 'zero' }))).toEqual(
      Array.from({ length: 36 }, (_, i) => (i % 7 === 0 ? 2 * (1 + i / 7) : 0)),
    );
    expect(tape.jacobian(y, tensor([1]))).toBeNull();
    expect(await values(tape.jacobian(sum(y), tensor([1]), { unconnectedGradients: 'zero' }))).toEqual([0]);
    expect(
      await values(
        tape.batchJacobian(sum(y, { axis: 1 }), tensor([1, 2, 3]), { unconnectedGradients: 'zero' }),
      ),
    ).toEqual([0, 0, 0]);
    expect(() => tape.batchJacobian(y, tensor([1, 2]))).toThrow(ShapeError);
  });

  test('Jacobians without elements have their shape', () => {
    const [x, none] = [tensor([1, 2]), tensor([], { shape: [2, 0] })];
    const derivative = (f: (x: Tensor) => Tensor, at: Tensor) => [jacobian(f)(at).shape, jacfwd(f)(at).shape];
    expect(derivative(() => mul(none, 2), x)).toEqual([
      [2, 0, 2],
      [2, 0, 2],
    ]);
    expect(derivative(square, none)).toEqual([
      [2, 0, 2, 0],
      [2, 0, 2, 0],
    ]);
    expect(derivative((at) => sum(at, { axis: 1 }), none)).toEqual([
      [2, 2, 0],
      [2, 2, 0],
    ]);
    using tape = new GradientTape({ persistent: true });
    tape.watch([x, none]);
    const y = square(none);
    expect(tape.jacobian(y, none)?.shape).toEqual([2, 0, 2, 0]);
    expect(tape.jacobian(sum(y, { axis: 1 }), none)?.shape).toEqual([2, 2, 0]);
    expect(tape.batchJacobian(sum(y, { axis: 1 }), none)?.shape).toEqual([2, 0]);
    expect(tape.batchJacobian(y, none)?.shape).toEqual([2, 0, 0]);
  });

  test('leave nothing behind but their results', () => {
    const x = tensor([1, 2]);
    const before = memory();
    tidy(() => void valueAndGrad((t) => sum(square(mul(t, t))))(x));
    expect(memory().tensors).toBe(before.tensors);
    expect(memory().bytes).toBe(before.bytes);
  });

  test('error messages', () => {
    const x = tensor([1]);
    expect(() => grad(() => tensor([1]))(x)).toThrow(
      /must depend on every input[\s\S]*no call leads from it/,
    );
    expect(() => grad((t) => sum(square(stopGradient(t))))(x)).toThrow(/disconnected at 'stopGradient'$/m);
    expect(() => grads((a, b) => add(a, cast(argMax(b), 'float32')))([x, x])).toThrow(
      /no gradient for input 1[\s\S]*disconnected at 'argMax'/,
    );
    expect(() => grad((t) => add(stopGradient(t), cast(argMax(t), 'float32')))(x)).toThrow(
      /disconnected at 'stopGradient' and 'argMax'$/m,
    );
    debugMode();
    try {
      expect(() => grad((t) => stopGradient(t))(x)).toThrow(
        /disconnected at 'stopGradient', functional\.test\.[jt]s:\d+/,
      );
    } finally {
      debugMode(false);
    }
    // @ts-expect-error not a function
    expect(() => grad(3)(x)).toThrow(TapeError);
    // @ts-expect-error a number
    expect(() => grad(square)(3)).toThrow(TapeError);
    // @ts-expect-error no tensor comes back
    expect(() => grad(async (t: Tensor) => t)(x)).toThrow(/return one tensor/);
    // @ts-expect-error a tensor instead of a list
    expect(() => grads(square)(x)).toThrow(/one list/);
    expect(() => grad(square)(x, tensor([1, 2]))).toThrow(ShapeError);
    expect(() => jvp(square, [x], [tensor([1, 2])])).toThrow(ShapeError);
  });
});

describe('customGradient', () => {
  test('replaces the gradient, on the tape and in history', async () => {
    const doubled = customGradient((x) => ({ value: square(x), gradient: (dy) => mul(dy, 100) }));
    const x = tensor([3]);
    const tape = new GradientTape();
    tape.watch(x);
    const y = doubled(x);
    expect(y.kerasHistory?.operation.name).toBe('customGradient');
    expect(await values(y)).toEqual([9]);
    expect(await values(tape.gradient(y, x))).toEqual([100]);
  });

  test('closes over what its function computed', async () => {
    const cube = customGradient((x) => {
      const squared = square(x);
      return { value: mul(squared, x), gradient: (dy) => mul(mul(dy, squared), 3) };
    });
    expect(await values(grad(cube)(tensor([2])))).toEqual([12]);
  });

  test('has higher derivatives where its gradient is made of ops on its inputs', async () => {
    const cube = customGradient((x) => ({
      value: mul(square(x), x),
      gradient: (dy) => mul(dy, mul(square(x), 3)),
    }));
    expect(await values(grad(grad(cube))(tensor([2])))).toEqual([12]);
  });

  test('takes several inputs, and null for those without gradient', async () => {
    const scaled = customGradient((x, k) => ({ value: mul(x, k), gradient: (dy) => [mul(dy, k), null] }));
    const [x, k] = [tensor([2]), tensor([5])];
    const tape = new GradientTape();
    tape.watch([x, k]);
    const [dx, dk] = tape.gradient(scaled(x, k), [x, k]);
    expect(await values(dx)).toEqual([5]);
    expect(dk).toBeNull();
  });

  test('rejects what doesn’t fit', () => {
    // @ts-expect-error a bare tensor
    expect(() => customGradient((x) => x)(tensor([1]))).toThrow(/\{ value, gradient \}/);
    const wrong = customGradient((x) => ({ value: identity(x), gradient: () => tensor([1, 2, 3]) }));
    expect(() => grad(wrong)(tensor([1]))).toThrow(/in its shape/);
  });
});

describe('checkpoint', () => {
  const body = (x: Tensor, w: Tensor) => square(mul(square(mul(x, w)), w));

  test('gives the gradients of the function, variables included', async () => {
    const w = variable(tensor([2, 3]));
    const x = tensor([1, 2]);
    const gradients = async (f: (x: Tensor) => Tensor) => {
      const tape = new GradientTape();
      tape.watch(x);
      const [dx, dw] = tape.gradient(sum(f(x)), [x, w]);
      return [await values(dx), await values(dw)];
    };
    const plain = await gradients((t) => body(t, w));
    expect(await gradients(checkpoint((t) => body(t, w)) as (x: Tensor) => Tensor)).toEqual(plain);
    const f = checkpoint(square);
    expect(await values(grad((t) => mul(f(t), tensor([3, 5])))(x))).toEqual([6, 20]);
  });

  test('keeps less until then', () => {
    const x = tensor(new Float32Array(65536));
    const held = (f: (x: Tensor) => Tensor) => {
      const tape = new GradientTape();
      tape.watch(x);
      const before = memory().bytes;
      const y = tidy(() => f(x));
      const kept = memory().bytes - before;
      tape.dispose();
      y.dispose();
      return kept;
    };
    const deep = (t: Tensor) => square(square(square(square(t))));
    expect(held(checkpoint(deep))).toBeLessThan(held(deep) / 2);
  });

  test('gives its function the inputs again, without the variables that it used', async () => {
    const w = variable(tensor([2]));
    const given: number[] = [];
    const f = checkpoint((...inputs: Tensor[]) => {
      given.push(inputs.length);
      return mul(inputs[0] as Tensor, w);
    });
    expect(await values(grad((x) => f(x))(tensor([3])))).toEqual([2]);
    expect(given).toEqual([1, 1]);
  });

  test('has second derivatives', async () => {
    const cube = checkpoint((x) => mul(square(x), x)) as (x: Tensor) => Tensor;
    expect(await values(grad(grad(cube))(tensor([2, 3])))).toEqual([12, 18]);
  });
});

test('tape and ops agree on a sum of parts', async () => {
  const f = (x: Tensor) => sum(sub(add(square(x), x), 1));
  expect(await values(grad(f)(tensor([1, 2])))).toEqual([3, 5]);
});
