/// <reference types="vite/client" />
/**
 * @file The facts about each op in the reference (docs/op-facts.json): dtypes, kernels, gradients. Found by calling the op on its
 * samples in a dry run, on a discrete GPU's profile; nothing is computed. `-u` writes the file again.
 */
import { expect, test } from 'vitest';
import { commandsOf } from '../../src/autotune/survey.ts';
import type { DType } from '../../src/core/dtype.ts';
import { GradientTape, init, type Tensor } from '../../src/index.ts';
import { output } from '../../src/kernels/launch/output.ts';
import * as ops from '../../src/ops/index.ts';
import type { InputSample, OpCase, OpSamples } from '../ops/samples/types.ts';
import { drawValues, generator, upload } from '../ops/samples/draw.ts';
import { onAdapter } from '../support/adapterClass.ts';

const device = await init();
const modules = import.meta.glob<{ samples?: OpSamples[] }>('../ops/samples/*.ts', { eager: true });
const samples = new Map(
  Object.values(modules).flatMap((module) => (module.samples ?? []).map((one) => [one.op, one] as const)),
);

type AnyOp = ((...args: unknown[]) => Tensor | Tensor[]) & {
  definition: { inputs: readonly string[]; backward?: unknown; forward?: unknown };
};
const dtypes: readonly DType[] = ['float32', 'float16', 'int32', 'uint32', 'bool'];

/** Returns the dtype of a case's values: that of its float inputs, if it has any. */
function valuesOf({ inputs }: OpCase): DType {
  return inputs.some((input) => input && isFloating(input)) ? 'float32' : (inputs[0]?.dtype ?? 'float32');
}

/** Inputs of a case; its values become `dtype`, indices and conditions keep their own. */
function made(sample: OpCase, dtype: DType): (Tensor | null)[] {
  const values = valuesOf(sample);
  const random = generator(1);
  return sample.inputs.map((input) => {
    if (!input) return null;
    const own = input.dtype ?? 'float32';
    // Indices are read on the host by some ops; what changes its dtype needs no values.
    if (own !== values || own === dtype) return upload(input, drawValues(input, random));
    return output(device, { shape: [...input.shape], dtype }, 'op facts');
  });
}

function call(op: AnyOp, inputs: readonly (Tensor | null)[], options: object = {}): Tensor[] {
  const result = op.definition.inputs[0]?.startsWith('...') ? op(inputs, options) : op(...inputs, options);
  return Array.isArray(result) ? result : [result];
}

/** Names of the kernels that `body` launches; null where it is rejected. */
function kernelsOf(body: () => unknown): string[] | null {
  try {
    const commands = onAdapter('gpu', () => commandsOf(device, body));
    return [...new Set(commands.flatMap((one) => (one.kind === 'launch' ? [one.kernel.name] : [])))];
  } catch {
    return null;
  }
}

const isFloating = (input: InputSample | null | undefined) => (input?.dtype ?? 'float32') === 'float32';

/** Returns whether the second derivative depends on an input: a call is differentiated twice. */
function secondGradient(op: AnyOp, sample: OpCase): 'yes' | 'zero' {
  let found: 'yes' | 'zero' = 'zero';
  onAdapter('gpu', () =>
    commandsOf(device, () => {
      const inputs = made(sample, valuesOf(sample));
      const watched = inputs.filter((x, i): x is Tensor => x !== null && isFloating(sample.inputs[i]));
      using second = new GradientTape();
      for (const x of watched) second.watch(x);
      using first = new GradientTape();
      for (const x of watched) first.watch(x);
      const floats = call(op, inputs, sample.options).filter(({ dtype }) => dtype === 'float32');
      if (floats.length === 0 || watched.length === 0) return;
      const gradients = first.gradient(floats, watched).filter((dx) => dx !== null);
      if (gradients.length > 0 && second.gradient(gradients, watched).some((ddx) => ddx !== null))
        found = 'yes';
    }),
  );
  return found;
}

test('the facts of the ops are current', async () => {
  const facts = Object.fromEntries(
    Object.entries(ops as unknown as Record<string, AnyOp>).flatMap(([name, op]) => {
      const known = samples.get(name);
      if (!op.definition || !known) return [];
      const cases = known.cases.filter(({ inputs }) => inputs.every((input) => !input?.shape.includes(0)));
      const [first] = cases;
      if (!first) return [];
      const accepted = dtypes.filter((dtype) =>
        cases.some((sample) => kernelsOf(() => call(op, made(sample, dtype), sample.options))),
      );
      const kernels = cases.flatMap(
        (sample) => kernelsOf(() => call(op, made(sample, valuesOf(sample)), sample.options)) ?? [],
      );
      const gradient =
        op.definition.backward === null ? 'none' : op.definition.forward ? 'its own' : 'by its formula';
      return [
        [
          name,
          {
            gradient,
            second: gradient === 'none' ? 'none' : secondGradient(op, first),
            dtypes: accepted,
            kernels: [...new Set(kernels)].sort(),
          },
        ],
      ];
    }),
  );
  const lines = Object.entries(facts).map(
    ([name, fact]) => `${JSON.stringify(name)}: ${JSON.stringify(fact)}`,
  );
  await expect(`{\n${lines.join(',\n')}\n}\n`).toMatchFileSnapshot('../../docs/op-facts.json');
});
