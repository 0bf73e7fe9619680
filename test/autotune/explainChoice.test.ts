import { describe, expect, test } from 'vitest';
import {
  conv2d,
  explainChoice,
  getDevice,
  grad,
  matMul,
  mean,
  memory,
  randomNormal,
  reshape,
  ShapeError,
  softmax,
  type Tensor,
  tune,
  ValueError,
} from '../../src/index.ts';
import { size, tunedDevices } from './support.ts';

const tunedDevice = tunedDevices();

const image = { shape: [2, 32, 32, 16] } as const;
const kernel = { shape: [3, 3, 16, 16] } as const;

describe('the text', () => {
  test('of a selection', async () => {
    await using own = await tunedDevice({});
    const { text, op, adapter, choices } = explainChoice(matMul, size, size);
    expect(op).toBe('matMul');
    expect(adapter).toBe(own.device.adapter);
    expect(choices).toHaveLength(1);
    expect(choices[0]).toMatchObject({ what: 'tile of matMul, 96 × 96, k 96', source: 'selected' });
    expect(text).toMatch(/^matMul on .* \(class '(c|g)pu': its name is/);
    expect(text).toMatch(/\n {2}> \w+ +estimated [\d.]+, not measured\n/);
    expect(text).toMatch(/tune\(\) with the same arguments measures the candidates$/);
    expect(`${explainChoice(matMul, size, size)}`).toBe(text);
  });

  test('of a measurement', async () => {
    await using _ = await tunedDevice({ scalars: 1.5 });
    await tune(matMul, size, size);
    const { text, choices } = explainChoice(matMul, size, size);
    expect(choices[0]).toMatchObject({ taken: 'scalars', source: 'measured' });
    expect(text).toMatch(/tile of matMul, 96 × 96, k 96: scalars, measured\n/);
    expect(text).toMatch(/ {2}> scalars +estimated [\d.]+, 1\.500 ms/);
    expect(text).not.toMatch(/tune\(\)/);
  });

  test('of the only variant', async () => {
    await using _ = await tunedDevice({});
    const { text } = explainChoice(matMul, { shape: [4, 4] }, { shape: [4, 4] });
    expect(text).toMatch(/tile of matMul, 4 × 4, k 4: small, the only algorithm for these sizes$/);
    const { choices } = explainChoice(
      matMul,
      { shape: [96, 96], dtype: 'int32' },
      { shape: [96, 96], dtype: 'int32' },
    );
    expect(choices).toMatchObject([{ taken: 'small', source: 'only' }]);
  });

  test('of an op without variants', async () => {
    await using _ = await tunedDevice({});
    expect(explainChoice(softmax, size).text).toMatch(
      /^softmax on .*\nno choice: each of its kernels has one/,
    );
    expect(explainChoice(reshape, size, { shape: [-1] }).choices).toEqual([]);
  });
});

test('a convolution: its algorithm, then the tile of its GEMM', async () => {
  await using _ = await tunedDevice({});
  const { choices } = explainChoice(conv2d, image, kernel, { padding: 'same' });
  expect(choices[0]).toMatchObject({ what: 'conv2d of 2 times 32 × 32, 16 to 16 channels, kernel 3 × 3' });
  expect(choices[0]?.candidates.map(({ name }) => name)).toEqual([
    'implicit GEMM',
    'Winograd F(2×2, 3×3)',
    'Winograd F(4×4, 3×3)',
  ]);
  expect(choices[1]?.what).toMatch(/^tile of /);
});

test('a function with its gradients', async () => {
  await using _ = await tunedDevice({});
  const step = grad((w: Tensor) =>
    mean(conv2d(randomNormal([2, 32, 32, 16], { seed: 1 }), w, { padding: 'same' })),
  );
  const { choices } = explainChoice(step, kernel);
  expect(choices.map(({ what }) => what).join('\n')).toMatch(/conv2d, kernel gradient of/);
});

test('nothing is executed and nothing is kept', async () => {
  await using own = await tunedDevice({});
  own.device.autotuner = null;
  const before = { ...memory(), ...own.device.stream.statistics, pipelines: own.device.pipelineCount };
  explainChoice(conv2d, image, kernel);
  expect({ ...memory(), ...own.device.stream.statistics, pipelines: own.device.pipelineCount }).toEqual(
    before,
  );
  expect(getDevice().autotuner).toBe(null);
});

test('rejected', async () => {
  await using _ = await tunedDevice({});
  expect(() => explainChoice('matMul' as never)).toThrow(ValueError);
  expect(() => explainChoice('matMul' as never)).toThrow(/an op, or a function of tensors/);
  expect(() => explainChoice(matMul, { shape: [4, 5] }, { shape: [4, 5] })).toThrow(ShapeError);
  expect(() => explainChoice(async () => {})).toThrow(/synchronous/);
});
