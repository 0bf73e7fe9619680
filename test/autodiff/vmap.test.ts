/// <reference types="vite/client" />
/** @file vmap against JAX, and each op under vmap against the op on one example at a time. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  add,
  checkpoint,
  compile,
  conv2d,
  customGradient,
  customJvp,
  defineOp,
  dropout,
  embedding,
  gather,
  GradientTape,
  grad,
  grads,
  hessian,
  hvp,
  identity,
  init,
  jacfwd,
  jvp,
  matMul,
  mean,
  memory,
  mul,
  outer,
  prod,
  reshape,
  ShapeError,
  sin,
  square,
  stack,
  sub,
  sum,
  TapeError,
  type Tensor,
  tanh,
  tensor,
  tidy,
  unstack,
  ValueError,
  valueAndGrad,
  variable,
  vmap,
} from '../../src/index.ts';
import { layers } from '../../src/keras/index.ts';
import * as ops from '../../src/ops/index.ts';
import { sumOfSlices, withSlices } from '../../src/ops/indexing/slices.ts';
import { drawValues, generator, upload } from '../ops/samples/draw.ts';
import type { OpSamples } from '../ops/samples/types.ts';
import { expectJax, inputsOf } from './jaxCases.ts';
import { expectClose } from './mapped.ts';

beforeAll(async () => {
  await init();
});

interface Params {
  layers: [{ kernel: Tensor; bias: Tensor }, { kernel: Tensor; bias: Tensor }];
  scale: Tensor;
}
interface Wave {
  w: Tensor;
  b: Tensor;
}

function loss({ layers: [first, second], scale }: Params, x: Tensor, y: Tensor): Tensor {
  const h = tanh(add(matMul(x, first.kernel), first.bias));
  const prediction = mul(scale, add(matMul(h, second.kernel), second.bias));
  return mean(square(sub(prediction, y)));
}

const convolved = (image: Tensor, kernel: Tensor) => conv2d(image, kernel, { padding: 'same' });
const wavy = (image: Tensor, kernel: Tensor) => sum(sin(convolved(image, kernel)));

describe('against JAX', () => {
  test('per-example gradients', async () => {
    const [params, x, y] = inputsOf<[Params, Tensor, Tensor]>('per-example gradients');
    const perExample = vmap(grad(loss, { argnums: 0 }), { inAxes: [null, 0, 0] });
    await expectJax('per-example gradients', perExample(params, x, y));
    // Closed over, and on a tape instead of a function.
    const onTape = vmap((xi: Tensor, yi: Tensor) => {
      using tape = new GradientTape();
      tape.watch([params.scale, params.layers[1].bias]);
      return tape.gradient(loss(params, xi, yi), [params.scale, params.layers[1].bias]) as Tensor[];
    })(x, y);
    const wanted = perExample(params, x, y);
    expect(await onTape[0]?.array()).toEqual(await wanted.scale.array());
    expect(await onTape[1]?.array()).toEqual(await wanted.layers[1].bias.array());
  });

  test('nested maps', async () => {
    const [a, b] = inputsOf<[Tensor, Tensor]>('nested vmap');
    const distance = (x: Tensor, y: Tensor) => sum(square(sub(x, y)));
    const all = vmap(vmap(distance, { inAxes: [null, 0] }), { inAxes: [0, null] });
    await expectJax('nested vmap', all(a, b));
    const compiled = compile(all);
    await expectJax('nested vmap', compiled(a, b));
    await expectJax('nested vmap', compiled(a, b));
    expect(compiled.explain()).toMatchObject([{ captured: true }]);
    compiled.dispose();
  });

  test('inAxes and outAxes', async () => {
    const [c, d] = inputsOf<[Tensor, Tensor]>('inAxes and outAxes');
    const f = (r: { c: Tensor; d: Tensor }) => ({
      outer: outer(r.c, unstack(r.d)[0] as Tensor),
      sum: add(r.d, 1),
    });
    const mapped = vmap(f, { inAxes: [{ c: 0, d: 1 }], outAxes: { outer: 2, sum: -1 } });
    await expectJax('inAxes and outAxes', mapped({ c, d }));
  });

  test('derivatives in maps, and maps in derivatives', async () => {
    const [p, vs] = inputsOf<[Wave, Tensor]>('vmap of jacfwd');
    const wave = (v: Tensor) => add(sin(matMul(p.w, v)), p.b);
    await expectJax('vmap of jacfwd', vmap(jacfwd(wave))(vs));
    await expectJax(
      'vmap of hessian',
      vmap(hessian((v: Tensor) => mul(sum(sin(v)), prod(v))))(inputsOf<[Tensor]>('vmap of hessian')[0]),
    );
    const total = (q: Wave) => sum(square(vmap((v: Tensor) => mul(tanh(matMul(q.w, v)), q.b))(vs)));
    await expectJax('grad of vmap', grad(total)(p));
    const [, , dp] = inputsOf<[Wave, Tensor, Wave]>('hvp through vmap of grad');
    const inner = (q: Wave) => vmap(grad((v: Tensor) => sum(square(sin(matMul(q.w, v))))))(vs);
    await expectJax('hvp through vmap of grad', jvp(inner, [p], [dp]).tangent);
  });

  test('convolutions', async () => {
    const [images, kernels] = inputsOf<[Tensor, Tensor]>('a kernel for each image');
    await expectJax('a kernel for each image', vmap(convolved)(images, kernels));
    await expectJax(
      'gradients of a kernel for each image',
      vmap((i: Tensor, k: Tensor) => grads(wavy)([i, k]))(images, kernels),
    );
    const [many, kernel] = inputsOf<[Tensor, Tensor]>('per-example gradients of one kernel');
    const ofKernel = vmap((k: Tensor, i: Tensor) => grad((t: Tensor) => wavy(i, t))(k), {
      inAxes: [null, 0],
    });
    await expectJax('per-example gradients of one kernel', ofKernel(kernel, many));
  });

  test('a table for each example', async () => {
    const [table, ids] = inputsOf<[Tensor, Tensor]>('gather from a table for each');
    await expectJax('gather from a table for each', vmap((t: Tensor, i: Tensor) => gather(t, i))(table, ids));
  });
});

/** One elementwise op of each kind, since they share a rule. */
const elementwise = ['add', 'cast', 'clip', 'gelu', 'where', 'zerosLike'];
/** Some composite ops, which are mapped op by op. */
const composite = [
  ...['cropAndResize', 'depthToSpace', 'einsum', 'eigh', 'moveAxis', 'roll', 'searchSorted', 'sort'],
  'transformImages',
];

type AnyOp = ((...args: unknown[]) => Tensor | readonly Tensor[]) & {
  definition: { inputs: readonly string[]; backward?: unknown; elementwise?: boolean; compose?: unknown };
};
const opOf = (name: string) => (ops as unknown as Record<string, AnyOp>)[name] as AnyOp;
const modules = import.meta.glob<{ samples?: OpSamples[] }>('../ops/samples/*.ts', { eager: true });

/** What a batching rule may depend on: which inputs there are, their ranks, and the options with the signs of numbers. */
function kindOf({ inputs, options = {} }: OpSamples['cases'][number]): string {
  const ranks = inputs.map((input) => input?.shape.length);
  const text = JSON.stringify(options, (_, value) => (typeof value === 'number' ? Math.sign(value) : value));
  return `${ranks} ${text}`;
}

/** One op for each batching rule that depends on options, or on which inputs there are. */
const ofManyKinds = [
  ...['concat', 'split', 'slice', 'stridedSlice', 'dropout', 'sum', 'argMax', 'softmax'],
  ...['gather', 'embedding', 'scatterAdd', 'gatherNd', 'takeAlongAxis', 'segmentSum', 'segmentMax', 'oneHot'],
  'transformImages',
];

/** The first case of each op that has inputs, allows one more axis, and has a dtype that ops compute in; or one of each kind. */
const samples = Object.values(modules).flatMap((module) =>
  (module.samples ?? []).flatMap(({ op, cases }) => {
    const { definition } = opOf(op);
    const isMapped =
      (!definition.elementwise || elementwise.includes(op)) &&
      (!definition.compose || composite.includes(op));
    const hasRoom = (shape: unknown) => !Array.isArray(shape) || shape.length < 6;
    const fitting = cases.filter(
      ({ inputs, options = {} }) =>
        inputs.some((input) => input) &&
        inputs.every((input) => !input || (hasRoom(input.shape) && input.dtype !== 'float16')) &&
        hasRoom((options as { shape?: unknown }).shape),
    );
    const kinds = new Map(fitting.toReversed().map((sample) => [kindOf(sample), sample]));
    const chosen = ofManyKinds.includes(op) ? [...kinds.values()].reverse() : fitting.slice(0, 1);
    return isMapped && chosen.length > 0 ? [{ op, cases: chosen }] : [];
  }),
);

test.each(samples)('the map of $op is that of each example', async ({ op, cases }) => {
  for (const sample of cases) await expectMapOfSample(opOf(op), sample);
});

async function expectMapOfSample(op: AnyOp, sample: OpSamples['cases'][number]): Promise<void> {
  const isVariadic = op.definition.inputs[0]?.startsWith('...');
  const call = (inputs: readonly (Tensor | null)[]): Tensor[] => {
    const result = isVariadic ? op(inputs, sample.options ?? {}) : op(...inputs, sample.options ?? {});
    return Array.isArray(result) ? [...result] : [result as Tensor];
  };
  /** Returns the results of the op, and the gradients of its inputs. */
  const withGradients = (inputs: readonly (Tensor | null)[]): Tensor[] => {
    const floats = inputs.filter((x): x is Tensor => x?.dtype === 'float32');
    if (op.definition.backward === null || floats.length === 0) return call(inputs);
    using tape = new GradientTape();
    tape.watch(floats);
    const results = call(inputs);
    const targets = results.filter(({ dtype }) => dtype === 'float32').map((y) => square(y));
    if (targets.length === 0) return results;
    return [...results, ...tape.gradient(targets, floats, { unconnectedGradients: 'zero' })];
  };
  const random = generator(7);
  const draw = () => sample.inputs.map((input) => (input ? upload(input, drawValues(input, random)) : null));
  const examples = [draw(), draw()] as const;
  const present = sample.inputs.flatMap((input, i) => (input ? [i] : []));
  for (const mapped of choicesOf(present)) {
    const own = (e: 0 | 1) => sample.inputs.map((_, i) => examples[mapped.includes(i) ? e : 0][i] ?? null);
    const batch = mapped.map((i) => stack(examples.map((example) => example[i] as Tensor)));
    const withInputs = (given: readonly Tensor[]) =>
      own(0).map((input, i) => (mapped.includes(i) ? (given[mapped.indexOf(i)] as Tensor) : input));
    const all = vmap((...given: Tensor[]) => withGradients(withInputs(given)))(...batch);
    const [first, second] = [withGradients(own(0)), withGradients(own(1))];
    for (const [r, whole] of all.entries()) {
      const wanted = stack([first[r] as Tensor, second[r] as Tensor]);
      expect(whole.shape).toEqual(wanted.shape);
      await expectClose(whole, wanted);
    }
  }
}

/** Which inputs are mapped: all; with two, each alone; with more, the first alone, and all others. */
function choicesOf(present: readonly number[]): (readonly number[])[] {
  if (present.length < 2) return [present];
  return [present, present.slice(0, 1), present.slice(1)];
}

describe('inside a map', () => {
  const rows = () =>
    tensor([
      [1, 2, 3],
      [4, 5, 6],
    ]);

  test('functions with custom gradients are mapped, and differentiated from outside', async () => {
    const k = tensor([1, 2, 3]);
    const doubled = customGradient((x, s) => ({
      value: mul(x, s),
      gradient: (dy) => [mul(mul(dy, s), 100), mul(dy, x)],
    }));
    const tripled = customJvp(
      (x, s) => mul(x, s),
      ([x, s], [dx, ds]) => add(mul(mul(dx as Tensor, s as Tensor), 100), mul(x as Tensor, ds as Tensor)),
    );
    for (const f of [doubled, tripled]) {
      const outside = (x: Tensor, s: Tensor) => sum(vmap((row: Tensor) => f(row, s))(x));
      const [dx, ds] = grads(outside)([rows(), k]);
      expect(await dx?.array()).toEqual([
        [100, 200, 300],
        [100, 200, 300],
      ]);
      expect(await ds?.array()).toEqual([5, 7, 9]);
      const inside = vmap((row: Tensor) => grads((x, s) => sum(f(x, s)))([row, k]))(rows());
      expect(await inside[1]?.array()).toEqual([
        [1, 2, 3],
        [4, 5, 6],
      ]);
    }
    const again = checkpoint((x, s) => square(mul(x, s))) as (x: Tensor, s: Tensor) => Tensor;
    const [dx, ds] = grads((x, s) => sum(vmap((row: Tensor) => again(row, s))(x)))([rows(), k]);
    expect(await dx?.array()).toEqual([
      [2, 16, 54],
      [8, 40, 108],
    ]);
    expect(await ds?.array()).toEqual([34, 116, 270]);
  });

  test('a function with a custom gradient belongs to the inner of two maps, whichever operand it maps', async () => {
    const product = customGradient((a, b) => ({
      value: mul(a, b),
      gradient: (dy) => [mul(dy, b), mul(dy, a)],
    }));
    const [xs, ys] = [tensor([1, 2, 3]), tensor([4, 5])];
    const orders = [(x: Tensor, y: Tensor) => product(x, y), (x: Tensor, y: Tensor) => product(y, x)];
    for (const f of orders) {
      const total = (y: Tensor) => sum(vmap((x: Tensor) => f(x, y))(xs));
      expect(await vmap(grad(total))(ys).array()).toEqual([6, 6]);
    }
  });

  test('a gradient that is the same for all examples is summed over them', async () => {
    const [k, same] = [tensor([1, 2, 3]), tensor([4, 5, 6])];
    const f = customGradient((x, s) => ({ value: mul(x, s), gradient: () => [null, same] }));
    let leaked: Tensor | undefined;
    const one = (row: Tensor, s: Tensor) => {
      leaked = row;
      return f(row, s);
    };
    const total = (s: Tensor) => sum(vmap(one, { inAxes: [0, null] })(rows(), s));
    expect(await grad(total)(k).array()).toEqual([8, 10, 12]);
    // The gradient, which maps again, closes its map.
    expect(() => square(leaked as Tensor)).toThrow(/after the end of its vmap/);
  });

  test('slices come with the gradient of a table that examples share', async () => {
    const [table, ids] = [tensor([[1], [2], [3]]), tensor([[1], [1]], { dtype: 'int32' })];
    using tape = new GradientTape();
    tape.watch(table);
    const rows = vmap((i: Tensor) => embedding(table, i))(ids);
    const gradient = withSlices(() => tape.gradient(mul(rows, 3), table)) as Tensor;
    expect(await gradient.array()).toEqual([[0], [6], [0]]);
    expect(await sumOfSlices(gradient, square).array()).toEqual([[0], [18], [0]]);
  });

  test('elementwise ops take operands that are left out', async () => {
    const shifted = defineOp<[x: Tensor, by: Tensor | null]>({
      name: 'shifted',
      inputs: ['x', 'by?'],
      elementwise: true,
      infer: ([{ shape, dtype }]) => ({ shape, dtype }),
      forward: ([x, by]) => (by ? add(x, by) : identity(x)),
      backward: null,
    });
    expect(await vmap((row: Tensor) => shifted(row, null))(rows()).array()).toEqual(await rows().array());
    expect(await vmap((x: Tensor) => shifted(x, null))(tensor([1, 2])).array()).toEqual([1, 2]);
  });

  test('tapes outside see the calls for all examples alone', () => {
    const x = rows();
    using tape = new GradientTape();
    vmap((row: Tensor) => square(row))(x);
    expect(tape.trace.filter(({ op }) => op.name === 'square')).toHaveLength(1);
  });

  test('tapes inside see the calls for one example alone', () => {
    const shapes: unknown[] = [];
    vmap((row: Tensor) => {
      using tape = new GradientTape();
      tape.watch(row);
      const y = square(row);
      shapes.push(tape.trace.map(({ node }) => node.outputs.map(({ shape }) => shape)));
      return y;
    })(rows());
    expect(shapes).toEqual([[[[3]]]]);
  });

  test('tape.explain names an op that no tape inside recorded', () => {
    const causes: unknown[] = [];
    vmap((row: Tensor) => {
      const before = square(row);
      using tape = new GradientTape();
      tape.watch(row);
      causes.push(tape.explain(mul(before, 2), row).disconnectedAt);
      return row;
    })(rows());
    expect(causes).toMatchObject([{ cause: 'unrecorded', first: expect.stringContaining("'square'") }]);
  });

  test('a mapped tensor comes from vmap, and one that is returned takes no memory', () => {
    const x = rows();
    const origins: unknown[] = [];
    const { bytes } = memory();
    const same = vmap((row: Tensor) => {
      origins.push(row.origin);
      return row;
    })(x);
    expect(origins).toEqual([{ kind: 'unrecorded', op: 'vmap' }]);
    expect(memory().bytes).toBe(bytes);
    same.dispose();
  });

  test('random ops draw once for all examples', async () => {
    const ones = tensor([
      [1, 1, 1, 1, 1, 1, 1, 1],
      [1, 1, 1, 1, 1, 1, 1, 1],
    ]);
    const dropped = (x: Tensor) => dropout(x, { rate: 0.5, seed: 3 });
    const [first, second] = (await vmap(dropped)(ones).array()) as number[][];
    expect(first).toEqual(second);
    expect(first).toEqual(await dropped(unstack(ones)[0] as Tensor).array());
    expect(await vmap(grad(dropped))(ones).array()).toEqual([first, first]);
    // Without a seed, the gradient draws the same numbers again.
    const { value, grad: gradient } = vmap(valueAndGrad((x: Tensor) => dropout(x, { rate: 0.5 })))(ones);
    expect(await value.array()).toEqual(await gradient.array());
  });

  test('layers of a model take examples', async () => {
    const dense = layers.dense({ units: 2, activation: 'relu' });
    const x = tensor([[[1, -2, 3]], [[-4, 5, 6]]]);
    const wanted = dense.apply(reshape(x, { shape: [2, 3] }));
    const found = vmap((row: Tensor) => dense.apply(row))(x);
    expect(found.shape).toEqual([2, 1, 2]);
    expect(await reshape(found, { shape: [2, 2] }).array()).toEqual(await wanted.array());
  });

  test('what is the same for all stays so', async () => {
    const constant = tensor([7, 8]);
    const { mapped, same } = vmap(
      (x: Tensor) => ({ mapped: add(sum(x), constant), same: square(constant) }),
      {
        outAxes: { mapped: -1, same: null },
      },
    )(rows());
    expect(await mapped.array()).toEqual([
      [13, 22],
      [14, 23],
    ]);
    expect(await same.array()).toEqual([49, 64]);
    expect(await vmap((_: Tensor) => constant)(rows()).array()).toEqual([
      [7, 8],
      [7, 8],
    ]);
    expect(await vmap((x: Tensor) => x)(rows()).array()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(vmap((x: Tensor) => sum(x))(tensor([], { shape: [0, 3] })).shape).toEqual([0]);
    expect(
      await vmap((x: Tensor, by: number) => mul(x, by), { inAxes: [1, null] })(rows(), 2).array(),
    ).toEqual([
      [2, 8],
      [4, 10],
      [6, 12],
    ]);
  });

  test('a compiled function is part of the map', async () => {
    using squared = compile((x: Tensor) => square(x));
    expect(await vmap((x: Tensor) => squared(x))(rows()).array()).toEqual([
      [1, 4, 9],
      [16, 25, 36],
    ]);
  });

  test('leaves nothing behind', async () => {
    const x = rows();
    const perExample = () => tidy(() => void vmap(grad((r: Tensor) => sum(mul(r, square(r)))))(x));
    perExample();
    await x.data();
    const before = memory();
    perExample();
    vmap((r: Tensor) => hvp((t) => sum(mul(t, square(t))), [r], [r])[0])(x).dispose();
    await x.data();
    expect(memory().tensors).toBe(before.tensors);
    expect(memory().bytes).toBe(before.bytes);
    expect(memory().openTapes).toBe(before.openTapes);
  });

  test('error messages', () => {
    const [x, y] = [rows(), tensor([1, 2, 3])];
    const unknown = defineOp<[x: Tensor]>({
      name: 'unknown',
      inputs: ['x'],
      infer: ([{ shape, dtype }]) => ({ shape, dtype }),
      forward: ([t]) => identity(t),
      backward: null,
    });
    expect(() => vmap((t: Tensor) => unknown(t))(x)).toThrow(/batching rule[\s\S]*'unknown'/);
    expect(() => vmap(add)(x, y)).toThrow(/2 in argument 0, axis 0, and 3 in argument 1, axis 0/);
    expect(() => vmap((p: { a: Tensor; n: number }) => p.a)({ a: x, n: 3 })).toThrow(/argument 0\.n: 3/);
    expect(() => vmap((t: Tensor) => t, { inAxes: null })(x)).toThrow(/at least one tensor/);
    expect(() => vmap((t: Tensor) => t, { inAxes: [0, 0] })(x)).toThrow(/for 1 arguments/);
    expect(() => vmap((t: Tensor) => t, { inAxes: [{ a: 0 }] })(x)).toThrow(ValueError);
    expect(() => vmap((t: Tensor) => t, { inAxes: [{}] })(x)).toThrow(/axes are numbers/);
    expect(() => vmap(add, { inAxes: [0, {}] } as never)(x, 3 as never)).toThrow(/axes are numbers/);
    expect(() => vmap((t: Tensor) => t, { inAxes: [undefined as never] })(x)).toThrow(/axes are numbers/);
    expect(() => vmap(([a]: Tensor[]) => a, { inAxes: [{ 0: 0 }] })([x])).toThrow(/axes are numbers/);
    const both = ({ a }: { a: Tensor }) => a;
    expect(() => vmap(both, { inAxes: [{ a: 0 }] })({ a: 3 as never })).toThrow(/argument 0\.a: 3/);
    expect(() => vmap(([a]: Tensor[]) => a, { inAxes: [[0, 0]] })([x, 3 as never])).toThrow(
      /argument 0\[1\]: 3/,
    );
    expect(() => vmap(both, { inAxes: [{ a: 0, b: 0 } as never] })({ a: x })).toThrow(/axes are numbers/);
    expect(() => vmap(both, { inAxes: [{ a: 0, c: 0 }] })({ a: x, b: x } as never)).toThrow(
      /axes are numbers/,
    );
    expect(() => vmap((t: Tensor) => t, { inAxes: 2 })(x)).toThrow(ShapeError);
    expect(() => vmap((t: Tensor) => t, { inAxes: 2 })(x)).toThrow(/^vmap: .*axis/s);
    expect(() => vmap((t: Tensor) => t)(tensor(1))).toThrow(/has a batch axis/);
    expect(() => vmap((t: Tensor) => t, { outAxes: null })(x)).toThrow(/same for all/);
    expect(() => vmap((_: Tensor) => 3)(x)).toThrow(TapeError);
    expect(() => vmap((_: Tensor) => 3)(x)).toThrow(/the result: 3/);
    expect(() => vmap((t: Tensor) => t, { outAxes: 2 })(x)).toThrow(/^vmap: .*axis/s);
    expect(() => vmap((t: Tensor) => t, { inaxes: 0 } as never)).toThrow(/^vmap: .*did you mean/s);
    expect(() => vmap(3 as never)).toThrow(TapeError);
    expect(() => vmap((t: Tensor) => t.data())(x)).toThrow(/cannot be read/);
    expect(() => vmap((t: Tensor) => sum(t).item())(x)).toThrow(/cannot be read/);
    expect(() => vmap((t: Tensor) => matMul(t, tensor([1, 2])))(x)).toThrow(/columns of `a`/);
    const v = variable(tensor([1, 2, 3]));
    expect(() => vmap((t: Tensor) => v.assign(t))(x)).toThrow(TapeError);
    let leaked: Tensor | undefined;
    vmap((t: Tensor) => {
      leaked = t;
      return t;
    })(x);
    expect(() => square(leaked as Tensor)).toThrow(/after the end of its vmap/);
  });
});
