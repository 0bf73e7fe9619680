/** @file The benchmark of kernel times: captures and replays, the order of problems, the report. No test of speed. */
import { afterEach, describe, expect, test } from 'vitest';
import { problems } from '../../bench/codegen/problems/index.ts';
import { capture, installCapture, Replay, timesOf } from '../../bench/kernelTimes/replay.ts';
import { kernelTables } from '../../bench/kernelTimes/report.ts';
import { fastestPeer, type KernelRow, type KernelTime } from '../../bench/kernelTimes/result.ts';
import { sampleOrder } from '../../bench/kernelTimes/sample.ts';
import { add, matMul, tensor, tidy } from '../../src/index.ts';
import { ownDevice } from '../support/ownDevice.ts';

let undo = () => {};
afterEach(() => {
  undo();
  undo = () => {};
});

describe('a replay', () => {
  test('has the launches of a run, takes time, and computes the same', async () => {
    undo = installCapture();
    await using own = await ownDevice();
    expect(own.gpu.features.has('timestamp-query')).toBe(true);
    const a = tensor([1, 2, 3, 4], { shape: [2, 2] });
    const compute = () => tidy(() => add(matMul(a, a), 1));
    const warm = compute();
    await warm.data();
    warm.dispose();
    let result = a;
    const commands = await capture(async () => {
      result = compute();
      await own.device.sync();
    });
    const labels = commands.map((command) => (command.kind === 'launch' ? command.label : 'copy'));
    expect(labels).toHaveLength(2);
    expect(labels[0]).toMatch(/^retrograd matMul .* @\d+x\d+x\d+$/);
    const replay = new Replay(own.gpu, commands);
    const [time] = await timesOf([replay], { rounds: 3, spin: 1 });
    replay.dispose();
    if (!time || time instanceof Error) throw time ?? new Error('no time');
    expect(time.milliseconds).toBeGreaterThan(0);
    expect([...(await result.data())]).toEqual([8, 11, 16, 23]);
    a.dispose();
    result.dispose();
  });

  test('with a destroyed buffer reports it, and the others are timed', async () => {
    undo = installCapture();
    await using own = await ownDevice();
    const [from, to, gone] = [0, 1, 2].map(() =>
      own.gpu.createBuffer({ size: 16, usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST }),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer];
    const copiesTo = (target: GPUBuffer) =>
      capture(() => {
        const encoder = own.gpu.createCommandEncoder();
        encoder.copyBufferToBuffer(from, 0, target, 0, 16);
        own.gpu.queue.submit([encoder.finish()]);
      });
    const replays = [new Replay(own.gpu, await copiesTo(gone)), new Replay(own.gpu, await copiesTo(to))];
    gone.destroy();
    const [broken, fine] = await timesOf(replays, { rounds: 1, spin: 1 });
    expect(String(broken)).toMatch(/can't be replayed: .*destroyed/s);
    expect(fine).not.toBeInstanceOf(Error);
    for (const replay of replays) replay.dispose();
  });

  test('after undoing, nothing is captured', async () => {
    const { dispatchWorkgroups } = GPUComputePassEncoder.prototype;
    installCapture()();
    expect(GPUComputePassEncoder.prototype.dispatchWorkgroups).toBe(dispatchWorkgroups);
  });
});

test('the first problems are a sample of all families, and the order is always the same', () => {
  const order = sampleOrder(problems);
  expect(new Set(order)).toEqual(new Set(problems));
  expect(order).toHaveLength(problems.length);
  const softmax = order.filter(({ family }) => family === 'softmax');
  expect(sampleOrder([...softmax].reverse())).toEqual(softmax);
  const families = new Set(problems.map(({ family }) => family));
  expect(new Set(order.slice(0, 24).map(({ family }) => family))).toEqual(families);
});

const time = (microseconds: number, more: Partial<KernelTime> = {}): KernelTime => ({
  milliseconds: microseconds / 1000,
  spread: 0.01,
  launches: 1,
  kernels: ['kernel @1x1x1'],
  difference: null,
  ...more,
});

const row = (name: string, family: string, times: KernelRow['times'], more: Partial<KernelRow> = {}) => ({
  ...{ name, family, fmas: 0, times, notes: {} },
  ...more,
});

describe('the report', () => {
  const rows: KernelRow[] = [
    row('square', 'matMul', { retrograd: time(2), tfjs: time(6), ort: time(5) }, { fmas: 1e6 }),
    row('wide', 'matMul', { retrograd: time(4, { launches: 2 }), jaxjs: time(2, { difference: 0.25 }) }),
    row('sum', 'reductions', { retrograd: time(3) }, { notes: { jaxjs: 'no such op' } }),
  ];
  const page = kernelTables(rows);

  test('compares with the fastest peer', () => {
    expect(rows.map(fastestPeer)).toEqual([{ peer: 'ort', ratio: 2.5 }, { peer: 'jaxjs', ratio: 0.5 }, null]);
  });

  test('summarizes families', () => {
    expect(page).toContain('| matMul | 2 | 1.50× | 0.50× | 1 |');
    expect(page).toContain('| reductions | 0 | – | – | 0 |');
    expect(page).toContain('| all | 2 | 1.50× | 0.50× | 1 |');
  });

  test('has a line for each problem, with times in µs and GFLOP/s', () => {
    expect(page).toContain('| square | 2.00 ± 1.0 % | 1000 | 1 | 6.00 ± 1.0 % | – | 5.00 ± 1.0 % | 2.50× |');
    expect(page).toContain('| wide | 4.00 ± 1.0 % |  | 2 | – | 2.00 ± 1.0 % ≠ | – | 0.50× |');
    expect(page).toContain('| sum | 3.00 ± 1.0 % |  | 1 | – | note | – | – |');
  });

  test('notes why there is no time, and results that differ', () => {
    expect(page).toContain('- sum, jax-js: no such op');
    expect(page).toContain('- wide, jax-js: results differ by 0.250 of the largest value');
  });
});
