/** @file How much memory a training step of adapters takes, above the weights. */
import { beforeAll, expect, test } from 'vitest';
import {
  GradientTape,
  init,
  memory,
  resetPeakMemory,
  sum,
  type Tensor,
  tensor,
  tidy,
} from '../../src/index.ts';
import { input, model, RematScope } from '../../src/keras/index.ts';
import { transformerDecoder } from '../../src/hub/index.ts';
import { asAdapter } from '../support/adapterClass.ts';

beforeAll(() => init());

const [length, features] = [64, 128];

/** Blocks of the proportions of GPT-2 small. */
function blocks(count: number) {
  const x = input({ shape: [length, features] });
  let y: unknown = x;
  for (let i = 0; i < count; i++)
    y = transformerDecoder({
      numHeads: 4,
      intermediateDim: 4 * features,
      activation: 'geluTanh',
      normalizeFirst: true,
      name: `block_${i}`,
    }).apply(y as never);
  return model({ inputs: x, outputs: y as never });
}

const values = (): Tensor =>
  tensor(
    Float32Array.from({ length: length * features }, (_, i) => ((i * 0.37) % 1) - 0.5),
    { shape: [1, length, features] },
  );

test('a step of adapters on queries and values, with blocks that run again, takes 1.5 times the activations of a block', () =>
  asAdapter('gpu', () => {
    const x = values();
    const one = blocks(1);
    tidy(() => one.apply(x));
    const activations = tidy(() => {
      const before = memory().bytes;
      using _tape = new GradientTape();
      one.apply(x);
      return memory().bytes - before;
    });
    using _scope = new RematScope();
    const net = blocks(3);
    net.enableLora({ rank: 8 });
    expect(net.trainableWeights).toHaveLength(3 * 2 * 2);
    tidy(() => net.apply(x));
    resetPeakMemory();
    const before = memory().bytes;
    tidy(() => {
      using tape = new GradientTape();
      const y = net.apply(x) as Tensor;
      tape.gradient(sum(y), net.trainableWeights);
    });
    expect(memory().peakBytes - before).toBeLessThanOrEqual(1.5 * activations);
  }));
