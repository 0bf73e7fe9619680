/** @file Which executor runs work, and what happens if no device is open. */
import { expect, onTestFinished, test } from 'vitest';
import { ValueError } from '../../src/core/errors.ts';
import { currentExecutor, onReplay, untraced, withExecutors } from '../../src/execution/currentExecutor.ts';
import { type Executor, type ExecutorHolder, openHolders } from '../../src/webgpu/executor.ts';
import { withDevice } from '../../src/webgpu/current.ts';
import { RecordingExecutor } from './fakes.ts';

/** Returns a device that is open until the end of the test. */
function opened(executor: Executor): ExecutorHolder {
  const holder = { eager: executor, executor };
  openHolders.add(holder);
  onTestFinished(() => void openHolders.delete(holder));
  return holder;
}

const onDevice = <T>(executor: Executor, body: () => T) =>
  withDevice({ executor, isDestroyed: false } as never, body);
const withoutDevice = <T>(body: () => T) => withDevice(null as never, body);

test('each open device has the executor made for it during the work, and its own after it', () => {
  const own = [new RecordingExecutor(), new RecordingExecutor()];
  const made = [new RecordingExecutor(), new RecordingExecutor()];
  const holders = own.map(opened);
  const make = (holder: ExecutorHolder) => made[holders.indexOf(holder)] ?? holder.executor;
  const during = withExecutors(make, () => holders.map(({ executor }) => executor));
  expect(during).toEqual(made);
  expect(during[0]).toBe(made[0]);
  expect(holders.map(({ executor }) => executor)).toEqual(own);
  const fail = () => {
    throw new Error('inside');
  };
  expect(() => withExecutors(make, fail)).toThrow('inside');
  expect(holders[1]?.executor).toBe(own[1]);
});

test('the executor is that of the current device', () => {
  const executor = new RecordingExecutor();
  expect(onDevice(executor, currentExecutor)).toBe(executor);
  expect(withoutDevice(currentExecutor)).toBeNull();
});

test('an executor decides about effects; without a device they run at once', () => {
  const executor = new RecordingExecutor();
  let runs = 0;
  const effect = () => void runs++;
  onDevice(executor, () => onReplay(effect));
  expect([executor.calls, runs]).toEqual([[['onReplay', effect]], 0]);
  withoutDevice(() => onReplay(effect));
  expect(runs).toBe(1);
});

test('an effect is a function', () => {
  const call = () => onReplay('count' as never);
  expect(call).toThrow(ValueError);
  expect(call).toThrow(/onReplay.*effect.*function.*'count'/s);
});

test('an executor runs untraced work; without a device it runs at once', () => {
  const executor = new RecordingExecutor();
  expect(onDevice(executor, () => untraced(() => 3))).toBe(3);
  expect(executor.calls.map(([name]) => name)).toEqual(['untraced']);
  expect(withoutDevice(() => untraced(() => 4))).toBe(4);
});
