/** @file Lists of callbacks: order, waiting, and when logs of batches are read. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ValueError } from '../../../src/core/errors.ts';
import {
  Callback,
  CallbackList,
  History,
  type Logs,
  lambdaCallback,
  ProgressBar,
  type RunParams,
} from '../../../src/keras/callbacks/index.ts';
import { StubModel } from './stub.ts';

const params: RunParams = { epochs: 2, steps: 3, verbose: 0 };
const listOf = (callbacks: never, options: object = {}) =>
  new CallbackList(callbacks, { model: new StubModel(), params, ...options });
const later = () => new Promise((resolve) => setTimeout(resolve));

afterEach(() => void vi.useRealTimers());

/** Returns a reader that counts. */
function reader(values: Logs[]) {
  const state = { reads: 0 };
  return {
    state,
    read: async () => values[Math.min(state.reads++, values.length - 1)] as Logs,
  };
}

describe('hooks', () => {
  test('run one after the other; those that are async are waited for', async () => {
    const seen: string[] = [];
    const list = listOf([
      lambdaCallback({
        onEpochBegin: async (epoch) => {
          await later();
          seen.push(`first ${epoch}`);
        },
      }),
      { onEpochBegin: (epoch: number) => void seen.push(`second ${epoch}`) },
    ] as never);
    const waiting = list.onEpochBegin(1);
    expect(seen).toEqual([]);
    expect(waiting).toBeInstanceOf(Promise);
    await waiting;
    expect(seen).toEqual(['first 1', 'second 1']);
  });

  test('that are sync cause no waiting', () => {
    const list = listOf({ onTrainBatchBegin: () => {} } as never);
    expect(list.onTrainBatchBegin(0)).toBeUndefined();
    expect(list.onTrainBatchEnd(0, () => Promise.reject(new Error('nobody asked')))).toBeUndefined();
  });

  test('all fourteen reach their callbacks, with the model last in functions', async () => {
    const seen: unknown[] = [];
    const note =
      (name: string) =>
      (...args: unknown[]) =>
        void seen.push([name, ...args.slice(0, -1), (args.at(-1) as StubModel).name]);
    const names = [
      ['onTrainBegin'],
      ['onEpochBegin', 0],
      ['onTrainBatchBegin', 0],
      ['onTestBegin'],
      ['onTestBatchBegin', 0],
      ['onTestEnd'],
      ['onEpochEnd', 0],
      ['onTrainEnd'],
      ['onPredictBegin'],
      ['onPredictBatchBegin', 0],
      ['onPredictBatchEnd', 0],
      ['onPredictEnd'],
    ] as const;
    const list = listOf(Object.fromEntries(names.map(([name]) => [name, note(name)])) as never);
    for (const [name, ...args] of names)
      await (list as never as Record<string, (...a: unknown[]) => unknown>)[name]?.(...args, {});
    expect(seen).toEqual(names.map((args) => [...args, {}, 'stub']));
  });

  test('see what callbacks before them added to the logs', async () => {
    const adding = {
      onEpochEnd: (_: number, logs: Logs) => {
        logs.extra = 7;
      },
    };
    const list = listOf(adding as never, {
      addHistory: true,
    });
    await list.onEpochEnd(0, { loss: 1 });
    expect(list.history?.history).toEqual({ loss: [1], extra: [7] });
  });
});

describe('logs of batches', () => {
  test('are not read unless needed', async () => {
    const { state, read } = reader([{ loss: 1 }]);
    class Silent extends Callback {
      given: Logs[] = [];
      override onTrainBatchEnd(_: number, logs: Logs): void {
        this.given.push(logs);
      }
    }
    const silent = new Silent();
    const list = listOf([silent] as never);
    for (let batch = 0; batch < 3; batch++) await list.onTrainBatchEnd(batch, read);
    expect(state.reads).toBe(0);
    expect(silent.given).toEqual([{}, {}, {}]);
  });

  test('are read once per batch for all callbacks that need those of the batch', async () => {
    const { state, read } = reader([{ loss: 1 }, { loss: 2 }]);
    const seen: Logs[] = [];
    const hook = { onTrainBatchEnd: (_: number, logs: Logs) => void seen.push({ ...logs }) };
    const list = listOf([hook, hook, { ...hook, readsBatchLogs: false }] as never);
    await list.onTrainBatchEnd(0, read);
    await list.onTrainBatchEnd(1, read);
    expect(state.reads).toBe(2);
    expect(seen).toEqual([{ loss: 1 }, { loss: 1 }, {}, { loss: 2 }, { loss: 2 }, {}]);
  });

  test('arrive later for callbacks that use the latest; training does not wait', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    let arrive = (_: Logs) => {};
    let reads = 0;
    const read = () => {
      reads++;
      return new Promise<Logs>((resolve) => {
        arrive = resolve;
      });
    };
    const seen: Logs[] = [];
    const list = listOf({
      readsBatchLogs: 'latest',
      onTrainBatchEnd: (_: number, logs: Logs) => void seen.push(logs),
    } as never);
    await list.onTrainBegin();
    await list.onEpochBegin(0);
    expect(list.onTrainBatchEnd(0, read)).toBeUndefined();
    list.onTrainBatchEnd(1, read);
    expect(reads).toBe(1);
    arrive({ loss: 5 });
    await later();
    list.onTrainBatchEnd(2, read);
    expect(reads).toBe(1); // Too soon for another.
    expect(seen).toEqual([{}, {}, { loss: 5 }]);
    vi.advanceTimersByTime(110);
    list.onTrainBatchEnd(3, read);
    expect(reads).toBe(2);
    let ended = false;
    const end = Promise.resolve(list.onEpochEnd(0, {})).then(() => {
      ended = true;
    });
    await later();
    expect(ended).toBe(false); // The epoch's end waits for the pending readback.
    arrive({ loss: 4 });
    await end;
  });

  test('that fail to arrive are reported at the end of the epoch', async () => {
    const list = listOf({ readsBatchLogs: 'latest', onTrainBatchEnd: () => {} } as never);
    list.onTrainBatchEnd(0, () => Promise.reject(new Error('lost')));
    await later();
    expect(() => list.onEpochEnd(0, {})).toThrow('lost');
  });
});

test('History and the progress bar are added once, if requested', () => {
  const verbose = { params: { ...params, verbose: 1 } };
  const kinds = (list: CallbackList) => list.callbacks.map((callback) => callback.constructor.name);
  expect(kinds(listOf(null as never))).toEqual([]);
  expect(kinds(listOf(null as never, { addHistory: true, addProgress: true }))).toEqual(['History']);
  expect(kinds(listOf([] as never, { addHistory: true, addProgress: true, ...verbose }))).toEqual([
    'History',
    'ProgressBar',
  ]);
  const own = [new ProgressBar({ write: () => {} }), new History()];
  const list = listOf(own as never, { addHistory: true, addProgress: true, ...verbose });
  expect(list.callbacks).toEqual(own);
  expect(list.history).toBe(own[1]);
});

test('a class that sets readsBatchLogs for itself instead of for its callbacks is refused', () => {
  class Reading extends Callback {
    static readsBatchLogs = true;
  }
  expect(() => listOf(new Reading() as never)).toThrow(/without `static`/);
});

test('a callback outside of a run has no model', () => {
  const callback = lambdaCallback({});
  expect(() => callback.model).toThrow(ValueError);
  expect(() => callback.params).toThrow(ValueError);
});

test.each([
  ['a number', 3],
  ['a hook that is none', { onEpochFinish: () => {} }],
  ['a hook that is no function', { onEpochEnd: 3 }],
  ['logs read in a way that is none', { readsBatchLogs: 'often' }],
])('%s is no callback', (_, given) => {
  expect(() => listOf([given] as never)).toThrow(ValueError);
});
