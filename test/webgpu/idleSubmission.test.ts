/** @file When work is submitted: a call on an idle device at once, others with what follows, or when the device has nothing to do. */
import { expect, test } from 'vitest';
import { add, mean, ones, tensor, tidy } from '../../src/index.ts';
import { input, layers, sequential } from '../../src/keras/index.ts';
import { ownDevice } from '../support/ownDevice.ts';

test('a call on an idle device is submitted before it returns, with all its launches', async () => {
  await using own = await ownDevice();
  const { statistics } = own.device.stream;
  const x = ones([300, 300]);
  await own.device.sync();
  const { submits, launches } = statistics;
  const y = mean(x);
  expect(statistics.submits).toBe(submits + 1);
  expect(statistics.launches).toBeGreaterThan(launches + 1);
  expect(await y.item()).toBe(1);
});

test('calls on a busy device share a submission, which is made when the device is idle', async () => {
  await using own = await ownDevice();
  const { stream } = own.device;
  const x = tensor([1, 2]);
  await own.device.sync();
  const { submits } = stream.statistics;
  const first = add(x, 1);
  const rest = [2, 3, 4].map((n) => add(x, n));
  expect(stream.statistics.submits).toBe(submits + 1);
  await expect.poll(() => stream.statistics.submits).toBe(submits + 2);
  expect([...(await first.data())]).toEqual([2, 3]);
  expect([...(await rest[2]!.data())]).toEqual([5, 6]);
});

test('a burst of calls makes few submissions', async () => {
  await using own = await ownDevice();
  const { statistics } = own.device.stream;
  const x = ones([16]);
  await own.device.sync();
  const { submits } = statistics;
  tidy(() => {
    for (let i = 0; i < 1000; i++) add(x, 1);
  });
  expect(statistics.submits - submits).toBeLessThan(10);
});

test('predict of a small model is one submission, and a deep one starts before all of its layers are launched', async () => {
  await using own = await ownDevice();
  const { statistics } = own.device.stream;
  const x = ones([1, 8]);
  const submissionsOf = async (depth: number) => {
    const units = Array.from({ length: depth }, () => layers.dense({ units: 8 }));
    const net = sequential([input({ shape: [8] }), ...units]);
    (await net.predict(x)).dispose();
    const { submits, launches } = statistics;
    (await net.predict(x)).dispose();
    expect(statistics.launches - launches).toBe(depth);
    return statistics.submits - submits;
  };
  expect(await submissionsOf(2)).toBe(1);
  expect(await submissionsOf(30)).toBeGreaterThan(1);
});

test('a lost device gets no further submissions', async () => {
  await using own = await ownDevice();
  const { stream } = own.device;
  const x = ones([16]);
  add(x, 1);
  const { submits } = stream.statistics;
  own.gpu.destroy();
  await own.gpu.lost;
  expect(() => add(x, 1)).toThrow(/lost/);
  expect(stream.statistics.submits).toBe(submits);
});
