/// <reference types="vite/client" />
/**
 * @file Composite ops called on symbolic tensors with open sizes: the model computes what the op computes of tensors. The cases
 * are those of the ops' battery.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import * as all from '../../../src/index.ts';
import {
  cummax,
  depthToSpace,
  init,
  repeat,
  RetrogradError,
  type Tensor,
  tensor,
} from '../../../src/index.ts';
import { input, layers, model, modelFromJSON, modelToJSON, ops } from '../../../src/keras/index.ts';
import { drawValues, generator, upload } from '../../ops/samples/draw.ts';
import type { OpCase, OpSamples } from '../../ops/samples/types.ts';

beforeAll(async () => {
  await init();
});

const modules = import.meta.glob<{ samples?: OpSamples[] }>('../../ops/samples/*.ts', { eager: true });
const samples = Object.values(modules).flatMap((module) => module.samples ?? []);

type AnyOp = ((...args: unknown[]) => unknown) & {
  definition: { inputs: readonly string[]; compose?: unknown };
};
const opOf = (name: string) => (all as unknown as Record<string, AnyOp | undefined>)[name];
const composites = samples.filter(({ op }) => opOf(op)?.definition.compose);

/** Ops of which no case can have an open first size, because its targets or blocks have a fixed one. */
const fixed = ['inTopK', 'stridedScatter'];

const listOf = (nest: unknown) => [nest].flat() as Tensor[];

/** Runs a case on tensors, and in a model where the first size is open in all inputs that share it. */
async function compare(op: AnyOp, { inputs, options = {} }: OpCase): Promise<boolean> {
  const first = inputs[0];
  if (!first || first.shape.length === 0 || first.shape.includes(0)) return false;
  const random = generator(5);
  const tensors = inputs.map((sample) => sample && upload(sample, drawValues(sample, random)));
  const run = (operands: readonly unknown[]) =>
    listOf(op.definition.inputs[0]?.startsWith('...') ? op(operands, options) : op(...operands, options));
  const isOpen = tensors.map(
    (x) => x !== null && x.shape.length === first.shape.length && x.shape[0] === first.shape[0],
  );
  const symbolic = tensors.map((x, i) =>
    x && isOpen[i] ? input({ shape: x.shape.slice(1), dtype: x.dtype }) : x,
  );
  let outputs: Tensor[];
  try {
    outputs = run(symbolic);
  } catch (error) {
    expect(error).toBeInstanceOf(RetrogradError);
    return false;
  }
  const chosen = <T>(list: readonly T[]) => list.filter((_, i) => isOpen[i]);
  const net = model({ inputs: chosen(symbolic) as never, outputs: outputs as never });
  const given = chosen(tensors) as Tensor[];
  const found = listOf(net.apply((given.length === 1 ? given[0] : given) as never));
  const wanted = run(tensors);
  expect(found.map(String)).toHaveLength(wanted.length);
  for (const [i, x] of found.entries()) {
    expect(x.shape).toEqual(wanted[i]?.shape);
    expect(await x.data()).toEqual(await wanted[i]?.data());
  }
  return true;
}

test.each(composites.map(({ op, cases }) => [op, cases] as const))('%s', async (name, cases) => {
  const op = opOf(name) as AnyOp;
  let works = 0;
  for (const one of cases) if (await compare(op, one)) works++;
  const isPossible = cases.some(
    ({ inputs: [first] }) => first && first.shape.length > 0 && !first.shape.includes(0),
  );
  expect(works > 0).toBe(isPossible && !fixed.includes(name));
});

describe('a formula that computes with open sizes', () => {
  test('is evaluated for the sizes of the call', async () => {
    const x = input({ shape: [2] });
    const net = model({
      inputs: x,
      outputs: [repeat(x, { repeats: 2, axis: 0 }), cummax(x, { axis: 0 })] as never,
    });
    for (const rows of [
      [[3, 1]],
      [
        [1, 5],
        [4, 2],
        [3, 9],
      ],
    ]) {
      const [twice, largest] = net.apply(tensor(rows)) as never as [Tensor, Tensor];
      expect(await twice.array()).toEqual(rows.flatMap((row) => [row, row]));
      expect(await largest.array()).toEqual(
        rows.map((row, i) => row.map((_, j) => Math.max(...rows.slice(0, i + 1).map((r) => r[j] as number)))),
      );
    }
  });

  test('is one operation, which trains, and is saved, or rejected by name if Keras has none', async () => {
    const x = input({ shape: [2, 2, 4] });
    const image = depthToSpace(layers.dense({ units: 4 }).apply(x), { blockSize: 2 });
    expect(image.shape).toEqual([null, 4, 4, 1]);
    expect(image.kerasHistory?.operation.name).toMatch(/^depth_to_space/);
    const net = model({ inputs: x, outputs: layers.flatten().apply(image) });
    net.compile({ optimizer: 'sgd', loss: 'mse' });
    const data = tensor(
      Float32Array.from({ length: 48 }, (_, i) => Math.sin(i)),
      { shape: [3, 2, 2, 4] },
    );
    const { history } = await net.fit(data, tensor(new Float32Array(48), { shape: [3, 16] }), { epochs: 3 });
    expect(history.loss?.[2]).toBeLessThan(history.loss?.[0] as number);
    expect(modelToJSON(net)).toContain('DepthToSpace');
    const other = model({ inputs: x, outputs: cummax(x, { axis: 0 }) });
    expect(() => modelToJSON(other)).toThrow(/op cummax[\s\S]*custom layer/);
  });

  test('with wrong arguments is rejected as it is with tensors', () => {
    const x = input({ shape: [2, 2, 3] });
    const message = (call: () => unknown) => {
      try {
        call();
      } catch (error) {
        return (error as RetrogradError).rule;
      }
    };
    const wanted = message(() =>
      depthToSpace(tensor(new Float32Array(12), { shape: [1, 2, 2, 3] }), { blockSize: 2 }),
    );
    expect(wanted).toBeDefined();
    expect(message(() => depthToSpace(x, { blockSize: 2 }))).toBe(wanted);
  });
});

test('a formula whose calls are the same for all sizes is expanded, and saved as Keras’s ops', async () => {
  const x = input({ shape: [3] });
  const net = model({ inputs: x, outputs: ops.log2(ops.roll(x, { shift: 1, axis: 1 })) });
  const names = net.operations.map(({ name }) => name.replace(/_\d+$/, ''));
  expect(names.slice(1)).toEqual(['identity', 'get_item', 'get_item', 'concatenate', 'log', 'multiply']);
  const plain = model({ inputs: x, outputs: ops.log2(x) });
  const again = modelFromJSON(modelToJSON(plain)) as typeof plain;
  expect(await (again.apply(tensor([[1, 2, 4]])) as Tensor).array()).toEqual([[0, 1, 2]]);
});
