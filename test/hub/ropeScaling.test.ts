/** @file Stretched rotary embeddings: their defaults, and what is refused. Values of transformers are in pretrained.test.ts. */
import { beforeAll, expect, test } from 'vitest';
import { init, type Tensor, tensor, ValueError } from '../../src/index.ts';
import { rotaryEmbedding, type RopeScaling } from '../../src/hub/index.ts';

beforeAll(() => init());

const x = Float32Array.from({ length: 2 * 8 }, (_, i) => Math.sin(i + 1));
const turned = async (scaling: RopeScaling) =>
  Array.from(await (rotaryEmbedding({ scaling }).apply(tensor(x, { shape: [1, 2, 8] })) as Tensor).data());

test('YaRN has the defaults of its paper', async () => {
  const given = { type: 'yarn', factor: 4, originalMaxPositions: 16 } as const;
  const found = await turned(given);
  const attentionFactor = 0.1 * Math.log(4) + 1;
  expect(found).toEqual(
    await turned({ ...given, betaFast: 32, betaSlow: 1, attentionFactor, truncate: true }),
  );
  // The first token isn't turned.
  for (let i = 0; i < 8; i++) expect(found[i]).toBeCloseTo((x[i] as number) * attentionFactor, 6);
});

test.each([
  [{ type: 'dynamic', factor: 2 }, /scaling\.originalMaxPositions/],
  [{ type: 'constructor' }, /types linear, llama3, yarn, dynamic, longrope/],
  [
    { type: 'longrope', shortFactor: [1, 0], longFactor: [1, 1], originalMaxPositions: 8 },
    /shortFactor\[1\]/,
  ],
  [{ type: 'longrope', shortFactor: [1, 1], longFactor: [], originalMaxPositions: 8 }, /longFactor/],
  [{ type: 'linear', factor: 0 }, /scaling\.factor/],
  [{ type: 'linear', factor: 2, betaFast: 1 }, /betaFast/],
  [{ type: 'llama3', factor: 8, lowFreqFactor: 1, highFreqFactor: 4 }, /originalMaxPositions/],
  [{ type: 'yarn', factor: 4 }, /originalMaxPositions/],
  [{ type: 'yarn', factor: 4, originalMaxPositions: 16, betaSlow: -1 }, /betaSlow/],
  [{ type: 'yarn', factor: 4, originalMaxPositions: 16, truncate: 'no' }, /truncate/],
])('refuses %o', (scaling, message) => {
  expect(() => rotaryEmbedding({ scaling: scaling as never })).toThrow(ValueError);
  expect(() => rotaryEmbedding({ scaling: scaling as never })).toThrow(message);
});

test('LongRoPE has a factor for each pair', () => {
  const scaling = {
    type: 'longrope',
    shortFactor: [1],
    longFactor: [1, 1, 1, 1],
    originalMaxPositions: 8,
  } as const;
  const positions = rotaryEmbedding({ scaling });
  expect(() => positions.apply(tensor(x, { shape: [1, 2, 8] }))).toThrow(/each of 4 pairs/);
});
