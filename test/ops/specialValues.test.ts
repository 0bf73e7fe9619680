/** @file Values and gradients at NaN, infinities and zeros, and where pieces of a function meet, are TensorFlow's. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import * as retrograd from '../../src/index.ts';
import { activations, losses, ops as kerasOps } from '../../src/keras/index.ts';

type Stored = number | 'nan' | 'inf' | '-inf' | '-0';

interface Case {
  readonly kind: 'unary' | 'binary' | 'rows' | 'loss';
  readonly op: string;
  readonly shape: readonly number[];
  readonly inputs: readonly (readonly Stored[])[];
  readonly y: readonly Stored[];
  readonly gradients: readonly (readonly Stored[])[];
}

const file = new URL('../fixtures/special/special_values.json', import.meta.url);
const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[];

const numbers: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
  '-0': -0,
};
const numberOf = (stored: Stored): number =>
  typeof stored === 'number' ? stored : (numbers[stored] as number);

/** Where TensorFlow gives NaN or jumps because of how it computes, and the limit or the left derivative is known. */
const exceptions: Readonly<Record<string, readonly [points: RegExp, why: string]>> = {
  silu: [/inf/, 'the limits of the derivative, 1 and 0'],
  gelu: [/inf/, 'the limits of the derivative'],
  mish: [/inf/, 'the limits of the derivative'],
  hardSwish: [/inf/, 'the limits 0 and 1'],
  sparsePlus: [/inf/, 'the limits 0 and 1'],
  huber: [/inf/, 'the linear piece has a derivative'],
  elu: [/nan/, 'NaN, as in JAX'],
  selu: [/nan/, 'NaN, as in JAX'],
  softmax: [
    /nan|(^|,)inf/,
    'NaN in the whole row, as in JAX; the CPU kernel of TensorFlow gives zeros there',
  ],
  pow: [/^(nan|-?0),-?0$/, '0 for the exponent 0, as in JAX: x⁰ is 1'],
  logAddExp: [/^(.+),\1$|^-?0,-?0$/, 'half each, as in JAX'],
  std: [/^(-?0,)+-?0$/, '0, the subgradient of least norm'],
  celu: [/^(-?0|nan)$/, '1 and NaN, as in JAX; TensorFlow adds the derivatives of both pieces'],
  softShrink: [/nan/, 'NaN, as in PyTorch; TensorFlow compares, and gives 0'],
};

function functionOf({ kind, op }: Case): (...inputs: retrograd.Tensor[]) => retrograd.Tensor {
  const named = { ...activations, ...kerasOps, ...retrograd } as unknown as Record<string, unknown>;
  if (kind === 'loss') {
    const loss = (losses as unknown as Record<string, (options: object) => retrograd.Tensor>)[op];
    const made = loss?.({ reduction: 'none' }) as unknown as { call(y: object, p: object): retrograd.Tensor };
    return (p) => made.call(retrograd.ones(p.shape), p);
  }
  const found = named[op] as (...args: unknown[]) => retrograd.Tensor;
  const isReduction = kind === 'rows' && !/oftmax/.test(op);
  return (...inputs) => found(...inputs, ...(isReduction ? [{ axis: -1 }] : []));
}

beforeAll(async () => {
  await retrograd.init();
});

test.each(cases.map((one) => [one.op, one] as const))('%s', async (op, one) => {
  const inputs = one.inputs.map((values) =>
    retrograd.tensor(Float32Array.from(values, numberOf), { shape: one.shape }),
  );
  const { y, gradients } = retrograd.GradientTape.run((tape) => {
    tape.watch(inputs);
    const made = functionOf(one)(...inputs);
    const weights = retrograd.tensor(Float32Array.from({ length: made.size }, (_, i) => i + 1));
    const total = retrograd.sum(retrograd.mul(made, retrograd.reshape(weights, { shape: made.shape })));
    return { y: made, gradients: tape.gradient(total, inputs, { unconnectedGradients: 'zero' }) };
  });
  const [points] = exceptions[op] ?? [];
  const compare = (what: string, found: ArrayLike<number>, expected: readonly Stored[]) => {
    const size = expected.length / (one.shape[0] as number);
    expected.forEach((stored, i) => {
      const at = one.inputs.map((values) =>
        values.length === expected.length && size > 1
          ? values.slice(Math.floor(i / size) * size, (Math.floor(i / size) + 1) * size)
          : values.slice((i * values.length) / expected.length, ((i + 1) * values.length) / expected.length),
      );
      if (points?.test(String(one.kind === 'unary' ? one.inputs[0]?.[i] : at))) return;
      const [value, wanted] = [found[i] as number, numberOf(stored)];
      const near = Math.abs(value - wanted) <= 2e-5 * Math.max(1, Math.abs(wanted));
      const agrees = Object.is(value, wanted) || value === wanted || near;
      expect(agrees, `${what} at ${JSON.stringify(at)}: ${value}, not ${wanted}`).toBe(true);
    });
  };
  compare('value', await y.data(), one.y);
  for (const [i, expected] of one.gradients.entries())
    compare(`gradient ${i}`, await (gradients[i] as retrograd.Tensor).data(), expected);
});
