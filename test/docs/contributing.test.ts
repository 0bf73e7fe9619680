/**
 * @file The recipes of CONTRIBUTING.md: each snippet is built as it is printed, in the place that the text names, and passes what the
 * project asks of such code.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { ShapeError } from '../../src/core/errors.ts';
import { grad, init, mul, type Tensor, tensor, vmap } from '../../src/index.ts';
import type { AnyLayer } from '../../src/keras/layers/base/layer.ts';
import type { LayerSamples } from '../keras/layers/samples/types.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = fs.readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8');
const folder = temporaryFolder('contributing');

/** Returns the only `ts` block with `part`, without its indentation. */
function snippet(part: string): string {
  const blocks = [...text.matchAll(/^ *```ts\n([\s\S]*?)^ *```$/gm)].map(([, block = '']) => block);
  const [found, ...others] = blocks.filter((block) => block.includes(part));
  expect(others).toEqual([]);
  return (found as string).replace(/^ {3}/gm, '');
}

/** Imports `code` as a module of `place`, a file of src. */
async function built<T>(name: string, place: string, code: string): Promise<T> {
  const absolute = code.replace(/(from ')(\.[^']*)(')/g, (_, before, to, after) => {
    return before + path.join(root, path.dirname(place), to) + after;
  });
  const file = path.join(folder, `${name}.ts`);
  fs.writeFileSync(file, absolute);
  return (await import(pathToFileURL(file).href)) as T;
}

beforeAll(() => init());

test('the op', async () => {
  const place = 'src/ops/elementwise/unary.ts';
  const source = fs.readFileSync(path.join(root, place), 'utf8');
  const imports = source.match(/^import [\s\S]*?;\n/gm)?.join('') ?? '';
  const code = snippet('cubeDerivative');
  type Unary = (x: Tensor) => Tensor;
  const { cube } = await built<{ cube: Unary }>('cube', place, imports + code);
  const x = tensor([-1, 0, 2]);
  expect(await cube(x).array()).toEqual([-1, 0, 8]);
  expect(await grad(cube)(x).array()).toEqual([3, 0, 12]);
  expect(await grad(grad(cube))(x).array()).toEqual([-6, 0, 12]);
  expect(await vmap(cube)(tensor([[1], [3]])).array()).toEqual([[1], [27]]);
  const [, doc = ''] = code.match(/\/\*\*([\s\S]*?)\*\/\nexport/) ?? [];
  for (const stated of [/shape/i, /dtype/i, /Errors:/]) expect(doc).toMatch(stated);
});

test('the op with a kernel', async () => {
  const shader = await built<object>('neighbourShader', 'shaders/neighbourSum.ts', snippet('fn main('));
  expect(Object.keys(shader).sort()).toEqual(['neighbourSum', 'neighbourWorkgroup']);
  // The files that the recipe creates lie in a folder of this test.
  const made = (code: string) =>
    code
      .replace("'../../../shaders/neighbourSum.ts'", `'${folder}/neighbourShader.ts'`)
      .replace("'../../kernels/copies/neighbourSum.ts'", `'${folder}/neighbourKernel.ts'`);
  await built('neighbourKernel', 'src/kernels/copies/neighbourSum.ts', made(snippet('defineKernel({')));
  const place = 'src/ops/arrangement/neighbourSum.ts';
  type Rows = (x: Tensor) => Tensor;
  const { neighbourSum } = await built<{ neighbourSum: Rows }>(
    'neighbourSum',
    place,
    made(snippet('formula: ([x])')),
  );

  const x = tensor([
    [1, 2, 4],
    [10, 20, 40],
  ]);
  expect(await neighbourSum(x).array()).toEqual([
    [3, 6, 5],
    [30, 60, 50],
  ]);
  const weighted = (x: Tensor) => mul(neighbourSum(x), tensor([1, 10, 100]));
  expect(await grad(weighted)(x).array()).toEqual([
    [101, 11, 110],
    [101, 11, 110],
  ]);
  expect(await vmap(neighbourSum)(tensor([[[1, 2]], [[3, 4]]])).array()).toEqual([[[3, 3]], [[7, 7]]]);
  expect(neighbourSum(tensor([[]])).shape).toEqual([1, 0]);
  expect(() => neighbourSum(tensor([1, 2]))).toThrow(ShapeError);
});

test('the layer, with its samples', async () => {
  const place = 'src/keras/layers/reshaping/reverse.ts';
  const code = snippet('class Reverse');
  const kinds =
    "import { factoryOf, type InputSpec, integer, layer, type LayerOptions } from '../base/declare.ts';\n";
  const others =
    "import type { Tensor } from '../../../tensor/tensor.ts';\nimport { flip } from '../../../ops/arrangement/flip.ts';\n";
  type Made = { reverse: (...options: unknown[]) => AnyLayer & { readonly axis: number } };
  const { reverse } = await built<Made>('reverse', place, kinds + others + code);

  const x = tensor([[[1], [2], [3]]]);
  expect(await (reverse().apply(x) as Tensor).array()).toEqual([[[3], [2], [1]]]);
  const made = reverse(2, { name: 'across' });
  expect(made.getConfig()).toEqual({ name: 'across', trainable: true, dtype: 'float32', axis: 2 });
  expect(reverse(made.getConfig()).axis).toBe(2);
  expect(() => reverse({ axes: 1 })).toThrow(/'axis'/);
  expect(() => reverse({ axis: 0.5 })).toThrow(/`axis` must be an integer/);
  const [, doc = ''] = code.match(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport const/) ?? [];
  for (const stated of [/shape/i, /Errors:/]) expect(doc).toMatch(stated);

  const sample = snippet("layer: 'reverse'").trim().replace(/,$/, '');
  const { layer, cases, bad } = new Function('ShapeError', `return ${sample}`)(ShapeError) as LayerSamples;
  expect([layer, cases.length]).toEqual(['reverse', 1]);
  for (const { error, message } of bad ?? []) {
    expect(error).toBe(ShapeError);
    expect(() => reverse().apply(tensor([1, 2, 3]))).toThrow(message);
  }
});
