/** @file verify on simulated wrong drivers: the wrong variant is found, named and avoided, also in the next visit. */
import { describe, expect, test } from 'vitest';
import {
  compile,
  DeviceError,
  explainChoice,
  init,
  matMul,
  sum,
  type Tensor,
  tensor,
  tuning,
  type VerificationProgress,
  verify,
  warmup,
} from '../../src/index.ts';
import { profileOf } from '../../src/kernels/selection/deviceProfile.ts';
import { memoryStore, tilesOf } from '../autotune/support.ts';
import { ownDevice } from '../support/ownDevice.ts';
import { draw, largestError, product } from '../support/reference.ts';
import { type Defect, makeWrong } from '../support/wrongDriver.ts';

/** A matmul that the software profile computes with the tile `fewColumns`: of few columns. */
const size = [64, 4, 300] as const;
const [a, b] = [draw(64 * 300, 1), draw(300 * 4, 2)];
const multiply = () => matMul(tensor(a, { shape: [64, 300] }), tensor(b, { shape: [300, 4] }));
const errorOf = async () => largestError(await multiply().data(), product(a, b, size));

/** The label of the tile `fewColumns`, in matmuls and convolutions. */
const fewColumns = /"blockM":8,"blockN":4,"depth":4/;

async function wrongDevice(matches: RegExp, defect: Defect) {
  return ownDevice({ prepare: (gpu) => makeWrong(gpu, matches, defect) });
}

describe.each<Defect>(['always', 'after the first run'])('a tile that is wrong, %s', (defect) => {
  test('is found, named and avoided, now and in the next visit', async () => {
    const store = memoryStore();
    {
      await using own = await wrongDevice(fewColumns, defect);
      await init({ device: own.gpu, adapterProfile: 'software' });
      expect(tilesOf(own.device, () => multiply().dispose())).toContain('fewColumns');
      const report = await verify({ only: /^gemm: (fewColumns|row)$/, store });
      expect(report.wrong.map(({ name }) => name)).toEqual(['gemm: fewColumns']);
      expect(report.avoided).toEqual(['gemm: fewColumns']);
      expect(String(report)).toMatch(
        /1 of 2 variants are wrong: gemm: fewColumns[\s\S]*avoided here from now on/,
      );
      expect(JSON.parse(JSON.stringify(report)).variants).toHaveLength(2);
      expect(tilesOf(own.device, () => multiply().dispose())).not.toContain('fewColumns');
      expect(await errorOf()).toBeLessThan(1e-4);
    }
    await using next = await wrongDevice(fewColumns, defect);
    await init({ device: next.gpu, adapterProfile: 'software', tuning: tuning({ store }) });
    const [choice] = explainChoice(matMul, { shape: [64, 300] }, { shape: [300, 4] }).choices;
    expect(choice?.candidates.map(({ name }) => name)).not.toContain('fewColumns');
    expect(choice?.taken).not.toBe('fewColumns');
    expect(await errorOf()).toBeLessThan(1e-4);
  });
});

test('a wrong part of the profile gets its simplest form', async () => {
  await using own = await wrongDevice(/retrograd scatter owned/, 'always');
  await init({ device: own.gpu, adapterProfile: 'software' });
  const report = await verify({ only: /^scatter$/, store: null });
  expect(report.wrong.map(({ name, status }) => [name, status])).toEqual([['scatter', 'wrong']]);
  expect(report.avoided).toEqual(['scatter']);
  expect(profileOf(own.device).scatter.owned).toBe(0);
});

test('reductions that share a launch are checked', async () => {
  await using own = await wrongDevice(/retrograd joined reduce/, 'always');
  await init({ device: own.gpu, adapterProfile: 'discrete' });
  const report = await verify({ only: /^reduce$/, store: null });
  expect(report.variants).toMatchObject([
    { status: 'wrong', worstCheck: expect.stringContaining('replayed') },
  ]);
  expect(report.avoided).toEqual(['reduce']);
  const sums = compile((x: Tensor, y: Tensor) => [sum(x, { axis: 0 }), sum(y, { axis: 0 })]);
  const values = [tensor(a, { shape: [300, 64] }), tensor(b, { shape: [4, 300] })] as const;
  const [recorded] = sums(...values) as [Tensor];
  const [replayed] = sums(...values) as [Tensor];
  expect(await replayed.data()).toEqual(await recorded.data());
});

test('a pipeline that does not compile is named, and the next variant is launched', async () => {
  await using own = await wrongDevice(fewColumns, 'does not compile');
  await init({ device: own.gpu, adapterProfile: 'software' });
  const error: Error = await multiply()
    .data()
    .then(
      () => new Error('no error'),
      (reason) => reason,
    );
  expect(error).toBeInstanceOf(DeviceError);
  expect(error.message).toMatch(
    /matMul: a kernel must compile.*[\s\S]*expected[\s\S]*in the variant \{"tile"/,
  );
  expect(error.message).toContain(
    "call again: the variant 'gemm: fewColumns' is avoided on this device from now on",
  );
  expect(await errorOf()).toBeLessThan(1e-4);
  const report = await verify({ only: /^gemm: fewColumns$/, store: null });
  expect(report.variants).toMatchObject([{ name: 'gemm: fewColumns', status: 'failed' }]);
});

test('warmup compiles the next variant where one does not compile', async () => {
  await using own = await wrongDevice(fewColumns, 'does not compile');
  await init({ device: own.gpu, adapterProfile: 'software' });
  expect(await warmup(multiply)).toBeGreaterThan(0);
  expect(await errorOf()).toBeLessThan(1e-4);
});

test('reports its progress, and ends with its signal', async () => {
  await using own = await ownDevice();
  await init({ device: own.gpu });
  const seen: VerificationProgress[] = [];
  const report = await verify({ only: /^transpose$/, store: null, onProgress: (at) => seen.push(at) });
  expect(report).toMatchObject({ ok: true, avoided: [] });
  expect(report.limits.maxBufferSize).toBe(own.gpu.limits.maxBufferSize);
  expect(seen.map(({ done, total }) => `${done}/${total}`)).toEqual(['0/2', '1/2', '2/2']);
  const controller = new AbortController();
  const aborting = verify({ store: null, signal: controller.signal, onProgress: () => controller.abort() });
  await expect(aborting).rejects.toThrow(/abort/i);
});
