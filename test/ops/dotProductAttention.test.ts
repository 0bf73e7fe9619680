/** @file dotProductAttention against Keras and JAX, with gradients. */
import { beforeAll, expect, test } from 'vitest';
import { dotProductAttention, GradientTape, init, type Tensor, tensor } from '../../src/index.ts';
import golden from '../fixtures/attention/dotProductAttention.json' with { type: 'json' };

interface Host {
  shape: number[];
  values: number[];
}
interface Golden {
  name: string;
  query: Host;
  key: Host;
  value: Host;
  bias: Host | null;
  mask: Host | null;
  isCausal: boolean;
  scale: number | null;
  cotangent: Host;
  out: Host;
  gradients: Host[];
}

const { cases } = golden as unknown as { cases: Golden[] };

beforeAll(async () => {
  await init();
});

const upload = ({ shape, values }: Host, dtype: 'float32' | 'bool' = 'float32') =>
  tensor(values, { shape, dtype });

async function expectClose(found: Tensor, { shape, values }: Host): Promise<void> {
  expect(found.shape).toEqual(shape);
  (await found.data()).forEach((value, i) => {
    expect(Math.abs(value - (values[i] as number))).toBeLessThan(3e-6);
  });
}

test.each(cases.map((golden) => [golden.name, golden] as const))('%s', async (_, golden) => {
  const { bias, mask, scale, isCausal } = golden;
  const inputs = [golden.query, golden.key, golden.value].map((x) => upload(x)) as [Tensor, Tensor, Tensor];
  const tape = new GradientTape();
  tape.watch(inputs);
  const out = dotProductAttention(...inputs, bias && upload(bias), mask && upload(mask, 'bool'), {
    scale,
    isCausal,
  });
  const gradients = tape.gradient(out, inputs, { outputGradients: upload(golden.cotangent) }) as Tensor[];
  await expectClose(out, golden.out);
  for (const [k, gradient] of gradients.entries()) await expectClose(gradient, golden.gradients[k] as Host);
});
