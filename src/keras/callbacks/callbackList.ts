/** @file CallbackList: calls the hooks of many callbacks in order, and reads batch logs for callbacks that need them. */
import { runAll } from '../../core/cleanup.ts';
import { ValueError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/options.ts';
import { describe } from '../../core/shape.ts';
import {
  Callback,
  type CallbackModel,
  type HookResult,
  type Logs,
  type RunParams,
  type StepBatch,
} from './callback.ts';
import { History } from './history.ts';
import { type HookName, type Hooks, hookNames, LambdaCallback, withHooks } from './lambdaCallback.ts';
import { ProgressBar } from './progressBar.ts';

/** A callback, or an object with some of its hooks. A callback has all of them: a union would leave literals untyped. */
export type CallbackLike = Hooks;

/**
 * Starts to read the metrics as they are now: it submits its work before it first waits. Called at most once per batch, and
 * only if a callback needs the values.
 */
export type LogReader = () => Promise<Logs>;

/** Options of `CallbackList`. */
export interface CallbackListOptions {
  /** The model that the callbacks get. */
  model: CallbackModel;
  /** The parameters of the run for the callbacks: its epochs, steps and so on. */
  params: RunParams;
  /** Whether to add a History if there is none. Default false. */
  addHistory?: boolean;
  /** Whether to add a progress bar if there is none and `params.verbose` asks for one. Default false. */
  addProgress?: boolean;
}

/** Milliseconds between readbacks for callbacks that use the latest logs. */
const readingInterval = 100;

/** Callbacks that are called as one, for custom training loops. */
export class CallbackList {
  readonly callbacks: readonly Callback[];
  /** The model of the run. Callbacks hold it weakly. */
  readonly model: CallbackModel;
  /** The History among the callbacks, if there is one. */
  readonly history: History | null;
  /** Callbacks with `aroundTrainStep`. */
  readonly #around: readonly Callback[];
  /** The most recent batch logs that have arrived. */
  #latest: Logs = {};
  #reading: Promise<void> | null = null;
  #readAt = Number.NEGATIVE_INFINITY;
  /** The error of a readback that nothing awaited. */
  #failure: { error: unknown } | null = null;

  /** Errors: ValueError for anything but a callback. */
  constructor(
    given: CallbackLike | readonly CallbackLike[] | null | undefined,
    { model, params, addHistory = false, addProgress = false }: CallbackListOptions,
  ) {
    const callbacks = (Array.isArray(given) ? given : [given ?? []].flat()).map(callbackOf);
    const found = callbacks.find((callback) => callback instanceof History) ?? null;
    this.history = found ?? (addHistory ? new History() : null);
    if (this.history && !found) callbacks.push(this.history);
    const isShown = callbacks.some((callback) => callback instanceof ProgressBar);
    // Last, so that it shows what the others add to the logs.
    if (addProgress && params.verbose > 0 && !isShown) callbacks.push(new ProgressBar());
    this.callbacks = callbacks;
    this.#around = callbacks.filter(
      ({ aroundTrainStep }) => aroundTrainStep !== Callback.prototype.aroundTrainStep,
    );
    this.model = model;
    for (const callback of callbacks) {
      callback.setModel(model);
      callback.setParams(params);
    }
  }

  /** The epoch to resume at, from a callback that restored a run; null if there is none. */
  get initialEpoch(): number | null {
    const epochs = this.callbacks.map(({ initialEpoch }) => initialEpoch).filter((epoch) => epoch !== null);
    return epochs.length > 0 ? Math.max(...epochs) : null;
  }

  onTrainBegin(logs: Logs = {}): HookResult {
    for (const callback of this.callbacks) callback.initialEpoch = null;
    return this.#begin('onTrainBegin', logs);
  }

  onTrainEnd(logs: Logs = {}): HookResult {
    return this.#end('onTrainEnd', logs);
  }

  onEpochBegin(epoch: number, logs: Logs = {}): HookResult {
    this.#latest = {};
    return this.#call('onEpochBegin', epoch, logs);
  }

  /** Callbacks may add to `logs`; the callbacks after them see the additions. */
  onEpochEnd(epoch: number, logs: Logs): HookResult {
    return this.#end('onEpochEnd', epoch, logs);
  }

  onTrainBatchBegin(batch: number, logs: Logs = {}): HookResult {
    return this.#call('onTrainBatchBegin', batch, logs);
  }

  onTrainBatchEnd(batch: number, read: LogReader): HookResult {
    return this.#batchEnd('onTrainBatchEnd', batch, read);
  }

  /** Whether training steps are run by `aroundTrainStep`. */
  get runsSteps(): boolean {
    return this.#around.length > 0;
  }

  /** Runs a training step inside of `aroundTrainStep` of the callbacks, the first one outermost. */
  aroundTrainStep(batch: StepBatch, step: () => HookResult, read: LogReader): HookResult {
    const within = (i: number): HookResult => {
      const callback = this.#around[i];
      return callback ? callback.aroundTrainStep(batch, () => within(i + 1), read) : step();
    };
    return within(0);
  }

  onTestBegin(logs: Logs = {}): HookResult {
    return this.#begin('onTestBegin', logs);
  }

  onTestEnd(logs: Logs = {}): HookResult {
    return this.#end('onTestEnd', logs);
  }

  onTestBatchBegin(batch: number, logs: Logs = {}): HookResult {
    return this.#call('onTestBatchBegin', batch, logs);
  }

  onTestBatchEnd(batch: number, read: LogReader): HookResult {
    return this.#batchEnd('onTestBatchEnd', batch, read);
  }

  onPredictBegin(logs: Logs = {}): HookResult {
    return this.#call('onPredictBegin', logs);
  }

  onPredictEnd(logs: Logs = {}): HookResult {
    return this.#call('onPredictEnd', logs);
  }

  onPredictBatchBegin(batch: number, logs: Logs = {}): HookResult {
    return this.#call('onPredictBatchBegin', batch, logs);
  }

  onPredictBatchEnd(batch: number, logs: Logs = {}): HookResult {
    return this.#call('onPredictBatchEnd', batch, logs);
  }

  /** Called at the end of a run, even if it failed. */
  release(): void {
    runAll(this.callbacks.map((callback) => () => callback.release()));
  }

  #begin(hook: HookName, logs: Logs): HookResult {
    this.#latest = {};
    this.#readAt = Number.NEGATIVE_INFINITY;
    return this.#call(hook, logs);
  }

  /** Waits for a pending readback, which still belongs to the epoch or run that ends here. */
  #end(hook: HookName, ...args: unknown[]): HookResult {
    if (!this.#reading) return this.#afterReading(hook, args);
    return this.#reading.then(() => this.#afterReading(hook, args));
  }

  #afterReading(hook: HookName, args: unknown[]): HookResult {
    const failure = this.#failure;
    this.#failure = null;
    if (failure) throw failure.error;
    return this.#call(hook, ...args);
  }

  #batchEnd(hook: 'onTrainBatchEnd' | 'onTestBatchEnd', batch: number, read: LogReader): HookResult {
    const overriding = this.callbacks.filter((callback) => callback[hook] !== Callback.prototype[hook]);
    if (overriding.some(({ readsBatchLogs }) => readsBatchLogs === true)) {
      return read().then((logs) => {
        this.#latest = logs;
        return inTurn(overriding, (callback) => callback[hook](batch, callback.readsBatchLogs ? logs : {}));
      });
    }
    if (overriding.some(({ readsBatchLogs }) => readsBatchLogs === 'latest')) this.#readLatest(read);
    return inTurn(overriding, (callback) =>
      callback[hook](batch, callback.readsBatchLogs ? this.#latest : {}),
    );
  }

  /** Reads metrics occasionally, one readback at a time, without stopping training. */
  #readLatest(read: LogReader): void {
    const now = performance.now();
    if (this.#reading || now - this.#readAt < readingInterval) return;
    this.#readAt = now;
    this.#reading = read().then(
      (logs) => {
        this.#latest = logs;
        this.#reading = null;
      },
      (error: unknown) => {
        this.#failure = { error };
        this.#reading = null;
      },
    );
  }

  #call(hook: HookName, ...args: unknown[]): HookResult {
    return inTurn(this.callbacks, (callback) =>
      (callback[hook] as (...args: unknown[]) => HookResult).apply(callback, args),
    );
  }
}

/** Calls hooks one after the other, and waits only for async ones. */
function inTurn(callbacks: readonly Callback[], call: (callback: Callback) => HookResult): HookResult {
  for (const [i, callback] of callbacks.entries()) {
    const result = call(callback);
    if (result instanceof Promise) return result.then(() => inTurn(callbacks.slice(i + 1), call));
  }
}

function callbackOf(given: CallbackLike): Callback {
  if (given instanceof Callback) {
    if ('readsBatchLogs' in given.constructor) throw staticSetting(given.constructor.name);
    return withHooks(given);
  }
  if (isPlainObject(given) || ownsHooks(given)) return new LambdaCallback(given);
  throw new ValueError({
    op: 'callbacks',
    rule: 'a callback is a Callback, or an object of its hooks.',
    received: describe(given),
    hint: 'pass callbacks: [callbacks.earlyStopping({ patience: 3 })], or [{ onEpochEnd: (epoch, logs) => … }].',
  });
}

function staticSetting(name: string): ValueError {
  return new ValueError({
    op: name,
    rule: '`readsBatchLogs` belongs to a callback, not to its class.',
    received: 'static readsBatchLogs',
    hint: "write it without `static`: readonly readsBatchLogs = 'latest'.",
  });
}

/** Returns whether an object of a class has hooks as its own properties, such as a recording of steps. */
function ownsHooks(value: unknown): boolean {
  return typeof value === 'object' && value !== null && hookNames.some((name) => Object.hasOwn(value, name));
}
