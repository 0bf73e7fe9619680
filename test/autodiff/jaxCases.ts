/** @file Cases of test/fixtures/transforms/jax.json: trees of inputs, uploaded, and JAX's results. */
import { expect } from 'vitest';
import type { DType } from '../../src/core/dtype.ts';
import { mapNest, type Nest } from '../../src/core/nest.ts';
import { keep, type Tensor, tensor } from '../../src/index.ts';
import golden from '../fixtures/transforms/jax.json' with { type: 'json' };

interface Values {
  shape: number[];
  values: number[];
  dtype?: DType;
}

const cases: Record<string, { inputs: unknown; outputs: unknown }> = golden;

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && 'values' in value && 'shape' in value;
}

/** `tree` with `map` applied to its arrays. */
function mapArrays(tree: unknown, map: (values: Values) => unknown): unknown {
  if (isValues(tree)) return map(tree);
  if (Array.isArray(tree)) return tree.map((item) => mapArrays(item, map));
  return Object.fromEntries(Object.entries(tree as object).map(([key, item]) => [key, mapArrays(item, map)]));
}

/** Returns the inputs of a case, as tensors. Their types are those of the fixture. */
export function inputsOf<T>(name: string): T {
  const upload = ({ shape, values, dtype = 'float32' }: Values) => keep(tensor(values, { shape, dtype }));
  return mapArrays(cases[name]?.inputs, upload) as T;
}

/** Expects `actual`, a tree of tensors, to match JAX's result: the same tree, shapes, and values. */
export async function expectJax(name: string, actual: unknown, tolerance = 2e-5): Promise<void> {
  const found: unknown = await readTree(actual);
  const wanted = cases[name]?.outputs;
  expect(shapesOf(found)).toEqual(shapesOf(wanted));
  const [given, expected] = [valuesOf(found), valuesOf(wanted)];
  const scale = Math.max(1, ...expected.map(Math.abs));
  const worst = Math.max(0, ...expected.map((v, i) => Math.abs(v - (given[i] as number))));
  expect(worst / scale).toBeLessThan(tolerance);
}

const shapesOf = (tree: unknown) => mapArrays(tree, ({ shape }) => shape.join());

/** In the order of sorted keys, as in JAX. */
function valuesOf(tree: unknown): number[] {
  if (isValues(tree)) return tree.values;
  const entries = Object.entries(tree as object);
  if (!Array.isArray(tree)) entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.flatMap(([, item]) => valuesOf(item));
}

/** Returns a tree with the shapes and values of its tensors. */
async function readTree(tree: unknown): Promise<unknown> {
  const reads: Promise<void>[] = [];
  const read = mapNest(tree as Nest<unknown>, (leaf) => {
    const values: Values = { shape: [...(leaf as Tensor).shape], values: [] };
    reads.push((leaf as Tensor).data().then((data) => void values.values.push(...data)));
    return values;
  });
  await Promise.all(reads);
  return read;
}
