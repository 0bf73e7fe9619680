/** @file Steps with an inline matmul (for GPUs) against those that use the matrix engine. */
import { beforeAll, expect, test } from 'vitest';
import {
  addN,
  GradientTape,
  gruSteps,
  init,
  lstmSteps,
  mul,
  randomNormal,
  sum,
  type Tensor,
  tensor,
} from '../../src/index.ts';
import { profileFor, withProfile } from '../support/adapterClass.ts';

beforeAll(async () => {
  await init();
});

const [batch, time, units] = [5, 7, 11];
const draw = (seed: number, ...shape: number[]) => randomNormal(shape, { seed });
const counts = Array.from({ length: batch * time }, (_, i) => (i * 7) % 5 !== 0);
const mask = () => tensor(counts.map(Number), { shape: [batch, time], dtype: 'bool' });

interface Case {
  /** Tensors whose gradients are computed, then the mask. */
  inputs: () => (Tensor | null)[];
  run: (inputs: (Tensor | null)[]) => Tensor[];
}

type AnySteps = (...inputs: (Tensor | null)[]) => Tensor[];
const lstm: Case['run'] = (inputs) => (lstmSteps as AnySteps)(...inputs).slice(0, 2);
const gru: Case['run'] = (inputs) => (gruSteps as AnySteps)(...inputs).slice(0, 1);
const lstmInputs = () => [
  draw(1, batch, time, 4 * units),
  draw(2, units, 4 * units),
  draw(3, batch, units),
  draw(4, batch, units),
];
const gruInputs = () => [
  draw(1, batch, time, 3 * units),
  draw(2, units, 3 * units),
  draw(3, 3 * units),
  draw(4, batch, units),
];

const cases: Record<string, Case> = {
  'an LSTM': { inputs: () => [...lstmInputs(), null], run: lstm },
  'a masked LSTM': { inputs: () => [...lstmInputs(), mask()], run: lstm },
  'an LSTM from zeros': { inputs: () => [...lstmInputs().slice(0, 2), null, null, null], run: lstm },
  'a GRU': { inputs: () => [...gruInputs(), null], run: gru },
  'a masked GRU': { inputs: () => [...gruInputs(), mask()], run: gru },
  // Four units at once, of two samples.
  'an LSTM of 12 units': {
    inputs: () => [draw(1, 2, 3, 48), draw(2, 12, 48), draw(3, 2, 12), null, null],
    run: lstm,
  },
  'a GRU of 36 units, one sample': {
    inputs: () => [draw(1, 1, 3, 108), draw(2, 36, 108), draw(3, 108), null, null],
    run: gru,
  },
  'a GRU without bias': { inputs: () => [...gruInputs().slice(0, 2), null, null, null], run: gru },
};

/** Outputs, and the gradients of their sum under fixed weights. */
async function found({ inputs, run }: Case): Promise<number[][]> {
  const given = inputs();
  const floats = given.filter((x): x is Tensor => x?.dtype === 'float32');
  const tape = new GradientTape();
  tape.watch(floats);
  const outputs = run(given);
  const total = addN(outputs.map((x, i) => sum(mul(x, randomNormal(x.shape, { seed: 10 + i })))));
  const gradients = tape.gradient(total, floats) as Tensor[];
  return Promise.all([...outputs, ...gradients].map(async (x) => Array.from(await x.data())));
}

/** Runs `body` with the matmul of every step before the step ('given'), or in its kernel ('own'). */
function withStepMatMul<T>(place: 'given' | 'own', body: () => Promise<T>): Promise<T> {
  const inlineMatMul = place === 'own' ? Number.POSITIVE_INFINITY : 0;
  return withProfile({ ...profileFor('gpu'), recurrent: { inlineMatMul } }, body);
}

test.each(Object.entries(cases))('%s sums up its own products', async (_, sample) => {
  const wanted = await withStepMatMul('given', () => found(sample));
  const own = await withStepMatMul('own', () => found(sample));
  expect(own.map((x) => x.length)).toEqual(wanted.map((x) => x.length));
  own.forEach((values, k) => {
    const scale = Math.max(...(wanted[k] as number[]).map(Math.abs));
    values.forEach((value, i) => {
      expect(Math.abs(value - (wanted[k]?.[i] as number))).toBeLessThan(2e-5 * scale);
    });
  });
  // The same bits at every run.
  expect(await withStepMatMul('own', () => found(sample))).toEqual(own);
});
