/** @file Comparisons of a recording with a new trace of its function: which differences they find, and how they describe them. */
import { afterAll, beforeAll, describe, expect, type MockInstance, test, vi } from 'vitest';
import {
  add,
  DynamicScalar,
  defineKernel,
  type Device,
  GradientTape,
  getDevice,
  identity,
  init,
  memory,
  mul,
  relu,
  runKernel,
  square,
  sub,
  sum,
  type Tensor,
  tensor,
  tidy,
  variable,
} from '../../src/index.ts';
import { compileCompared } from '../../src/autodiff/compile.ts';
import { frozenWarning } from '../../src/autodiff/frozenValues.ts';
import { installNodeGpu } from '../support/gpu.ts';

let device: Device;
let warn: MockInstance<typeof console.warn>;

beforeAll(async () => {
  await installNodeGpu();
  await init();
  device = getDevice();
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterAll(() => {
  warn.mockRestore();
});

/** Records and replays `fn`, and compares after `change`. The findings, each with its place. */
function placed(fn: (x: Tensor) => unknown, change: () => void): readonly string[] {
  using f = compileCompared(fn, { name: 'step' }, { isScheduled: false });
  const x = tensor([1, 2, 3]);
  f(x);
  f(x);
  expect(f.reports()[0]).toMatchObject({ captured: true, frozen: [] });
  change();
  f.compareNow();
  return f.reports()[0]?.frozen ?? [];
}

/** In a bundle, tests count as the library: the place is in what runs them. */
const withoutPlace = (finding: string) => finding.replace(/, at [\w.-]+\.m?[jt]s:\d+$/, '');
const findings = (fn: (x: Tensor) => unknown, change: () => void) => placed(fn, change).map(withoutPlace);

/** Returns the findings where `fn` takes `before` when it is recorded, and `after` when it is compared. */
function between<T>(before: T, after: T, fn: (x: Tensor, value: T) => unknown): string[] {
  let value = before;
  return findings(
    (x) => fn(x, value),
    () => {
      value = after;
    },
  );
}

describe('parameters of a kernel', () => {
  const defined = (name: string) =>
    defineKernel({
      name,
      bindings: { x: 'read f32', y: 'write f32' },
      params: { shift: 'f32', shape: 'u32x8' },
      source: ({ factor }: { factor: number }) =>
        `@compute @workgroup_size(1) fn main() { y[0] = x[0] * f32(${factor}) + params.shift + f32(params.shape[0][0]); }`,
    });
  const kernel = defined('comparedKernel');
  interface Given {
    readonly shift?: number | DynamicScalar;
    readonly shape?: readonly number[];
    readonly factor?: number;
  }
  const launch = (x: Tensor, { shift = 0, shape = [1], factor = 1 }: Given) =>
    runKernel(kernel, {
      inputs: { x },
      outputs: { y: { shape: [1], dtype: 'float32' } },
      params: { shift, shape },
      workgroups: [1, 1, 1],
      options: { factor },
    }).y;
  const compared = (before: Given, after: Given) => between(before, after, launch);
  const number = (was: string, is: string) => [
    `a number that 'comparedKernel' takes: ${was} in the recording, ${is} now`,
  ];

  test('numbers and lists of numbers are compared by value', () => {
    expect(compared({ shift: 2 }, { shift: 3 })).toEqual(number('2', '3'));
    expect(compared({ shift: 0 }, { shift: -0 })).toEqual(number('0', '-0'));
    expect(compared({ shift: Number.NaN }, { shift: Number.NaN })).toEqual([]);
    expect(compared({ shape: [1, 2] }, { shape: [1, 3] })).toEqual(number('[1, 2]', '[1, 3]'));
    expect(compared({ shape: [1, 2] }, { shape: [1] })).toEqual(number('[1, 2]', '[1]'));
    expect(compared({ shape: [1] }, { shape: [1, 2] })).toEqual(number('[1]', '[1, 2]'));
    expect(compared({ shape: [1, 2] }, { shape: [1, 2] })).toEqual([]);
  });

  test('a DynamicScalar may have another value, but not replace a number or be replaced by one', () => {
    const scalar = new DynamicScalar(1);
    const raise = () => {
      scalar.value = 2;
    };
    expect(findings((x) => launch(x, { shift: scalar }), raise)).toEqual([]);
    expect(compared({ shift: scalar }, { shift: 2 })).toEqual(number('a DynamicScalar', '2'));
    expect(compared({ shift: 2 }, { shift: scalar })).toEqual(number('2', 'a DynamicScalar'));
  });

  test('of several that differ in one launch the first is reported', () => {
    expect(compared({ shift: 1, shape: [1] }, { shift: 2, shape: [2] })).toHaveLength(1);
  });

  test('another program and another kernel are another branch', () => {
    expect(compared({ factor: 1 }, { factor: 2 })).toEqual([
      "a branch: 'comparedKernel' was recorded where 'comparedKernel' runs now",
    ]);
    const y = { shape: [1], dtype: 'float32' } as const;
    const run = (x: Tensor, given: typeof kernel) =>
      runKernel(given, {
        inputs: { x },
        outputs: { y },
        params: { shift: 0, shape: [1] },
        workgroups: [1, 1, 1],
        options: { factor: 1 },
      });
    expect(between(kernel, defined('otherKernel'), run)).toEqual([
      "a branch: 'comparedKernel' was recorded where 'otherKernel' runs now",
    ]);
  });

  test('ranges of buffers are compared by buffer and offset', () => {
    const [table, other] = [tensor(new Array(65).fill(1)), tensor(new Array(65).fill(2))];
    const rangeOf = ({ storage: { buffer, offset } }: Tensor, start = 0) => ({
      buffer,
      offset: offset + start,
      bytes: 4,
    });
    const read = (x: Tensor, source: () => ReturnType<typeof rangeOf>) => {
      const y = mul(x, 2);
      device.launch(kernel, {
        options: { factor: 1 },
        bindings: { x: source(), y: y.storage },
        params: { shift: 0, shape: [1] },
        workgroups: [1, 1, 1],
      });
      return y;
    };
    const elsewhere = [
      "a tensor from outside that 'comparedKernel' takes: another one in the recording than now",
    ];
    const first = () => rangeOf(table);
    expect(between(first, () => rangeOf(table), read)).toEqual([]);
    expect(between(first, () => rangeOf(table, 256), read)).toEqual(elsewhere);
    expect(between(first, () => rangeOf(other), read)).toEqual(elsewhere);
    expect(between<() => unknown>(first, () => table.storage, read as never)).toEqual([]);
    expect(between<() => unknown>(() => table.storage, first, read as never)).toEqual([]);
  });
});

describe('operands', () => {
  const tensorOf = (op: string) => [
    `a tensor from outside that '${op}' takes: another one in the recording than now`,
  ];

  test('numbers are compared by value, the sign of zero included', () => {
    const scaled = (x: Tensor, by: number) => mul(x, by);
    expect(between(2, 3, scaled)).toEqual(["a number that 'mul' takes: 2 in the recording, 3 now"]);
    expect(between(0, -0, scaled)).toEqual(["a number that 'mul' takes: 0 in the recording, -0 now"]);
    expect(between(Number.NaN, Number.NaN, scaled)).toEqual([]);
  });

  test('a number that was uploaded again is the same', () => {
    const one = tensor([1]);
    // More numbers than are kept on the device.
    const uploadOthers = () =>
      tidy(() => {
        for (let i = 0; i < 257; i++) mul(one, i + 0.25);
      });
    expect(findings((x) => mul(x, 0.125), uploadOthers)).toEqual([]);
  });

  test('host values are compared by value', () => {
    const shifted = (x: Tensor, values: number[]) => add(x, tensor(values));
    expect(between([1, 2, 3], [1, 2, 4], shifted)).toEqual([
      "host values that 'add' takes: others in the recording than now",
    ]);
    expect(between([1, 2, 3], [1, 2, 3], shifted)).toEqual([]);
  });

  test('tensors from outside are compared by identity', () => {
    const [a, b] = [tensor([1]), tensor([1])];
    const shifted = (x: Tensor, by: Tensor | number[]) => add(x, Array.isArray(by) ? tensor(by) : by);
    expect(between<Tensor>(a, b, shifted)).toEqual(tensorOf('add'));
    expect(between<Tensor>(a, a, shifted)).toEqual([]);
    expect(between<Tensor | number[]>(a, [1], shifted)).toEqual(tensorOf('add'));
    expect(between<Tensor | number[]>([1], a, shifted)).toEqual(tensorOf('add'));
  });

  test('a number is not a tensor from outside', () => {
    const two = tensor(2);
    const scaled = (x: Tensor, by: Tensor | number) => mul(x, by);
    mul(two, 2);
    expect(between<Tensor | number>(2, two, scaled)).toEqual(tensorOf('mul'));
    expect(between<Tensor | number>(two, 2, scaled)).toEqual(tensorOf('mul'));
  });

  test('variables are compared by identity, whatever their values', () => {
    const [v, w] = [variable(tensor([1])), variable(tensor([1]))];
    const shifted = (x: Tensor, by: Tensor) => add(x, by);
    expect(between<Tensor>(v, w, shifted)).toEqual(tensorOf('add'));
    expect(
      findings(
        (x) => add(x, v),
        () => void v.assign(tensor([5])),
      ),
    ).toEqual([]);
  });

  test('an operand of a copy is compared, too', () => {
    const [v, w] = [variable(tensor([1])), variable(tensor([1]))];
    // The call returns what it didn't make: its values are copied.
    expect(between(v, w, (x, given) => [x, identity(given)])).toEqual([
      'a tensor from outside that a copy takes: another one in the recording than now',
    ]);
  });

  test('what is compared is not held', () => {
    const before = memory().bytes;
    const [a, b] = [tensor([1]), tensor([2])];
    let given = a;
    using f = compileCompared((x: Tensor) => add(x, given), {}, { isScheduled: false });
    tidy(() => {
      const x = tensor([1]);
      f(x);
      f(x);
      given = b;
      f.compareNow();
    });
    expect(f.reports()[0]?.frozen).toHaveLength(1);
    f.dispose();
    a.dispose();
    b.dispose();
    expect(memory().bytes).toBe(before);
  });

  test('what the call makes and what comes from outside differ', () => {
    const outside = tensor([1, 2, 3]);
    const either = (x: Tensor, isOutside: boolean) => {
      const y = mul(x, 2);
      return square(isOutside ? outside : y);
    };
    expect(between(false, true, either)).toEqual(tensorOf('square'));
    expect(between(true, false, either)).toEqual(tensorOf('square'));
  });
});

describe('branches', () => {
  test('another op, more ops and fewer ops', () => {
    const either = (x: Tensor, isOther: boolean) => (isOther ? square(x) : relu(x));
    expect(between(false, true, either)).toEqual(["a branch: 'relu' was recorded where 'square' runs now"]);
    const longer = (x: Tensor, isLonger: boolean) => (isLonger ? square(relu(x)) : relu(x));
    expect(between(false, true, longer)).toEqual(["a branch: 'square' runs now and wasn't recorded"]);
    expect(between(true, false, longer)).toEqual(['a branch: fewer ops run now than were recorded']);
    expect(between(true, true, longer)).toEqual([]);
  });

  test('a call that ran has a location, a missing one has none', () => {
    let isLonger = true;
    const flip = () => {
      isLonger = !isLonger;
    };
    const fn = (x: Tensor) => (isLonger ? square(relu(x)) : relu(x));
    expect(placed(fn, flip)).toEqual([expect.not.stringContaining(', at ')]);
    expect(placed(fn, flip)).toEqual([expect.stringMatching(/, at comparedTraces\.test\.[jt]s:\d+$/)]);
  });

  test('a copy of what the call returns unchanged is a command, too', () => {
    const either = (x: Tensor, isCopied: boolean) => (isCopied ? x : relu(x));
    expect(between(false, true, either)).toEqual(["a branch: 'relu' was recorded where a copy runs now"]);
    expect(between(true, false, either)).toEqual(["a branch: a copy was recorded where 'relu' runs now"]);
    expect(between(true, true, either)).toEqual([]);
  });

  test('after numbers that differ, a branch that follows from them is not reported', () => {
    const steps = (x: Tensor, by: number) => (by > 1 ? square(mul(x, by)) : relu(mul(x, by)));
    expect(between(1, 2, steps)).toEqual(["a number that 'mul' takes: 1 in the recording, 2 now"]);
  });
});

describe('reports', () => {
  test('name the op whose gradient differs', () => {
    const derivative = (x: Tensor, by: number) => {
      using tape = new GradientTape();
      tape.watch(x);
      const y = sum(square(mul(x, by)));
      return tape.gradient(y, x);
    };
    expect(between(1, 2, derivative)).toEqual([
      "a number that 'mul' takes: 1 in the recording, 2 now",
      "a number that the gradient of 'mul' takes: 1 in the recording, 2 now",
    ]);
  });

  test('one line is named once for each kind of difference', () => {
    const twice = (x: Tensor, [by, values]: [number, number[]]) => add(mul(mul(x, by), by), tensor(values));
    expect(between([1, [1]], [2, [2]], twice)).toEqual([
      "a number that 'mul' takes: 1 in the recording, 2 now",
      "host values that 'add' takes: others in the recording than now",
    ]);
  });

  test('each kind of difference has its fix', () => {
    const [a, b] = [tensor([1]), tensor([1])];
    const hintOf = (found: readonly string[]) => {
      expect(found).toHaveLength(1);
      return /hint: .*/.exec(String(warn.mock.lastCall?.[0]))?.[0];
    };
    expect(hintOf(between(1, 2, mul))).toMatch(/keep a number that changes in a variable/);
    expect(hintOf(between([1], [2], (x, values) => add(x, tensor(values))))).toMatch(
      /pass host values that change/,
    );
    expect(hintOf(between(a, b, (x, by) => add(x, by)))).toMatch(/pass a tensor that changes/);
    expect(hintOf(between<typeof relu>(relu, square, (x, op) => op(x)))).toMatch(/where\(condition, a, b\)/);
  });

  test('an error ends the comparison; what was found before it is reported', () => {
    const failing = (x: Tensor, by: number) => {
      const y = mul(x, by);
      if (by === 2) throw new Error('not again');
      return sub(y, 1);
    };
    expect(between(1, 2, failing)).toEqual(["a number that 'mul' takes: 1 in the recording, 2 now"]);
  });

  test('a warning lists the differences with their places, and each fix once', () => {
    const text = frozenWarning('step', [
      { kind: 'number', what: 'a number that differs', where: 'app.ts:3' },
      { kind: 'number', what: 'another number', where: undefined },
      { kind: 'branch', what: 'a branch', where: 'app.ts:4' },
    ]);
    expect(text.split('\n')).toEqual([
      expect.stringMatching(/^step: its launches were recorded/),
      '  a number that differs, at app.ts:3',
      '  another number',
      '  a branch, at app.ts:4',
      expect.stringMatching(/^ {2}hint: keep a number[^;]*;[^;]*; select by values with where[^;]*;/),
    ]);
  });
});
