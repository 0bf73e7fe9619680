/**
 * @file defineOp is typed by the tuple of its inputs, and plans a call once. The types are checked by tsc; each
 * `@ts-expect-error` is a wrong use that must not compile.
 */
import { beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import {
  add,
  defineOp,
  GradientTape,
  identity,
  init,
  mul,
  type Op,
  type Tensor,
  tensor,
  type TensorSpec,
} from '../../src/index.ts';
import { input, model } from '../../src/keras/index.ts';

beforeAll(() => init());

/** How often `scaled` was planned, and what its functions saw. */
const seen: { infers: number; plans: unknown[] } = { infers: 0, plans: [] };

interface ScaledOptions {
  by?: number;
}

const scaled: Op<[x: Tensor, bias: Tensor | null], ScaledOptions> = defineOp({
  name: 'scaled',
  inputs: ['x', 'bias?'],
  save: { inputs: [0] },
  infer: ([x, bias], { by = 2 }) => {
    seen.infers++;
    expectTypeOf(x).toEqualTypeOf<TensorSpec>();
    expectTypeOf(bias).toEqualTypeOf<TensorSpec | null>();
    return { shape: x.shape, dtype: x.dtype, by };
  },
  forward: ([x, bias], plan, { options }) => {
    seen.plans.push(plan);
    expectTypeOf(x).toEqualTypeOf<Tensor>();
    expectTypeOf(bias).toEqualTypeOf<Tensor | null>();
    expectTypeOf(plan.by).toEqualTypeOf<number>();
    expectTypeOf(options).toEqualTypeOf<ScaledOptions>();
    const product = mul(x, plan.by);
    return bias ? add(product, bias) : product;
  },
  backward: ([dy], { inputs: [x, bias], outputs: [y], inputSpecs, needs, plan }) => {
    seen.plans.push(plan);
    expectTypeOf(dy).toEqualTypeOf<Tensor>();
    expectTypeOf(x).toEqualTypeOf<Tensor>();
    expectTypeOf(bias).toEqualTypeOf<undefined>();
    expectTypeOf(y).toEqualTypeOf<undefined>();
    expectTypeOf(inputSpecs[1]).toEqualTypeOf<TensorSpec | null>();
    expectTypeOf(needs[1]).toEqualTypeOf<boolean>();
    return [mul(dy, plan.by), needs[1] ? identity(dy) : null];
  },
});

describe('plans', () => {
  test('a call is planned once: forward and backward receive what infer returned', async () => {
    seen.infers = 0;
    seen.plans = [];
    const x = tensor([1, 2, 3]);
    const tape = new GradientTape();
    tape.watch(x);
    const y = scaled(x, null, { by: 5 });
    const dx = tape.gradient(y, x);
    expect(seen.infers).toBe(1);
    const [inForward, inBackward] = seen.plans;
    expect(inForward).toMatchObject({ shape: [3], dtype: 'float32', by: 5 });
    expect(inBackward).toBe(inForward);
    expect(await dx?.data()).toEqual(Float32Array.from([5, 5, 5]));
  });

  test('defaults that infer resolves hold for forward and backward', async () => {
    const x = tensor([1, 2]);
    const bias = tensor([10, 20]);
    const tape = new GradientTape();
    tape.watch([x, bias]);
    const y = scaled(x, bias);
    expect(await y.data()).toEqual(Float32Array.from([12, 24]));
    const [dx, dBias] = tape.gradient(y, [x, bias]);
    expect(await dx?.data()).toEqual(Float32Array.from([2, 2]));
    expect(await dBias?.data()).toEqual(Float32Array.from([1, 1]));
  });

  test('a symbolic call keeps its options and plans each execution', async () => {
    const x = input({ shape: [2] });
    const net = model({ inputs: x, outputs: scaled(x, null, { by: 3 }) });
    const y = net.apply(tensor([[1, 2]]));
    expect(await (y as Tensor).data()).toEqual(Float32Array.from([3, 6]));
  });
});

describe('types', () => {
  test('an op with several outputs returns a tuple, and its specs may carry a plan each', async () => {
    const lowAndHigh: Op<[x: Tensor], object, [low: Tensor, high: Tensor]> = defineOp({
      name: 'lowAndHigh',
      inputs: ['x'],
      save: { inputs: [], outputs: [1] },
      infer: ([{ shape, dtype }]) => [
        { shape, dtype, by: 0.5 },
        { shape, dtype },
      ],
      forward: ([x], plan) => {
        expectTypeOf(plan[0].by).toEqualTypeOf<0.5>();
        return [mul(x, plan[0].by), mul(x, 1.5)];
      },
      backward: ([dLow, dHigh], { inputs: [x], outputs: [low, high], plan: [first] }) => {
        expectTypeOf(x).toEqualTypeOf<undefined>();
        expectTypeOf(low).toEqualTypeOf<undefined>();
        expectTypeOf(high).toEqualTypeOf<Tensor>();
        return [add(mul(dLow, first.by), mul(dHigh, 1.5))];
      },
    });
    const [low, high] = lowAndHigh(tensor([2]));
    expectTypeOf(high).toEqualTypeOf<Tensor>();
    expect([...(await low.data()), ...(await high.data())]).toEqual([1, 3]);
  });

  test('a list of inputs, and cotangents that may be null', () => {
    const list: Op<[tensors: Tensor[]]> = defineOp({
      name: 'list',
      inputs: ['...tensors'],
      takesNull: true,
      infer: (specs) => {
        expectTypeOf(specs).toEqualTypeOf<readonly TensorSpec[]>();
        return { shape: specs[0]?.shape ?? [], dtype: 'float32' };
      },
      forward: (tensors) => {
        expectTypeOf(tensors).toEqualTypeOf<readonly Tensor[]>();
        return tensors.reduce((sum, x) => add(sum, x));
      },
      backward: ([dy], { needs }) => {
        expectTypeOf(dy).toEqualTypeOf<Tensor | null>();
        expectTypeOf(needs).toEqualTypeOf<readonly boolean[]>();
        return needs.map(() => dy);
      },
    });
    expect(list([tensor([1]), tensor([2])]).shape).toEqual([1]);
  });

  test('wrong uses do not compile', () => {
    const spec = { name: 'wrong', inputs: ['x'] } as const;
    const infer = ([x]: readonly [TensorSpec]): TensorSpec => ({ shape: x.shape, dtype: x.dtype });

    const missing: Op<[x: Tensor]> = defineOp({
      ...spec,
      infer: ([x]) => ({ shape: x.shape, dtype: x.dtype }),
      // @ts-expect-error the plan has no `axis`
      forward: ([x], plan) => mul(x, plan.axis),
      backward: null,
    });
    const unsaved: Op<[x: Tensor]> = defineOp({
      ...spec,
      save: { inputs: [] },
      infer,
      forward: ([x]) => identity(x),
      // @ts-expect-error x isn't saved
      backward: ([dy], { inputs: [x] }) => [mul(dy, x)],
    });
    const extra: Op<[x: Tensor]> = defineOp({
      ...spec,
      infer,
      // @ts-expect-error there is no second input
      forward: ([x, y]) => add(x, y),
      backward: null,
    });
    const gradients: Op<[x: Tensor]> = defineOp({
      ...spec,
      infer,
      forward: ([x]) => identity(x),
      // @ts-expect-error two gradients for one input
      backward: ([dy]) => [dy, dy],
    });
    const optional: Op<[x: Tensor | null]> = defineOp({
      name: 'wrong',
      inputs: ['x?'],
      infer: () => ({ shape: [], dtype: 'float32' }),
      // @ts-expect-error x may be null
      forward: ([x]) => identity(x),
      backward: null,
    });
    const specless: Op<[x: Tensor]> = defineOp({
      ...spec,
      // @ts-expect-error a plan has a dtype
      infer: ([x]) => ({ shape: x.shape }),
      forward: ([x]) => identity(x),
      backward: null,
    });
    const unnamed: Op<[x: Tensor, bias: Tensor | null]> = defineOp({
      name: 'wrong',
      // @ts-expect-error an input that may be null ends in `?`
      inputs: ['x', 'bias'],
      infer: ([x]) => ({ shape: x.shape, dtype: x.dtype }),
      forward: ([x]) => identity(x),
      backward: null,
    });
    const made = [missing, unsaved, extra, gradients, optional, specless, unnamed];
    expect(made.map(({ definition }) => definition.name)).toEqual(made.map(() => 'wrong'));
  });

  test('calls take options of the declared type', () => {
    const call = () => {
      // @ts-expect-error an unknown option
      scaled(tensor([1]), null, { times: 2 });
      // @ts-expect-error a tensor where there is no input
      scaled(tensor([1]), null, tensor([1]));
    };
    expect(call).toBeTypeOf('function');
  });
});
