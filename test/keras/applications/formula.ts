/**
 * @file Networks against Keras: the facts in the fixtures, and weights from a formula, which anyone can compute
 * (test/fixtures/README.md).
 */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { type DType, type Tensor, tensor, type Variable } from '../../../src/index.ts';
import type { KerasTensor } from '../../../src/keras/index.ts';
import type { AnyLayer } from '../../../src/keras/layers/base/layer.ts';

export interface Statistics {
  mean: number;
  std: number;
  min: number;
  max: number;
  first8: number[];
}

export interface Fixture {
  withTop: {
    totalParams: number;
    layers: { name: string; class: string; outputShape: (number | null)[]; params: number }[];
    weights: { path: string; shape: number[]; trainable: boolean }[];
    trainableParams: number;
    nonTrainableParams: number;
    nodes: Record<string, [string, number, number][][]>;
  };
  withoutTop: { totalParams: number; inputShape: number[]; layers: [string, (number | null)[]][] };
  preprocessInput: { input: number[][][][]; output: number[][][][] }[];
  formula: {
    salt: number;
    inputShape: number[];
    image: { index: number; first8: number[] };
    weights: { index: number; path: string; scale: number; offset: number; first4: number[] }[];
    activations: (Statistics & { layer: string; shape: number[] })[];
    tolerance: { ofStd: number };
    perceptual?: {
      layers: string[];
      images: [number, number];
      value: number;
      parts: number[];
      gradient: Statistics;
      tolerance: { rtol: number; ofStd: number };
    };
  };
}

const folder = new URL('../../fixtures/applications/', import.meta.url);

export const readFixture = (name: string): Fixture =>
  JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));

export const readSummary = (name: string): string =>
  readFileSync(new URL(`${name}.summary.txt`, folder), 'utf8');

function mix(x: number): number {
  x ^= x >>> 16;
  x = Math.imul(x, 0x7feb352d);
  x ^= x >>> 15;
  x = Math.imul(x, 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** In [-1, 1), exact in float32. */
function unit(element: number, weight: number, salt: number): number {
  const key = (Math.imul(element, 0x9e3779b1) + Math.imul(weight, 0x85ebca77) + salt) | 0;
  return (mix(key) >>> 8) * 2 ** -23 - 1;
}

export const f = Math.fround;
export const weightValue = (e: number, g: number, salt: number, offset: number, scale: number) =>
  f(f(offset) + f(unit(e, g, salt) * f(scale)));
/** Returns an integer from 0 to 255. */
export const pixelValue = (e: number, g: number, salt: number) => Math.floor((unit(e, g, salt) + 1) * 128);
/** Returns a pixel value centred at 0. */
export const imageValue = (e: number, g: number, salt: number) => (pixelValue(e, g, salt) - 127.5) / 64;

export function formulaTensor(
  shape: readonly number[],
  valueAt: (element: number) => number,
  dtype: DType = 'float32',
): Tensor {
  const size = shape.reduce((product, n) => product * n, 1);
  return tensor(
    Float32Array.from({ length: size }, (_, e) => valueAt(e)),
    { shape, dtype },
  ) as Tensor;
}

function statisticsOf(values: Float32Array): Statistics {
  const average = values.reduce((total, x) => total + x, 0) / values.length;
  const variance = values.reduce((total, x) => total + (x - average) ** 2, 0) / values.length;
  return {
    mean: average,
    std: Math.sqrt(variance),
    min: values.reduce((a, b) => Math.min(a, b)),
    max: values.reduce((a, b) => Math.max(a, b)),
    first8: [...values.slice(0, 8)],
  };
}

export function expectStatistics(values: Float32Array, expected: Statistics, tolerance: number): void {
  const actual = statisticsOf(values);
  const close = (a: number, b: number) =>
    expect(Math.abs(a - b)).toBeLessThanOrEqual(tolerance * expected.std);
  for (const key of ['mean', 'std', 'min', 'max'] as const) close(actual[key], expected[key]);
  expected.first8.forEach((value, i) => {
    close(actual.first8[i] as number, value);
  });
}

/** Gives `weights` the values of the formula; their paths and first values must be Keras's. */
export function assignFormula(
  weights: readonly Variable[],
  { weights: recipe, salt }: Fixture['formula'],
): void {
  expect(weights.map(({ path }) => path)).toEqual(recipe.map(({ path }) => path));
  recipe.forEach(({ index, offset, scale, first4 }, i) => {
    const weight = weights[i] as Variable;
    const valueAt = (e: number) => weightValue(e, index, salt, offset, scale);
    expect(Array.from({ length: Math.min(4, weight.size) }, (_, e) => valueAt(e))).toEqual(first4.map(f));
    const values = formulaTensor(weight.shape, valueAt, weight.dtype);
    weight.assign(values);
    values.dispose();
  });
}

/** Layers, shapes, counts, weights and nodes are those of Keras. */
export function expectStructure(
  net: { layers: readonly AnyLayer[]; weights: Variable[]; countParams(): number },
  { layers, totalParams, weights, nodes }: Fixture['withTop'],
): void {
  const rows = net.layers.map((layer) => ({
    name: layer.name,
    class: layer.className,
    outputShape: [...(layer.output as KerasTensor).shape],
    params: layer.countParams(),
  }));
  expect(rows).toEqual(layers);
  expect(net.countParams()).toBe(totalParams);
  expect(net.weights.map(({ path, shape, trainable }) => ({ path, shape, trainable }))).toEqual(
    weights.map(({ path, shape, trainable }) => ({ path, shape, trainable })),
  );
  const calls = net.layers.map((layer) => [
    layer.name,
    layer.inboundNodes.map((node) =>
      node.inputTensors.map(({ kerasHistory }) => [
        kerasHistory?.operation.name,
        kerasHistory?.nodeIndex,
        kerasHistory?.tensorIndex,
      ]),
    ),
  ]);
  expect(Object.fromEntries(calls)).toEqual(nodes);
}
