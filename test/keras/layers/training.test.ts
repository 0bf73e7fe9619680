/**
 * @file Layers in training against real Keras (test/fixtures/layers/training.py): with masks, at every time step, and with
 * activations over the units of a gate.
 */
import { beforeAll, expect, test } from 'vitest';
import { init, type Tensor, tensor } from '../../../src/index.ts';
import { modelFromJSON } from '../../../src/keras/index.ts';
import golden from '../../fixtures/layers/training.json' with { type: 'json' };

type Values = number | readonly Values[];

interface Case {
  name: string;
  model: object;
  mask: number[][] | null;
  before: number[][];
  output: Values;
  after: Values[];
}

const flat = (values: Values): number[] => (typeof values === 'number' ? [values] : values.flatMap(flat));

async function expectClose(found: Tensor, wanted: Values): Promise<void> {
  const values = await found.data();
  for (const [i, value] of flat(wanted).entries())
    expect(Math.abs((values[i] as number) - value)).toBeLessThan(1e-5 * Math.max(1, Math.abs(value)));
}

beforeAll(async () => {
  await init();
});

test.each((golden.cases as unknown as Case[]).map((each) => [each.name, each] as const))(
  '%s',
  async (_, { model, mask, before, output, after }) => {
    using net = modelFromJSON(model);
    net.setWeights(before);
    const options = mask ? { mask: tensor(mask, { dtype: 'bool' }) } : {};
    const found = net.apply(tensor(golden.steps), { training: true, ...options }) as Tensor;
    await expectClose(found, output);
    for (const [i, weight] of net.weights.entries()) await expectClose(weight, after[i] as Values);
  },
);
