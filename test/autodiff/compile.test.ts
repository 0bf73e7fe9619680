import { beforeAll, describe, expect, it } from 'vitest';
import { IndexOutOfRangeError, TapeError } from '../../src/core/errors.ts';
import type { Device } from '../../src/webgpu/device.ts';
import { init } from '../../src/kernels/loading/init.ts';
import { onReplay } from '../../src/execution/currentExecutor.ts';
import { add, mul, sub } from '../../src/ops/elementwise/arithmetic.ts';
import { checkNumerics } from '../../src/ops/define/checkNumerics.ts';
import { dropout } from '../../src/ops/random/dropout.ts';
import { eye } from '../../src/ops/creation/eye.ts';
import { fill } from '../../src/ops/creation/creation.ts';
import { gather } from '../../src/ops/indexing/gather.ts';
import { identity } from '../../src/ops/arrangement/identity.ts';
import { matMul } from '../../src/ops/products/matMul.ts';
import { mean } from '../../src/ops/reductions/mean.ts';
import { randomUniform } from '../../src/ops/random/random.ts';
import { reshape } from '../../src/ops/arrangement/reshape.ts';
import { relu } from '../../src/ops/activations/rectifiers.ts';
import { sum } from '../../src/ops/reductions/sum.ts';
import { square } from '../../src/ops/elementwise/unary.ts';
import { checkpoint } from '../../src/autodiff/customGradient.ts';
import { compile } from '../../src/autodiff/compile.ts';
import { grad } from '../../src/autodiff/functional.ts';
import { GradientTape } from '../../src/autodiff/tape.ts';
import { tensor } from '../../src/tensor/create.ts';
import { memory } from '../../src/tensor/memory.ts';
import { keep, tidy } from '../../src/tensor/scope.ts';
import type { Tensor } from '../../src/tensor/tensor.ts';
import { type Variable, variable } from '../../src/tensor/variable.ts';
import { installNodeGpu } from '../support/gpu.ts';

let device: Device;
beforeAll(async () => {
  await installNodeGpu();
  device = await init();
});

/** A step of gradient descent on a small network, with everything that it changes in variables. */
function network() {
  const kernel = variable(randomUniform([3, 4], { seed: 1 }), { name: 'kernel' });
  const head = variable(randomUniform([4, 1], { seed: 2 }), { name: 'head' });
  const steps = variable(tensor(0), { name: 'steps', trainable: false });
  const step = (x: Tensor, y: Tensor) => {
    using tape = new GradientTape();
    const loss = mean(square(sub(matMul(relu(matMul(x, kernel)), head), y)));
    const gradients = tape.gradient(loss, [kernel, head]);
    [kernel, head].forEach((weight, i) => {
      weight.assign(sub(weight, mul(gradients[i] as Tensor, 0.1)));
    });
    steps.assign(add(steps, 1));
    return { loss };
  };
  return { kernel, head, steps, step };
}

const batch = (seed: number) => randomUniform([5, 3], { seed });
const labels = (seed: number) => randomUniform([5, 1], { seed: seed + 100 });

describe('compile', () => {
  it('trains to the same bits as the function itself', async () => {
    const plain = network();
    const other = network();
    const compiled = compile(other.step, { name: 'step' });
    for (let i = 0; i < 6; i++) {
      const [x, y] = [batch(i), labels(i)];
      const expected = await plain.step(x, y).loss.data();
      expect(await compiled(x, y).loss.data()).toEqual(expected);
    }
    expect(await other.kernel.data()).toEqual(await plain.kernel.data());
    expect(await other.head.data()).toEqual(await plain.head.data());
    expect(await other.steps.item()).toBe(6);
    expect(compiled.explain()).toEqual([
      expect.objectContaining({ captured: true, reason: null, launches: expect.any(Number) }),
    ]);
  });

  it('captures each signature on its own, and gives outputs that the next call leaves alone', async () => {
    const double = compile((x: Tensor) => [mul(x, 2), sum(x)]);
    const first = double(tensor([1, 2]));
    const second = double(tensor([3, 4]));
    const third = double(tensor([5, 6]));
    const other = double(tensor([1, 2, 3]));
    expect(await first[0]?.array()).toEqual([2, 4]);
    expect(await second[0]?.array()).toEqual([6, 8]);
    expect(await third[1]?.item()).toBe(11);
    expect(await other[1]?.item()).toBe(6);
    expect(double.explain().map(({ captured }) => captured)).toEqual([true, true]);
  });

  describe('gives results too large to copy', () => {
    const large = (value: number) => fill([200, 100], value);
    const firstOf = async (x: Tensor | undefined) => (await (x as Tensor).data())[19_999];

    it('that the next calls leave alone, no matter who holds them', async () => {
      const f = compile((x: Tensor) => {
        const doubled = mul(x, 2);
        const lines = reshape(doubled, { shape: [20_000] });
        return [doubled, lines, add(sum(lines, { axis: 0, keepDims: true }), 1), matMul(doubled, eye(100))];
      });
      const runs = [1, 2, 3, 4, 5].map((value) => f(large(value)));
      for (const [i, [doubled, lines, total, product]] of runs.entries()) {
        expect(doubled?.shape).toEqual([200, 100]);
        expect(lines?.shape).toEqual([20_000]);
        expect(await firstOf(doubled)).toBe(2 * (i + 1));
        expect(await firstOf(lines)).toBe(2 * (i + 1));
        expect(await firstOf(product)).toBe(2 * (i + 1));
        expect(await total?.item()).toBe(40_000 * (i + 1) + 1);
      }
      expect(f.explain()[0]?.captured).toBe(true);
    });

    it('that lie in a variable as well, or are what went in', async () => {
      const total = variable(large(0));
      const f = compile((x: Tensor) => {
        const next = add(total, x);
        total.assign(next);
        return [next, x];
      });
      const runs = [1, 2, 3, 4].map((value) => f(large(value)));
      expect(await Promise.all(runs.map(([next]) => firstOf(next)))).toEqual([1, 3, 6, 10]);
      expect(await Promise.all(runs.map(([, x]) => firstOf(x)))).toEqual([1, 2, 3, 4]);
      expect((await total.data())[0]).toBe(10);
    });

    it('and creates nothing new where they are released', async () => {
      const f = compile((x: Tensor) => mul(sub(x, 1), x));
      const x = keep(large(3));
      const run = () => tidy(() => void f(x));
      for (let i = 0; i < 5; i++) run();
      await device.sync();
      const before = memory();
      for (let i = 0; i < 20; i++) run();
      expect(memory()).toEqual({ ...before, peakBytes: expect.any(Number) });
      // The input's copy and the result: no second copy of the result.
      f.dispose();
      expect(before.bytes - memory().bytes).toBeLessThan(1.5 * x.bytes);
    });
  });

  it('takes numbers and flags as constants of the signature', async () => {
    const scale = compile((x: Tensor, { by, twice }: { by: number; twice: boolean }) =>
      mul(x, twice ? 2 * by : by),
    );
    const x = tensor([1, 2]);
    for (const by of [3, 3, 5, 5]) {
      expect(await scale(x, { by, twice: false }).array()).toEqual([by, 2 * by]);
    }
    expect(await scale(x, { by: 3, twice: true }).array()).toEqual([6, 12]);
    expect(scale.explain()).toHaveLength(3);
  });

  it('lets the signature go that was used least recently', async () => {
    const double = compile((x: Tensor) => mul(x, 2), { maxSignatures: 2 });
    for (const n of [1, 2, 1, 3]) double(tensor(new Array(n).fill(1)));
    expect(double.explain().map(({ signature }) => signature)).toEqual(['0: float32[1]', '0: float32[3]']);
  });

  it('sees what is assigned to variables between calls', async () => {
    const w = variable(tensor([1, 1]));
    const f = compile((x: Tensor) => mul(x, w));
    const x = tensor([1, 2]);
    for (const value of [1, 2, 3, 4]) {
      const given = tensor([value, value]);
      w.assign(given);
      expect(await f(x).array()).toEqual([value, 2 * value]);
      expect(await given.array()).toEqual([value, value]);
    }
    expect(f.explain()[0]?.captured).toBe(true);
  });

  it('moves exchanged variables back into their buffers', async () => {
    const a = variable(tensor([1]));
    const b = variable(tensor([2]));
    const swap = compile(() => {
      const held = identity(a);
      a.assign(b);
      b.assign(held);
      return add(a, b);
    });
    for (let i = 1; i <= 5; i++) {
      swap();
      expect([await a.item(), await b.item()]).toEqual(i % 2 === 1 ? [2, 1] : [1, 2]);
    }
  });

  it('leaves alone what shares its values with a variable', async () => {
    const count = variable(tensor([0]));
    const next = compile(() => count.assign(add(count, 1)));
    next();
    next();
    const seen = identity(count);
    next();
    next();
    expect(await seen.item()).toBe(2);
    expect(await count.item()).toBe(4);
  });

  it('draws new random numbers at each call, the same for a value and its gradient', async () => {
    const f = compile((x: Tensor) => {
      const value = dropout(x, { rate: 0.5 });
      const gradient = grad((y: Tensor) => sum(dropout(y, { rate: 0.5, seed: 3 })))(x);
      return { value, gradient, noise: randomUniform([4]) };
    });
    const x = tensor(new Array(64).fill(1));
    const runs = [];
    for (let i = 0; i < 4; i++) {
      const { value, gradient, noise } = f(x);
      runs.push([await value.data(), await gradient.data(), await noise.data()].map(String));
    }
    expect(new Set(runs.map(([value]) => value)).size).toBe(4);
    expect(new Set(runs.map(([, gradient]) => gradient)).size).toBe(1);
    expect(new Set(runs.map(([, , noise]) => noise)).size).toBe(4);
  });

  it('recomputes a checkpoint with the random numbers of its first run', async () => {
    const layer = checkpoint((x: Tensor) => dropout(x, { rate: 0.5 }));
    const f = compile((x: Tensor) => {
      using tape = new GradientTape();
      tape.watch(x);
      const y = layer(x);
      return { y, dx: tape.gradient(sum(y), x) as Tensor };
    });
    for (let i = 0; i < 3; i++) {
      const { y, dx } = f(tensor(new Array(64).fill(1)));
      expect(await dx.data()).toEqual(await y.data());
    }
  });

  it('runs effects again, and other JavaScript when it records and when it compares', () => {
    const counts = { effects: 0, calls: 0 };
    const f = compile((x: Tensor) => {
      counts.calls++;
      onReplay(() => counts.effects++);
      return mul(x, 2);
    });
    for (let i = 0; i < 5; i++) f(tensor([i]));
    expect(counts).toEqual({ effects: 5, calls: 2 });
  });

  it('reports the faults of every run', async () => {
    const table = tensor([[1], [2], [3]]);
    const rows = compile((indices: Tensor) => gather(table, indices));
    const fine = tensor([0, 2], { dtype: 'int32' });
    const bad = tensor([0, 7], { dtype: 'int32' });
    for (const indices of [fine, bad, bad, fine]) {
      const read = rows(indices).array();
      if (indices === fine) expect(await read).toEqual([[1], [3]]);
      else await expect(read).rejects.toThrow(IndexOutOfRangeError);
    }
    expect(await rows(fine).array()).toEqual([[1], [3]]);
    expect(rows.explain()[0]?.captured).toBe(true);
  });

  it('reports a fault among more runs than there are fault slots', async () => {
    const table = tensor([[1], [2], [3]]);
    const rows = compile((indices: Tensor) => gather(table, indices));
    const fine = tensor([0, 2], { dtype: 'int32' });
    const bad = tensor([0, 7], { dtype: 'int32' });
    for (let i = 0; i < 600; i++) tidy(() => void rows(i === 20 ? bad : fine));
    await expect(device.sync()).rejects.toThrow(/index 7 at position \[1\]/);
    await device.sync();
  });

  it('captures a function that makes its variables once the variables are there', async () => {
    let count: Variable | null = null;
    const next = compile(() => {
      count ??= variable(tensor(0));
      return count.assign(add(count, 1));
    });
    next();
    expect(next.explain()[0]).toMatchObject({ captured: false, reason: expect.stringMatching(/variable/) });
    for (let i = 0; i < 3; i++) next();
    expect(next.explain()[0]?.captured).toBe(true);
    expect(await next().item()).toBe(5);
  });

  it('runs a function plainly that keeps what it made, and says so', async () => {
    const kept: Tensor[] = [];
    const f = compile((x: Tensor) => {
      kept.push(keep(mul(x, 3)));
      return add(x, 1);
    });
    for (let i = 0; i < 5; i++) expect(await f(tensor([i])).item()).toBe(i + 1);
    expect(kept).toHaveLength(5);
    expect(await kept[4]?.item()).toBe(12);
    expect(f.explain()[0]?.reason).toMatch(/keeps 1 tensor beyond the call, made by mul: return them/);
  });

  it('holds constants from outside, though they are disposed of', async () => {
    const two = tensor([2]);
    const f = compile((x: Tensor) => mul(x, two));
    f(tensor([1]));
    two.dispose();
    for (let i = 0; i < 8; i++) tensor([100 + i]);
    expect(await f(tensor([5])).item()).toBe(10);
  });

  it('says what kept its last call from being captured', async () => {
    using double = compile((x: Tensor) => mul(x, 2));
    const x = variable(tensor([1, 2]));
    const explained = () => double.explain().map(({ captured, reason }) => [captured, reason]);
    {
      using tape = new GradientTape();
      expect(await tape.gradient(double(x), x)?.array()).toEqual([2, 2]);
      expect(explained()).toEqual([[false, expect.stringMatching(/a tape outside recorded/)]]);
    }
    checkNumerics();
    try {
      double(x);
    } finally {
      checkNumerics(false);
    }
    expect(explained()).toEqual([[false, expect.stringMatching(/checkNumerics/)]]);
    compile((y: Tensor) => double(y))(x);
    expect(explained()).toEqual([[false, expect.stringMatching(/inside another compiled function/)]]);
    double(x);
    expect(explained()).toEqual([[true, null]]);
  });

  it('is differentiated by a tape outside, and runs inside another compiled function', async () => {
    const f = compile((x: Tensor) => square(x));
    for (let i = 0; i < 3; i++) expect(await grad(f)(tensor([i])).item()).toBe(2 * i);
    const g = compile((x: Tensor) => add(f(x), 1));
    for (let i = 0; i < 3; i++) expect(await g(tensor([i])).item()).toBe(i * i + 1);
    expect(g.explain()[0]?.captured).toBe(true);
  });

  it('creates nothing new in steady steps, and submits each once', async () => {
    const { step } = network();
    const compiled = compile(step);
    const [x, y] = [batch(1), labels(1)];
    const run = () => tidy(() => void compiled(x, y));
    for (let i = 0; i < 5; i++) run();
    await device.sync();
    const before = memory();
    const { submits } = device.stream.statistics;
    for (let i = 0; i < 100; i++) run();
    expect(device.stream.statistics.submits - submits).toBe(100);
    expect(memory()).toEqual({ ...before, peakBytes: expect.any(Number) });
    compiled.dispose();
    expect(await compiled(x, y).loss.item()).toBeGreaterThan(0);
  });

  it('gives back what it held when it is disposed of', async () => {
    const before = memory().bytes;
    const f = compile((x: Tensor) => mul(x, 2));
    tidy(() => {
      const x = tensor([1, 2]);
      for (let i = 0; i < 3; i++) f(x);
    });
    expect(memory().bytes).toBeGreaterThan(before);
    f.dispose();
    expect(memory().bytes).toBe(before);
  });

  it.each([
    ['no function', () => compile(3 as never)],
    ['an async function', () => compile((async (x: Tensor) => x) as never)(tensor([1]))],
  ])('rejects %s', (_, act) => {
    expect(act).toThrow(TapeError);
  });

  it.each<[string, (x: Tensor) => unknown]>([
    ['data', (x) => x.data()],
    ['array', (x) => x.array()],
    ['item', (x) => x.item()],
  ])('rejects %s() inside, at the call', (_, reading) => {
    const read = compile((x: Tensor) => {
      reading(x);
      return x;
    });
    expect(() => read(tensor([1]))).toThrow(TapeError);
    expect(() => read(tensor([1]))).toThrow(/replayed without its JavaScript/);
  });
});
