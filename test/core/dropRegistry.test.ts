/** @file What is registered to be freed when it is dropped, and when. */
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { GradientTape, init, mul, sum, tensor, tidy } from '../../src/index.ts';
import { DropRegistry } from '../../src/core/dropRegistry.ts';

const registered = vi.spyOn(FinalizationRegistry.prototype, 'register');
const unregistered = vi.spyOn(FinalizationRegistry.prototype, 'unregister');
beforeAll(async () => {
  await init();
});
afterEach(() => vi.clearAllMocks());
afterAll(() => vi.restoreAllMocks());

/** Arguments of the calls that register what the library makes: Node's WebGPU registers its buffers, too. */
const ownCalls = () => registered.mock.calls.filter(([object]) => !(object instanceof GPUBuffer));

const holding = () => ({ isFree: false, isRegistered: false });
const endOfJob = () => Promise.resolve();

it('registers what is not free by the end of the job, once', async () => {
  const registry = new DropRegistry(() => {});
  const [freed, held] = [holding(), holding()];
  const object = {};
  registry.watch({}, freed);
  registry.watch(object, held);
  registry.watch(object, held);
  registry.forget(freed);
  expect(ownCalls()).toEqual([]);
  await endOfJob();
  expect(ownCalls()).toEqual([[object, held, held]]);
  expect(unregistered).not.toHaveBeenCalled();
  registry.forget(held);
  expect(unregistered.mock.calls).toEqual([[held]]);
  held.isFree = false;
  registry.watch(object, held);
  await endOfJob();
  expect(ownCalls()).toHaveLength(2);
});

it('does not keep more than a thousand objects for a long job', () => {
  const registry = new DropRegistry(() => {});
  const holdings = Array.from({ length: 3000 }, holding);
  for (const each of holdings) registry.watch({}, each);
  expect(holdings.filter(({ isRegistered }) => isRegistered)).toHaveLength(2048);
});

it('registers neither a tape nor a tensor that is freed in its job', async () => {
  const x = tensor([1, 2, 3]);
  const useTape = () =>
    tidy(() => {
      const tape = new GradientTape();
      tape.watch([x]);
      tape.gradient(sum(mul(x, x)), [x]);
    });
  // The first call makes constants that the library keeps.
  useTape();
  await endOfJob();
  vi.clearAllMocks();
  useTape();
  tensor([1]).dispose();
  await endOfJob();
  expect(ownCalls()).toEqual([]);
  x.dispose();
  expect(unregistered).toHaveBeenCalledTimes(1);
});
