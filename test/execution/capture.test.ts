/** @file Captures: what they record, hold and reject, on an executor that executes nothing. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { TapeError } from '../../src/core/errors.ts';
import { Capture, digestOf, Pins } from '../../src/execution/capture.ts';
import { type ExecutorHolder, openHolders, type StorageHolder } from '../../src/webgpu/executor.ts';
import type { FaultReport } from '../../src/webgpu/faults.ts';
import type { Kernel } from '../../src/webgpu/kernel.ts';
import type { Launch } from '../../src/webgpu/launch.ts';
import type { Storage } from '../../src/webgpu/storage.ts';
import { launched, RecordingExecutor, storages } from './fakes.ts';

let base: RecordingExecutor;
let device: ExecutorHolder;
let capture: Capture;

function opened(executor: RecordingExecutor): ExecutorHolder {
  const holder = { eager: executor, executor };
  openHolders.add(holder);
  onTestFinished(() => void openHolders.delete(holder));
  return holder;
}

beforeEach(() => {
  base = new RecordingExecutor();
  device = opened(base);
  capture = new Capture(device);
});

/** A variable that holds a storage. */
class Variable implements StorageHolder {
  readonly label = 'v';

  constructor(
    public current: Storage,
    readonly bytes = 6,
  ) {}

  adopt(storage: Storage): void {
    this.current.release();
    this.current = storage;
  }

  snapshot(): () => void {
    throw new Error('not needed');
  }
}

const copies = () => capture.commands.flatMap((one) => (one.kind === 'copy' ? [one] : []));

describe('commands', () => {
  test('launches and copies run, and are recorded in order', () => {
    const [a, b] = storages();
    const launch = launched([a], [b]);
    capture.record(() => {
      expect(device.executor).toBe(capture);
      device.executor.run(launch);
      device.executor.copy(a, b, 8);
    });
    expect(device.executor).toBe(base);
    expect(capture.commands).toEqual([launch, { kind: 'copy', source: a, target: b, bytes: 8 }]);
    expect(base.calls).toEqual([
      ['run', launch],
      ['copy', a, b, 8],
    ]);
  });

  test('a launch runs its own variant, not its fallback, and belongs to the op that makes it', () => {
    const kernel = { name: 'k' } as unknown as Kernel;
    const launch = {
      options: { n: 1 },
      key: 'key',
      bindings: {},
      params: {},
      workgroups: 1,
      fallback: { options: {}, workgroups: 1 },
    } as unknown as Launch;
    const call = { op: 'add', layer: 'a' };
    capture.profiler.forward(
      () => call,
      null,
      null,
      () => capture.launch(kernel, launch),
    );
    expect(base.calls[0]).toEqual(['pipelineOf', kernel, { n: 1 }, 'key']);
    expect(capture.commands).toMatchObject([
      { kind: 'launch', options: { n: 1 }, attribution: { calls: [{ ...call, backward: false }] } },
    ]);
  });

  test('uploads are noted with a digest of their values', () => {
    const data = new Float32Array([1, 2]);
    const storage = capture.upload(data, 'x');
    expect(capture.uploads.get(storage)).toBe(digestOf(data));
    expect(capture.made.has(storage)).toBe(false);
  });

  test('attached checks are noted with their place', () => {
    const [a, b] = storages();
    const report = { count: 1 } as unknown as FaultReport;
    capture.run(launched([a], [b]));
    capture.attachChecks([{ report } as never], a);
    expect(capture.attachments).toEqual([{ at: 1, reports: [report], storage: a }]);
  });

  test('effects are kept for the replays', () => {
    const effect = () => {};
    capture.onReplay(effect);
    expect(capture.effects).toEqual([effect]);
    expect(base.calls).toEqual([['onReplay', effect]]);
  });
});

describe('storages', () => {
  test('those from outside stay until the capture is released; those it makes don’t', () => {
    const freed: string[] = [];
    const outside = base.allocate(16, 'outside', () => void freed.push('outside'));
    const own = capture.allocate(8, 'own', () => void freed.push('own'));
    expect([...capture.made]).toEqual([[own, 8]]);
    capture.run(launched([own], [outside, outside]));
    outside.release();
    own.release();
    expect(freed).toEqual(['own']);
    capture.release();
    expect(freed).toEqual(['own', 'outside']);
    capture.release();
    expect(freed).toHaveLength(2);
  });

  test("a range outside of the library's storage isn’t pinned", () => {
    const [a] = storages();
    const range = { buffer: a.buffer, offset: 0, bytes: 4 };
    expect(() => capture.copy(range, a, 4)).not.toThrow();
    expect(copies()).toHaveLength(1);
  });

  test('a storage is pinned once, however often it is added', () => {
    let freed = 0;
    const storage = base.allocate(4, 'x', () => void freed++);
    const pins = new Pins();
    pins.add(storage);
    pins.add(storage);
    storage.release();
    expect(freed).toBe(0);
    pins.release();
    expect(freed).toBe(1);
  });

  test('what is still held after the work, other than its results, is named', () => {
    const [result, kept, dropped] = ['result', 'kept', 'dropped'].map((label) => capture.allocate(4, label));
    (dropped as Storage).release();
    expect(capture.leftovers(new Set([result as Storage]))).toEqual(['kept']);
    (kept as Storage).release();
    expect(capture.leftovers(new Set())).toEqual(['result']);
  });

  test('ranges of storages that the work makes can’t be assigned again', () => {
    const [outside] = storages();
    const own = capture.allocate(512, 'own');
    const part = ({ buffer }: Storage) => ({ buffer, offset: 256, bytes: 4 });
    capture.run(launched([own], [outside]));
    capture.run({ ...launched([own], []), ranges: [own, part(outside)] });
    capture.checkRanges();
    expect(capture.obstacle).toBeNull();
    capture.run({ ...launched([own], []), ranges: [outside, part(own)] });
    capture.checkRanges();
    expect(capture.obstacle).toMatch(/part of a tensor/);
  });
});

describe('variables', () => {
  test('a variable of its own storage keeps it as its slot, which is pinned', () => {
    let freed = 0;
    const v = new Variable(base.allocate(8, 'v', () => void freed++));
    const slot = v.current;
    capture.touch(v);
    capture.touch(v);
    expect([...capture.variableSlots]).toEqual([[v, slot]]);
    expect(base.calls.map(([name]) => name)).toEqual(['allocate', 'touch', 'touch']);
    slot.release();
    expect(freed).toBe(0);
    capture.release();
    expect(freed).toBe(1);
  });

  test('shared values are copied first, so that others keep them', () => {
    const v = new Variable(base.allocate(8, 'v'));
    const shared = v.current.retain();
    capture.touch(v);
    expect(v.current).not.toBe(shared);
    expect(shared.exclusive).toBe(true);
    expect(capture.variableSlots.get(v)).toBe(v.current);
    expect(base.calls.at(-1)).toEqual(['copy', shared, v.current, 8]);
    // The copy is of the recording, not of the replays.
    expect(capture.commands).toEqual([]);
    expect(capture.made.size).toBe(0);
  });

  test('assigned values are written back into their slots after the work', () => {
    const [v, other] = [new Variable(base.allocate(8, 'v')), new Variable(base.allocate(8, 'w'))];
    const slot = v.current.retain();
    slot.release();
    let assigned: Storage | undefined;
    capture.record(() => {
      capture.touch(v);
      capture.touch(other);
      assigned = capture.allocate(6, 'assigned');
      slot.retain();
      v.adopt(assigned);
    });
    expect(copies()).toEqual([{ kind: 'copy', source: assigned, target: slot, bytes: 8 }]);
    expect(v.current).toBe(slot);
    expect(capture.leftovers(new Set())).toEqual([]);
  });

  test('variables that exchange their storages are copied by way of others', () => {
    const [v, w] = [new Variable(base.allocate(8, 'v')), new Variable(base.allocate(8, 'w'))];
    const [slotOfV, slotOfW] = [v.current, w.current];
    capture.record(() => {
      capture.touch(v);
      capture.touch(w);
      slotOfV.retain();
      slotOfW.retain();
      v.adopt(slotOfW);
      w.adopt(slotOfV);
    });
    const between = [...capture.made.keys()];
    expect(copies().map(({ source, target }) => [source, target])).toEqual([
      [slotOfW, between[0]],
      [slotOfV, between[1]],
      [between[0], slotOfV],
      [between[1], slotOfW],
    ]);
    expect([v.current, w.current]).toEqual([slotOfV, slotOfW]);
    expect(capture.leftovers(new Set())).toEqual([]);
  });

  test('a variable that is made inside can’t be made again by a replay', () => {
    capture.creating('w');
    expect(capture.obstacle).toMatch(/variable, 'w'/);
    expect(base.calls).toEqual([['creating', 'w']]);
  });
});

describe('what can’t be replayed', () => {
  test('the first reason is kept', () => {
    expect(capture.obstacle).toBeNull();
    capture.preventReplay('one');
    capture.preventReplay('another');
    expect(capture.obstacle).toBe('one');
  });

  test('work on a second device', () => {
    const second = opened(new RecordingExecutor());
    capture.record(() => second.executor.touch(new Variable(storages()[0])));
    expect(capture.obstacle).toBeNull();
    capture.record(() => second.executor.run(launched([], [])));
    expect(capture.obstacle).toMatch(/second device/);
    expect(capture.commands).toEqual([]);
    expect(second.executor).toBe(second.eager);
  });

  test('an action that has to wait for the end of the work runs then, once', () => {
    let runs = 0;
    capture.postpone('it repacks', () => {
      runs++;
      expect(capture.obstacle).toBe('it repacks');
    });
    expect(runs).toBe(0);
    capture.runPostponed();
    capture.runPostponed();
    expect(runs).toBe(1);
  });

  test('inside of a dry run, the dry run decides about such an action', () => {
    base.mode = 'dry run';
    const inner = new Capture(device);
    const action = () => {};
    inner.postpone('it repacks', action);
    expect([inner.obstacle, base.calls]).toEqual([null, [['postpone', 'it repacks', action]]]);
  });

  test('a readback', () => {
    expect(() => capture.requireReadable()).toThrow(TapeError);
    expect(() => capture.requireReadable()).toThrow(/compile.*readback.*return the tensor/s);
    expect(base.calls[0]).toEqual(['requireReadable']);
  });
});

test('a capture is real where its work is executed', () => {
  expect(capture.isReal).toBe(true);
  expect(capture.mode).toBe('captured');
  base.mode = 'dry run';
  expect(new Capture(device).isReal).toBe(false);
});

test('untraced work isn’t recorded, but the variables that it makes are noticed', () => {
  const second = opened(new RecordingExecutor());
  const [a, b] = storages();
  capture.record(() => {
    const given = capture.untraced(() => {
      expect(second.executor).not.toBe(capture);
      device.executor.run(launched([a], [b]));
      return 7;
    });
    expect(given).toBe(7);
    expect(device.executor).toBe(capture);
  });
  expect(capture.commands).toEqual([]);
  expect(capture.obstacle).toBeNull();
  expect(base.calls.map(([name]) => name)).toEqual(['untraced', 'run']);
  capture.record(() => capture.untraced(() => device.executor.creating('w')));
  expect(capture.obstacle).toMatch(/'w'/);
});
