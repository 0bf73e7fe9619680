/** @file Ops that are formulas of others give what NumPy, JAX and Keras give (test/fixtures/numpy/generate.py). */
import { beforeAll, describe, expect, test } from 'vitest';
import { init, type Tensor, tensor } from '../../src/index.ts';
import * as ops from '../../src/ops/index.ts';
import cases from '../fixtures/numpy/cases.json' with { type: 'json' };

interface Listed {
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly values: readonly (number | string | boolean)[];
}

type AnyOp = ((...args: unknown[]) => Tensor | Tensor[]) & { definition: { inputs: readonly string[] } };

beforeAll(async () => {
  await init();
});

/** NaN and infinities are strings in JSON. */
const numbers = ({ values }: Listed) => values.map(numberOf);
const numberOf = (value: unknown) =>
  typeof value === 'boolean' ? Number(value) : Number(String(value).replace('inf', 'Infinity'));

function upload(input: Listed): Tensor {
  const dtype = input.dtype as 'float32' | 'int32';
  const data = dtype === 'int32' ? Int32Array.from(numbers(input)) : Float32Array.from(numbers(input));
  return tensor(data, { shape: [...input.shape], dtype });
}

function optionsOf(given: object): object {
  const entries = Object.entries(given).map(([key, value]) => [
    key,
    value === 'inf' || value === '-inf' ? numberOf(value) : value,
  ]);
  return Object.fromEntries(entries);
}

describe.each(cases.map((each, i) => [`${each.op} ${JSON.stringify(each.options)}`, i] as const))(
  '%s',
  (_, i) => {
    test(`case ${i}`, async () => {
      const { op: name, inputs, options, outputs } = cases[i] as (typeof cases)[number];
      const op = (ops as unknown as Record<string, AnyOp>)[name] as AnyOp;
      const tensors = inputs.map(upload);
      const isList = op.definition.inputs[0]?.startsWith('...');
      const optional = op.definition.inputs.slice(tensors.length).map(() => null);
      const call = isList ? [tensors] : [...tensors, ...optional];
      const found = [op(...call, optionsOf(options))].flat();
      expect(found.map(({ shape, dtype }) => ({ shape: [...shape], dtype }))).toEqual(
        outputs.map(({ shape, dtype }) => ({ shape, dtype })),
      );
      for (const [k, output] of outputs.entries()) {
        const actual = [...((await (found[k] as Tensor).data()) as Float32Array)];
        expect(actual).toHaveLength(output.values.length);
        numbers(output).forEach((wanted, at) => {
          const value = actual[at] as number;
          if (Number.isFinite(wanted))
            expect(Math.abs(value - wanted)).toBeLessThanOrEqual(2e-6 * (5 + Math.abs(wanted)));
          else expect(value).toBe(wanted);
        });
      }
    });
  },
);
