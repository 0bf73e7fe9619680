/** @file Weights that test/fixtures/pytorch/make.py computes, too. */
import type { HostTensor } from '../../../src/io/index.ts';

function mix32(value: number): number {
  let x = value ^ (value >>> 16);
  x = Math.imul(x, 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** Values in [-1, 1) for tensor number `index`. */
export function formula(count: number, index: number): Float32Array {
  const values = new Float32Array(count);
  const offset = Math.imul(index, 0x85ebca77);
  for (let i = 0; i < count; i++)
    values[i] = (mix32((Math.imul(i, 0x9e3779b1) + offset) | 0) >>> 8) * 2 ** -23 - 1;
  return values;
}

/** Returns the state dictionary of a network by the names and shapes of its tensors. */
export function formulaWeights(
  names: readonly (readonly [name: string, shape: readonly number[]])[],
): Map<string, HostTensor> {
  const entries = names.flatMap(([name, shape], index): [string, HostTensor][] => {
    if (name.endsWith('num_batches_tracked')) return [];
    const data = formula(
      shape.reduce((size, n) => size * n, 1),
      index,
    );
    const [offset, scale] = rangeOf(name, shape);
    for (let i = 0; i < data.length; i++) data[i] = offset + (data[i] as number) * scale;
    return [[name, { shape, dtype: 'float32', data }]];
  });
  return new Map(entries);
}

function rangeOf(name: string, shape: readonly number[]): [offset: number, scale: number] {
  if (shape.length > 1) return [0, Math.sqrt(6 / shape.slice(1).reduce((size, n) => size * n, 1))];
  return name.endsWith('running_var') || name.endsWith('weight') ? [1, 0.1] : [0, 0.1];
}
