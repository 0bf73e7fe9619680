/** @file Complex tensors as one pair: Keras's form of the Fourier transforms. */
import { beforeAll, expect, test } from 'vitest';
import {
  fft,
  GradientTape,
  ifft,
  init,
  irfft,
  istft,
  rfft,
  stft,
  sum,
  type Tensor,
  tensor,
} from '../../src/index.ts';
import { input, model, ops } from '../../src/keras/index.ts';

beforeAll(async () => {
  await init();
});

const wave = (...shape: number[]) =>
  tensor(
    Float32Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => Math.sin(1.7 * i + 0.3)),
    { shape },
  );
const listOf = async (x: Tensor) => Array.from(await x.data(), Number);
async function expectSame(found: readonly Tensor[], wanted: readonly Tensor[]): Promise<void> {
  expect(await Promise.all(found.map(listOf))).toEqual(await Promise.all(wanted.map(listOf)));
}

test('a pair is the same as its parts', async () => {
  const [re, im] = [wave(2, 6), wave(2, 6)];
  for (const op of [fft, ifft, ops.fft2, ops.ifft2]) await expectSame(op([re, im]), op(re, im));
  await expectSame([irfft([re, im])], [irfft(re, im)]);
  await expectSame([irfft([re, im], { fftLength: 9 })], [irfft(re, im, { fftLength: 9 })]);
  const options = { sequenceLength: 4, sequenceStride: 2, fftLength: 4 };
  await expectSame([istft(stft(wave(16), options), options)], [istft(...stft(wave(16), options), options)]);
});

test('transforms are nested', async () => {
  const x = wave(2, 6);
  const [back, none] = ifft(fft(x, wave(2, 6)));
  const wanted = await listOf(x);
  for (const [i, value] of (await listOf(back)).entries()) expect(value).toBeCloseTo(wanted[i] as number, 5);
  expect(none.shape).toEqual([2, 6]);
  const again = await listOf(irfft(rfft(x)));
  for (const [i, value] of again.entries()) expect(value).toBeCloseTo(wanted[i] as number, 5);
});

test('values on the host: a list of two alone is a pair, a real part of two rows is not', async () => {
  // By the definition: X = [1 + 2i + 3 + 4i, 1 + 2i - 3 - 4i].
  await expectSame(
    fft([
      [1, 3],
      [2, 4],
    ]),
    [tensor([4, -2]), tensor([6, -2])],
  );
  const rows = [
    [1, 3],
    [2, 4],
  ];
  await expectSame(fft(rows, rows), fft(tensor(rows), tensor(rows)));
});

test('gradients pass, and graphs take pairs', async () => {
  const x = wave(6);
  const gradientOf = (f: () => Tensor) => {
    const tape = new GradientTape();
    tape.watch(x);
    return tape.gradient(f(), x) as Tensor;
  };
  await expectSame([gradientOf(() => sum(fft([x, x])[0]))], [gradientOf(() => sum(fft(x, x)[0]))]);
  const line = input({ shape: [6] });
  const net = model({ inputs: line, outputs: ops.irfft(ops.rfft(line)) });
  const y = await listOf(net.apply(wave(1, 6)) as Tensor);
  for (const [i, value] of (await listOf(x)).entries()) expect(y[i]).toBeCloseTo(value, 5);
});

test('other lists are rejected', () => {
  expect(() => fft([wave(2)] as never)).toThrow(/a Tensor/);
  expect(() => fft([wave(2), wave(2), wave(2)] as never)).toThrow();
  expect(() => fft([wave(2), wave(3)])).toThrow(/both parts one shape/);
});
