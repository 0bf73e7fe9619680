/** @file Executors that forward everything to another executor, and those that also record it. */
import { describe, expect, test } from 'vitest';
import { ForeignExecutor } from '../../src/execution/foreignExecutor.ts';
import { ForwardingExecutor } from '../../src/execution/forwardingExecutor.ts';
import { CallScope } from '../../src/execution/profilerScope.ts';
import { ProfilingExecutor } from '../../src/execution/profilingExecutor.ts';
import type { Executor, StorageHolder } from '../../src/webgpu/executor.ts';
import type { Kernel } from '../../src/webgpu/kernel.ts';
import type { Launch } from '../../src/webgpu/launch.ts';
import { Storage } from '../../src/webgpu/storage.ts';
import { launched, RecordingExecutor, storages } from './fakes.ts';

const [a, b] = storages();
const kernel = { name: 'k' } as unknown as Kernel;
const launch = {
  options: { n: 1 },
  key: 'key',
  bindings: {},
  params: {},
  workgroups: 1,
} as unknown as Launch;
const holder = { label: 'v' } as unknown as StorageHolder;
const nothing = () => {};

/** Every call of an executor, by name. */
const calls: Readonly<Record<string, (executor: Executor) => unknown>> = {
  allocate: (executor) => executor.allocate(8, 'x', nothing),
  upload: (executor) => executor.upload(new Uint8Array(4), 'x', nothing),
  launch: (executor) => executor.launch(kernel, launch),
  run: (executor) => executor.run(launched([a], [])),
  copy: (executor) => executor.copy(a, b, 4),
  pipelineOf: (executor) => executor.pipelineOf(kernel, {}, 'key'),
  touch: (executor) => executor.touch(holder),
  replacing: (executor) => executor.replacing(holder),
  creating: (executor) => executor.creating('v'),
  attachChecks: (executor) => executor.attachChecks([], a),
  onReplay: (executor) => executor.onReplay(nothing),
  untraced: (executor) => executor.untraced(() => 3),
  postpone: (executor) => executor.postpone('reason', nothing),
  requireReadable: (executor) => executor.requireReadable(),
};

/** What `call` gives, and the calls that it makes. */
function outcome(executor: Executor, base: RecordingExecutor, call: (executor: Executor) => unknown) {
  const result = call(executor);
  const freed = [...base.allocated.values()];
  const given = result instanceof Storage ? result.bytes : result;
  return { given, freed, calls: base.calls.map(([name, ...args]) => [name, ...args.map(String)]) };
}

describe.each(Object.entries(calls))('%s', (_, call) => {
  test('is forwarded with its arguments and its result', () => {
    const [direct, base] = [new RecordingExecutor(), new RecordingExecutor()];
    const wanted = outcome(direct, direct, call);
    expect(outcome(new ForwardingExecutor(base), base, call)).toEqual(wanted);
    expect(wanted.calls).toHaveLength(1);
  });

  test('is forwarded by the executor of another device, too', () => {
    const [direct, base] = [new RecordingExecutor(), new RecordingExecutor()];
    const executor = new ForeignExecutor(base, nothing);
    expect(outcome(executor, base, call)).toEqual(outcome(direct, direct, call));
  });
});

test('the mode and the profiler are those of the executor behind', () => {
  const base = new RecordingExecutor();
  base.mode = 'dry run';
  base.profiler = new CallScope();
  const executor = new ForwardingExecutor(base);
  expect(executor.mode).toBe('dry run');
  expect(executor.profiler).toBe(base.profiler);
});

test('work on another device is noted where it computes something', () => {
  const used = Object.entries(calls).filter(([, call]) => {
    let uses = 0;
    const executor = new ForeignExecutor(new RecordingExecutor(), () => {
      uses++;
    });
    expect(executor.mode).toBe('captured');
    call(executor);
    return uses > 0;
  });
  expect(used.map(([name]) => name)).toEqual(['allocate', 'launch', 'run', 'copy']);
});

test('a profiled launch runs its own variant, and belongs to the call', () => {
  const base = new RecordingExecutor();
  const executor = new ProfilingExecutor(base);
  const call = { op: 'add', layer: '' };
  executor.profiler.forward(
    () => call,
    null,
    5,
    () => executor.launch(kernel, { ...launch, fallback: { options: {}, workgroups: 1 } }),
  );
  expect(base.calls).toEqual([
    ['pipelineOf', kernel, { n: 1 }, 'key'],
    [
      'run',
      expect.objectContaining({
        kernel,
        options: { n: 1 },
        attribution: { calls: [{ ...call, backward: false }], flops: 5 },
      }),
    ],
  ]);
});
