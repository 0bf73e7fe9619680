/** @file Steps for an embedding whose ids repeat are those of Keras with TensorFlow, where the gradient of a table is slices. */
import { readFileSync } from 'node:fs';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { add, flip, init, tensor, tidy } from '../../../src/index.ts';
import { clearSession, input, layers, model, optimizers, regularizers } from '../../../src/keras/index.ts';

interface Case {
  readonly optimizer: string;
  readonly scaled?: boolean;
  /** How the table is read; once by default. */
  readonly table?: 'twice' | 'penalty';
  readonly config: Readonly<Record<string, unknown>>;
  readonly weights?: readonly [table: number[], kernel: number[]];
  readonly error?: string;
}

const file = new URL('../../fixtures/optimizers/slices.json', import.meta.url);
const cases = JSON.parse(readFileSync(file, 'utf8')) as Case[];

const table = [0.3, -0.2, 0.5, 0.1, -0.4, 0.6, 0.2, 0.7, -0.1, 0.9];
const kernel = [0.8, -0.5, 0.3, 0.9, -0.7, 0.4];
const batches: readonly (readonly [ids: number[][], targets: number[][]])[] = [
  [
    [
      [1, 1, 2],
      [0, 2, 1],
    ],
    [[1], [-2]],
  ],
  [
    [
      [2, 2, 2],
      [3, 0, 3],
    ],
    [[0.5], [1.5]],
  ],
  [
    [
      [1, 3, 3],
      [1, 0, 0],
    ],
    [[-1], [2]],
  ],
  [
    [
      [0, 0, 0],
      [2, 1, 2],
    ],
    [[2], [0.25]],
  ],
];

beforeAll(async () => {
  await init();
});
beforeEach(clearSession);

async function trained({ optimizer, scaled, table: kind, config }: Case): Promise<number[][]> {
  const make = (
    optimizers as unknown as Record<string, (config: object) => ReturnType<typeof optimizers.adam>>
  )[
    optimizer === 'RMSprop'
      ? 'rmsprop'
      : /^[A-Z]+$/.test(optimizer)
        ? optimizer.toLowerCase()
        : `${optimizer[0]?.toLowerCase()}${optimizer.slice(1)}`
  ] as (config: object) => ReturnType<typeof optimizers.adam>;
  const ids = input({ shape: [3], dtype: 'int32' });
  const embeddingsRegularizer = kind === 'penalty' ? regularizers.l2({ l2: 0.05 }) : null;
  const embedding = layers.embedding({ inputDim: 5, outputDim: 2, embeddingsRegularizer });
  const rows = layers.flatten().apply(embedding.apply(ids));
  const read =
    kind === 'twice' ? add(rows, layers.flatten().apply(embedding.apply(flip(ids, { axis: 1 })))) : rows;
  const net = model({ inputs: ids, outputs: layers.dense({ units: 1, useBias: false }).apply(read) });
  tidy(() => net.setWeights([tensor(table, { shape: [5, 2] }), tensor(kernel, { shape: [6, 1] })]));
  const inner = make(config);
  const used = scaled
    ? optimizers.lossScaleOptimizer({ innerOptimizer: inner, initialScale: 4, dynamicGrowthSteps: 2 })
    : inner;
  net.compile({ optimizer: used, loss: 'mse' });
  for (const [x, y] of batches) await net.trainOnBatch(tensor(x, { dtype: 'int32' }), tensor(y));
  return Promise.all(net.weights.map(async (weight) => [...(await weight.data())]));
}

const names = cases.map(
  (one, i) =>
    [
      `${i} ${one.optimizer}${one.scaled ? ' scaled' : ''}${one.table ? `, ${one.table}` : ''} ${JSON.stringify(one.config)}`,
      one,
    ] as const,
);

/** Options of the engines are tested with two optimizers, one of each engine. */
function isNew({ optimizer, config }: Case): boolean {
  return /^(Adam|Lamb)$/.test(optimizer) || !('useEma' in config || 'gradientAccumulationSteps' in config);
}

test.each(names.filter(([, one]) => one.weights && isNew(one)))('%s', async (_name, one) => {
  const found = await trained(one);
  one.weights?.forEach((expected, i) => {
    for (const [k, value] of expected.entries()) expect(found[i]?.[k]).toBeCloseTo(value, 4);
  });
});
