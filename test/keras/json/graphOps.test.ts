/** @file Operations of keras.ops in graphs (test/fixtures/keras/graph_ops.py): read, computed, and written as in Keras. */
import { beforeAll, beforeEach, expect, test } from 'vitest';
import {
  add,
  init,
  mul,
  pad,
  prod,
  slice,
  stridedSlice,
  type Tensor,
  tensor,
  zerosLike,
} from '../../../src/index.ts';
import { BytesTarget, loadModel } from '../../../src/io/index.ts';
import { clearSession, input, model, modelFromJSON } from '../../../src/keras/index.ts';
import { modelToConfig } from '../../../src/keras/json/write.ts';
import fixture from '../../fixtures/keras/graph_ops.json' with { type: 'json' };
import type { Loose } from './support.ts';

interface Listed {
  readonly shape: number[];
  readonly dtype: string;
  readonly values: (number | boolean)[];
}

const cases = fixture.cases as unknown as Record<string, { config: Loose; outputs: Listed[] }>;
const data = fixture.data as unknown as Record<string, Listed>;

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

/** Keras's sparsemax differs from the paper's. */
const otherwise = new Set(['sparsemax']);
/** Compiling the kernels of all of them would take long, so only those are computed whose operands or options differ here. */
const computed =
  /^(pad|item|split|unstack|take|one_hot|multi_hot|top_k|max_initial|cum|moments|average|full|cross|einsum|plus|integers|flags|rms|resized|patches|zeros_int|sum_flags|any_float|mixed_concat|meshgrid|segment|scatter_add|slice_update|isin|bn$|select|lu$)/;

function requireClose(value: number, wanted: number | boolean | undefined, place: string) {
  const distance = Math.abs(value - Number(wanted)) / Math.max(1, Math.abs(Number(wanted)));
  expect(distance, place).toBeLessThan(1e-5);
}

test.each(Object.keys(cases))('%s', async (name) => {
  const { config, outputs } = cases[name] as { config: Loose; outputs: Listed[] };
  const net = modelFromJSON(config);
  const { compile_config: _, ...written } = modelToConfig(net) as Loose;
  expect(written).toEqual(config);
  expect(net.outputs.map(({ shape, dtype }) => [shape, dtype])).toEqual(
    outputs.map(({ shape, dtype }) => [shape, dtype]),
  );
  if (otherwise.has(name) || !(computed.test(name) || process.env.RETROGRAD_KERAS_PYTHON)) return;
  const inputs = net.inputs.map((x) => {
    const { values, shape, dtype } = data[x.name] as Listed;
    return tensor(values as number[], { shape, dtype: dtype as 'float32' });
  });
  const found = [(net.apply as (x: unknown) => Tensor)(inputs)].flat();
  for (const [i, output] of found.entries())
    for (const [j, value] of (await output.data()).entries())
      requireClose(value, outputs[i]?.values[j], `output ${i}, element ${j}`);
  net.dispose();
});

test('graphs built here are written for Keras: parts, padding, constants', async () => {
  const x = input({ shape: [3, 4] }) as unknown as Tensor;
  const last = stridedSlice(x, { begin: [0, -1], end: [0, 0], beginMask: 1, endMask: 1, shrinkAxisMask: 2 });
  const some = slice(x, { begin: [0, 1], size: [-1, 2] });
  const paddings = [
    [0, 0],
    [1, 0],
    [0, 0],
  ];
  const padded = pad(some, { paddings, constantValue: 2 });
  const ends = [add(last, zerosLike(last)), mul(padded, tensor([1, 2, 3, 4])), prod(x, { axis: 1 })];
  const net = model({ inputs: x as never, outputs: ends as never }) as Loose;
  expect(() => modelToConfig(net)).toThrow(/tensor with values/);
  const target = new BytesTarget();
  await net.save(target);
  const again = (await loadModel(target.bytes)) as Loose;
  const value = tensor(data.x?.values as number[], { shape: data.x?.shape as number[] });
  const [wanted, found] = [net, again].map((made) => made.apply(value).map((y: Tensor) => y.array()));
  expect(await Promise.all(found)).toEqual(await Promise.all(wanted));
  const described = (modelToConfig(again) as Loose).config.layers.slice(1);
  expect(described.map((op: Loose) => op.class_name).sort()).toEqual([
    'Add',
    'GetItem',
    'GetItem',
    'Multiply',
    'Pad',
    'Prod',
    'ZerosLike',
  ]);
  const multiplied = described.find((op: Loose) => op.class_name === 'Multiply');
  expect(multiplied.inbound_nodes[0].args[1]).toEqual({
    class_name: '__numpy__',
    config: { value: [1, 2, 3, 4], dtype: 'float32' },
  });
});
