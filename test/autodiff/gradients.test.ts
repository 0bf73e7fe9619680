/** @file Gradients without a tape to close: gradients, GradientTape.run, and tapes that are dropped. */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import {
  GradientTape,
  gradients,
  init,
  matMul,
  mean,
  memory,
  mul,
  ones,
  square,
  stopGradient,
  sum,
  type Tensor,
  TapeError,
  tensor,
  tidy,
  variable,
} from '../../src/index.ts';
import { activeRecorders } from '../../src/ops/define/recorders.ts';
import { optimizers } from '../../src/keras/index.ts';
import { collectAll, collectGarbage } from '../support/collectGarbage.ts';

beforeAll(async () => {
  await init();
});

describe('gradients', () => {
  test('returns value and gradients in the form of the sources', async () => {
    const w = variable(tensor([3]));
    const x = tensor([2]);
    const one = gradients(() => sum(mul(square(w), x)), w);
    expect([await one.value.item(), await one.gradients?.array()]).toEqual([18, [12]]);
    const list = gradients(() => sum(mul(square(w), x)), [w, x]);
    expect(await Promise.all(list.gradients.map((g) => g?.array()))).toEqual([[12], [9]]);
    const record = gradients(() => sum(mul(w, x)), { w, x });
    expect(await record.gradients.x?.array()).toEqual([3]);
    optimizers.sgd({ learningRate: 1 }).apply(list.gradients.slice(0, 1), [w]);
    expect(await w.array()).toEqual([-9]);
  });

  test('frees all but the results, and closes its tape', () => {
    const w = variable(ones([2, 2]));
    const before = memory();
    const { value, gradients: dw } = gradients(() => mean(square(matMul(w, w))), w);
    expect(memory().tensors - before.tensors).toBe(2);
    expect(memory().openTapes).toBe(before.openTapes);
    value.dispose();
    dw?.dispose();
  });

  test('gives null or zeros for what isn’t connected', async () => {
    const [w, b, n] = [tensor([1]), tensor([2]), tensor([3], { dtype: 'int32' })];
    const loss = () => sum(mul(w, stopGradient(b)));
    expect(gradients(loss, [w, b, n]).gradients.map((g) => g === null)).toEqual([false, true, true]);
    const zeros = gradients(loss, [b], { unconnectedGradients: 'zero' }).gradients;
    expect(await zeros[0]?.array()).toEqual([0]);
  });

  test.each<[string, () => unknown, RegExp]>([
    ['no function', () => gradients(3 as never, tensor(1)), /is a function/],
    ['a function without a value', () => gradients((() => {}) as never, tensor(1)), /must return the tensor/],
    ['an async function', () => gradients((async () => tensor(1)) as never, tensor(1)), /cannot be async/],
    [
      'sources that are no tensors',
      () => gradients(() => tensor(1), [3] as never),
      /^gradients: sources must be tensors/,
    ],
    ['no sources', () => gradients(() => tensor(1), []), /at least one/],
  ])('rejects %s', (_, act, message) => {
    const open = memory().openTapes;
    expect(act).toThrow(message);
    expect(memory().openTapes).toBe(open);
    expect(activeRecorders()).toEqual([]);
  });
});

describe('GradientTape.run', () => {
  test('closes the tape at the end, and where its function throws', async () => {
    const w = variable(tensor([3]));
    const derivatives = GradientTape.run(
      (tape) => {
        const y = square(w);
        return [tape.gradient(y, w), tape.gradient(mul(y, 2), w)] as Tensor[];
      },
      { persistent: true },
    );
    expect(await Promise.all(derivatives.map((derivative) => derivative.item()))).toEqual([6, 12]);
    const fail = () =>
      GradientTape.run(() => {
        throw new Error('inside');
      });
    expect(fail).toThrow('inside');
    expect(() => GradientTape.run(async () => {})).toThrow(TapeError);
    expect(() => GradientTape.run(async () => {})).toThrow(/^GradientTape\.run: .*cannot be async/);
    expect(() => GradientTape.run(3 as never)).toThrow(/^GradientTape\.run: `body` is a function/);
    expect(activeRecorders()).toEqual([]);
    expect(memory().openTapes).toBe(0);
  });
});

describe('a tape that is never closed', () => {
  test('is mentioned once there are a hundred, since each of them records each op', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const tapes = Array.from({ length: 99 }, () => new GradientTape());
    expect(warn).not.toHaveBeenCalled();
    tapes.push(new GradientTape(), new GradientTape());
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/100 open tapes record each op\. `using`/)]]);
    for (const tape of tapes) tape.dispose();
    warn.mockRestore();
  });

  test('counts as open, until it is used up, disposed of or collected', async () => {
    const w = variable(ones([64, 64]));
    const tape = new GradientTape();
    const persistent = new GradientTape({ persistent: true });
    expect(memory().openTapes).toBe(2);
    const y = sum(matMul(w, w));
    tape.gradient(y, w)?.dispose();
    persistent.gradient(y, w)?.dispose();
    expect(memory().openTapes).toBe(1);
    persistent.reset();
    expect(memory().openTapes).toBe(1);
    persistent.dispose();
    expect(memory().openTapes).toBe(0);
    persistent.reset();
    expect([persistent.isRecording, memory().openTapes]).toEqual([true, 1]);
    persistent.dispose();
    // A gradient that is rejected stops the tape, which counts once when it starts again.
    const again = new GradientTape();
    expect(() => again.gradient(y, [])).toThrow(/at least one/);
    again.reset();
    expect([again.isRecording, memory().openTapes]).toEqual([true, 1]);
    again.dispose();
    expect(memory().openTapes).toBe(0);
    y.dispose();
    w.dispose();
  });

  test('stops recording once it is dropped, and frees what it held', async () => {
    const w = variable(ones([64, 64]));
    const before = await collectAll();
    const drop = () => {
      const tape = new GradientTape({ persistent: true });
      tidy(() => void sum(square(matMul(w, w))));
      expect(memory()).toMatchObject({ openTapes: 1 });
      void tape.trace;
    };
    drop();
    for (let attempt = 0; attempt < 40 && memory().openTapes > 0; attempt++) await collectGarbage();
    expect(memory().openTapes).toBe(0);
    expect(activeRecorders()).toEqual([]);
    expect((await collectAll()).bytes).toBeLessThanOrEqual(before.bytes);
    w.dispose();
  });
});
