/** @file Calls of compiled functions: what the function receives, what is reported of it, and when it runs uncaptured. */
import { afterAll, beforeAll, describe, expect, type MockInstance, test, vi } from 'vitest';
import {
  add,
  compile,
  exp,
  GradientTape,
  init,
  keep,
  memory,
  mul,
  relu,
  square,
  type Tensor,
  tensor,
  tidy,
  variable,
} from '../../src/index.ts';
import { compileCompared } from '../../src/autodiff/compile.ts';
import { encodeWork } from '../../src/execution/encoder.ts';
import { SharedBuffers } from '../../src/execution/sharedBuffers.ts';
import { withDevice } from '../../src/webgpu/current.ts';
import { installNodeGpu } from '../support/gpu.ts';
import { ownDevice } from '../support/ownDevice.ts';

let warn: MockInstance<typeof console.warn>;

beforeAll(async () => {
  await installNodeGpu();
  await init();
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterAll(() => {
  warn.mockRestore();
});

const uncompared = { isScheduled: false };

describe('the function receives', () => {
  test('tensors with the names and masks of the arguments', async () => {
    const seen: unknown[] = [];
    using f = compile((x: Tensor) => {
      seen.push([x.name, x.attachment?.shape, x.attachment?.dtype]);
      return add(x, 1);
    });
    const x = tensor([1, 2], { name: 'given' });
    x.attachment = tensor([true, false]);
    f(x);
    f(tensor([1, 2]));
    expect(seen[0]).toEqual(['given', [2], 'bool']);
    expect(seen[1]).toEqual([undefined, undefined, undefined]);
  });

  test('a mask that comes before its tensor as both', async () => {
    using f = compile((mask: Tensor, x: Tensor) => [mask, mul(x, x.attachment as Tensor)]);
    for (const value of [1, 2, 3]) {
      const [mask, x] = [tensor([0, value]), tensor([2, 3])];
      x.attachment = mask;
      expect(await f(mask, x)[1]?.array()).toEqual([0, 3 * value]);
    }
  });

  test('inputs that seem fresh where a replay is compared with a new trace', () => {
    const seen: unknown[] = [];
    using f = compileCompared(
      (x: Tensor) => {
        seen.push(x.origin);
        return add(x, 1);
      },
      { name: 'step' },
      uncompared,
    );
    const x = tensor([1]);
    f(x);
    f(x);
    f.compareNow();
    expect(seen).toEqual([x.origin, { kind: 'fresh', by: 'step' }]);
  });

  test('its own this, and numbers, flags and nested lists as they are', async () => {
    const seen: unknown[] = [];
    const scaler = {
      by: 3,
      scale: compile(function (this: { by: number }, x: Tensor, rest: unknown) {
        seen.push(rest);
        return mul(x, this.by);
      }),
    };
    expect(await scaler.scale(tensor([2]), [1, { a: 'text', b: [null] }]).item()).toBe(6);
    expect(seen).toEqual([[1, { a: 'text', b: [null] }]]);
    scaler.scale.dispose();
  });
});

describe('a call returns', () => {
  test('masks with its tensors, those of the recorded run and of replays', async () => {
    using f = compile((x: Tensor) => {
      const y = mul(x, 2);
      y.attachment = square(x);
      return [y, x];
    });
    for (const value of [1, 2, 3]) {
      const x = tensor([value]);
      x.attachment = tensor([value + 10]);
      const [y, same] = f(x);
      expect(await y?.attachment?.array()).toEqual([value * value]);
      expect(await same?.attachment?.array()).toEqual([value + 10]);
    }
    expect(f.explain()[0]).toMatchObject({ captured: true });
  });

  test('variables themselves, numbers, null and empty tensors', async () => {
    const w = variable(tensor([1]));
    using f = compile((x: Tensor) => ({
      w: w.assign(x),
      n: 3,
      none: null,
      empty: mul(x, tensor([], { shape: [0, 1] })),
    }));
    for (const value of [1, 2, 3]) {
      const { w: given, n, none, empty } = f(tensor([value]));
      expect(given).toBe(w);
      expect([n, none, empty.shape]).toEqual([3, null, [0, 1]]);
      expect(await w.array()).toEqual([value]);
    }
  });

  test('tensors whose origin is the call, by its name', () => {
    using f = compile((x: Tensor) => square(x), { name: 'step' });
    const x = tensor([1]);
    for (let i = 0; i < 3; i++) expect(f(x).origin).toMatchObject({ kind: 'unrecorded', op: 'step' });
  });
});

describe('a function is called in reports and errors', () => {
  test('by its option, its own name, or compiled', () => {
    function doubled(x: Tensor): Tensor {
      return mul(x, 2);
    }
    const names = [compile(doubled), compile(doubled, { name: 'other' }), compile((x: Tensor) => x)];
    expect(names.map(({ name }) => name)).toEqual(['doubled', 'other', 'compiled']);
    expect(() => compile(async (_: Tensor) => {}, { name: 'step' })(tensor([1]))).toThrow(
      /^step: .*synchronous/s,
    );
  });
});

describe('reports', () => {
  test('count launches and bytes of what is captured', () => {
    const kept: Tensor[] = [];
    using f = compile((x: Tensor, isKept: boolean) => {
      const y = exp(relu(x));
      if (isKept) kept.push(keep(square(y)));
      return y;
    });
    const x = tensor([1, 2]);
    f(x, false);
    f(x, true);
    expect(f.explain()).toEqual([
      {
        signature: expect.stringMatching(/^0: float32\[2\], boolean false$/),
        captured: true,
        reason: null,
        launches: expect.any(Number),
        bytes: expect.any(Number),
        minBytes: expect.any(Number),
        frozen: [],
      },
      {
        signature: expect.stringMatching(/boolean true$/),
        captured: false,
        reason: expect.stringMatching(/keeps 1 tensor beyond/),
        launches: 0,
        bytes: 0,
        minBytes: 0,
        frozen: [],
      },
    ]);
    expect(f.explain()[0]?.launches).toBeGreaterThan(0);
    for (const each of kept) each.dispose();
  });

  test('name three of the ops whose results were kept', () => {
    const kept: Tensor[] = [];
    using f = compile((x: Tensor) => {
      kept.push(...[square(x), exp(x), relu(x), mul(x, 2), exp(x)].map(keep));
      return x;
    });
    f(tensor([1]));
    expect(f.explain()[0]?.reason).toMatch(/keeps 5 tensors beyond the call, made by \w+, \w+, \w+: /);
    for (const each of kept) each.dispose();
  });

  test('end with what surrounded the last call', async () => {
    using f = compile((x: Tensor) => square(x));
    const x = tensor([3]);
    using tape = new GradientTape({ persistent: true });
    tape.watch(x);
    f(x);
    expect(f.explain()).toEqual([
      {
        signature: 'any',
        captured: false,
        reason: expect.stringMatching(/a tape outside/),
        launches: 0,
        bytes: 0,
        minBytes: 0,
        frozen: [],
      },
    ]);
    tape.dispose();
    f(x);
    expect(f.explain()).toMatchObject([{ captured: true }]);
  });

  test('of work that went to the encoder of an app', async () => {
    await using own = await ownDevice();
    using f = compileCompared((x: Tensor) => square(x), {}, uncompared);
    const x = tensor([3]);
    await own.device.sync();
    const encoder = own.gpu.createCommandEncoder();
    encodeWork(
      own.device,
      encoder,
      () => null,
      () => void f(x),
    );
    expect(f.reports()).toMatchObject([
      { signature: 'any', reason: expect.stringMatching(/encoder of an app/) },
    ]);
    own.gpu.queue.submit([encoder.finish()]);
  });
});

describe('comparisons', () => {
  /** Returns a function that counts how often its JavaScript runs. */
  const counted = (policy = uncompared) => {
    const state = { runs: 0, by: 1 };
    const f = compileCompared(
      (x: Tensor) => {
        state.runs++;
        return mul(x, state.by);
      },
      {},
      policy,
    );
    return { f, state };
  };

  test('are made of recordings that were replayed, until a difference is found', () => {
    const { f, state } = counted();
    const x = tensor([1]);
    f(x);
    f.compareNow();
    expect(state.runs).toBe(1);
    f(x);
    f.explain();
    expect(state.runs).toBe(2);
    state.by = 2;
    f.compareNow();
    expect([state.runs, f.reports()[0]?.frozen.length]).toEqual([3, 1]);
    f.compareNow();
    expect(state.runs).toBe(3);
    f.dispose();
  });

  test('are not made of a recording that is gone', () => {
    const kept: Tensor[] = [];
    let keeps = false;
    using f = compileCompared(
      (x: Tensor) => {
        if (keeps) kept.push(keep(square(x)));
        return mul(x, 2);
      },
      {},
      uncompared,
    );
    const x = tensor([1]);
    f(x);
    f(x);
    keeps = true;
    const selection = vi.spyOn(x.device, 'selectionVersion', 'get').mockReturnValue(-1);
    f(x);
    selection.mockRestore();
    f.compareNow();
    expect(f.reports()).toMatchObject([{ captured: false, frozen: [] }]);
    for (const each of kept) each.dispose();
  });

  test('are put off while a tape records or another function is captured', () => {
    const { f, state } = counted();
    const x = tensor([1]);
    f(x);
    f(x);
    {
      using _ = new GradientTape();
      f.compareNow();
    }
    using outer = compile((y: Tensor) => {
      f.compareNow();
      return square(y);
    });
    outer(x);
    expect(state.runs).toBe(1);
    f.compareNow();
    expect(state.runs).toBe(2);
    f.dispose();
  });

  test('are due at calls 2, 16, 64 and 256', () => {
    const { f, state } = counted({ isScheduled: true });
    const x = tensor([1]);
    const due: number[] = [];
    for (let call = 1; call <= 260; call++) {
      const before = state.runs;
      tidy(() => void f(x));
      if (call > 1 && state.runs > before) due.push(call);
    }
    expect(due).toEqual([2, 16, 64, 256]);
    f.dispose();
  });

  test('are also due when a field of an argument changed, three times at most', () => {
    let runs = 0;
    class Settings {
      step = 0;
    }
    const settings = new Settings();
    using f = compileCompared(
      (x: Tensor, _: Settings) => {
        runs++;
        return square(x);
      },
      {},
      uncompared,
    );
    const x = tensor([1]);
    const steps = [0, 0, 1, 1, 2, 3, 4, 5];
    const counts = steps.map((step) => {
      settings.step = step;
      f(x, settings);
      return runs;
    });
    expect(counts).toEqual([1, 1, 2, 2, 3, 4, 4, 4]);
  });
});

test('a recording whose buffers can’t be made leaves nothing behind', async () => {
  await using _own = await ownDevice();
  const w = variable(tensor([5]));
  using f = compile((x: Tensor) => [square(x), w, null]);
  const x = tensor([3]);
  const { tensors, bytes } = memory();
  const acquire = vi.spyOn(SharedBuffers.prototype, 'acquire').mockImplementationOnce(() => {
    throw new Error('no memory');
  });
  expect(() => f(x)).toThrow('no memory');
  acquire.mockRestore();
  expect(memory()).toMatchObject({ tensors, bytes });
  expect(await f(x)[0]?.item()).toBe(9);
  expect(await w.item()).toBe(5);
});

test('without a device nothing is compared or reported', () => {
  using f = compile((x: Tensor) => mul(x, 2));
  expect(withDevice(null as never, () => f.explain())).toEqual([]);
});

test('a call computes on the device of its tensors, whichever is current', async () => {
  using f = compile((x: Tensor) => mul(x, 2));
  const x = tensor([3]);
  for (let run = 0; run < 3; run++) expect(await withDevice(null as never, () => f(x)).item()).toBe(6);
  expect(f.explain()).toMatchObject([{ captured: true }]);
});

test('a function is captured again where kernels would be selected differently', async () => {
  let runs = 0;
  using f = compileCompared(
    (x: Tensor) => {
      runs++;
      return square(x);
    },
    {},
    uncompared,
  );
  const x = tensor([3]);
  const call = async () => expect(await f(x).item()).toBe(9);
  await call();
  await call();
  expect(runs).toBe(1);
  const selection = vi.spyOn(x.device, 'selectionVersion', 'get').mockReturnValue(-1);
  try {
    await call();
    await call();
    expect([runs, f.reports()[0]?.captured]).toEqual([2, true]);
    // That is no failure, as often as it happens.
    for (const version of [-2, -3, -4, -5]) {
      selection.mockReturnValue(version);
      await call();
      await call();
    }
    expect([runs, f.reports()[0]?.captured]).toEqual([6, true]);
  } finally {
    selection.mockRestore();
  }
});

describe('a function that can’t be replayed', () => {
  test('is given up after three recordings: then it receives the arguments themselves', async () => {
    const [kept, given]: [Tensor[], Tensor[]] = [[], []];
    using f = compileCompared(
      (x: Tensor) => {
        given.push(x);
        kept.push(keep(square(x)));
        return mul(x, 2);
      },
      {},
      uncompared,
    );
    const x = tensor([3]);
    const isGivenUp: boolean[] = [];
    for (let i = 0; i < 5; i++) {
      isGivenUp.push(f.givenUp() !== null);
      expect(await f(x).item()).toBe(6);
    }
    expect(isGivenUp).toEqual([false, false, false, true, true]);
    expect(f.givenUp()).toMatch(/keeps 1 tensor beyond/);
    expect(given.map((each) => each === x)).toEqual([false, false, false, true, true]);
    expect(await Promise.all(kept.map((each) => each.item()))).toEqual([9, 9, 9, 9, 9]);
    for (const each of kept) each.dispose();
  });

  test('because of an argument, receives it at once', async () => {
    const given: Tensor[] = [];
    using f = compile((x: Tensor, by: Float32Array) => {
      given.push(x);
      return mul(x, by[0] as number);
    });
    const x = tensor([3]);
    expect(await f(x, new Float32Array([2])).item()).toBe(6);
    expect(given).toEqual([x]);
    expect(f.explain()[0]?.reason).toMatch(/a Float32Array/);
    using single = compile(mul as (x: Tensor, by: unknown) => Tensor, { maxSignatures: 1 });
    expect(await single(x, new Float32Array([2])).item()).toBe(6);
    expect(await single(x, 4).item()).toBe(12);
    // The next signature is recorded.
    expect(await (f as unknown as (x: Tensor, by: number[]) => Tensor)(x, [3]).item()).toBe(9);
    expect(f.explain().map(({ captured }) => captured)).toEqual([false, true]);
  });
});
