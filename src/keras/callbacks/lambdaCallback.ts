/** @file LambdaCallback: a callback of functions. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { misspeltName } from '../../core/suggest.ts';
import { Callback, type CallbackModel } from './callback.ts';

export const hookNames = [
  'onTrainBegin',
  'onTrainEnd',
  'onEpochBegin',
  'onEpochEnd',
  'onTrainBatchBegin',
  'onTrainBatchEnd',
  'aroundTrainStep',
  'onTestBegin',
  'onTestEnd',
  'onTestBatchBegin',
  'onTestBatchEnd',
  'onPredictBegin',
  'onPredictEnd',
  'onPredictBatchBegin',
  'onPredictBatchEnd',
] as const;

export type HookName = (typeof hookNames)[number];

/** Any of the hooks of a callback, as functions; the model comes last. */
export type Hooks = {
  [Name in HookName]?: (
    ...args: [...Parameters<Callback[Name]>, model: CallbackModel]
  ) => void | Promise<void>;
} & { readsBatchLogs?: boolean | 'latest' };

export class LambdaCallback extends Callback {
  override readonly readsBatchLogs: boolean | 'latest';

  /** Errors: ValueError for anything but a hook. */
  constructor(hooks: Hooks) {
    super();
    requireHooks(hooks);
    const { readsBatchLogs, ...functions } = hooks;
    // A function called at the end of batches needs their logs.
    this.readsBatchLogs = readsBatchLogs ?? Boolean(hooks.onTrainBatchEnd ?? hooks.onTestBatchEnd);
    for (const [name, fn] of Object.entries(functions)) {
      const call = fn as (...args: unknown[]) => void | Promise<void>;
      Object.defineProperty(this, name, { value: (...args: unknown[]) => call(...args, this.model) });
    }
  }
}

/** A callback of functions: `lambdaCallback({ onEpochEnd: (epoch, logs) => … })`. */
export function lambdaCallback(hooks: Hooks): LambdaCallback {
  return new LambdaCallback(hooks);
}

function requireHooks(hooks: unknown): void {
  const isRecord = typeof hooks === 'object' && hooks !== null && !Array.isArray(hooks);
  const wrong = isRecord ? Object.entries(hooks).filter(([name, value]) => !isHook(name, value)) : [];
  if (isRecord && wrong.length === 0) return;
  throw new ValueError({
    op: 'lambdaCallback',
    rule: `hooks are functions by the names ${hookNames.join(', ')}.`,
    received: isRecord
      ? wrong.map(([name, value]) => `${name}: ${describe(value)}`).join(', ')
      : describe(hooks),
    hint: 'pass { onEpochEnd: (epoch, logs) => … }.',
  });
}

function isHook(name: string, value: unknown): boolean {
  if (value === undefined) return true;
  if (name === 'readsBatchLogs') return typeof value === 'boolean' || value === 'latest';
  return (hookNames as readonly string[]).includes(name) && typeof value === 'function';
}

/** `callback`, whose methods include no hook by another name: nothing would call it. Errors: ValueError. */
export function withHooks(callback: Callback): Callback {
  let prototype: object = Object.getPrototypeOf(callback);
  for (; prototype !== Callback.prototype; prototype = Object.getPrototypeOf(prototype)) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      if (!/^(on|around)[A-Z_]/.test(name) || isHook(name, () => {})) continue;
      const meant = misspeltName(name, hookNames);
      if (meant === undefined) continue;
      throw new ValueError({
        op: callback.constructor.name,
        rule: `hooks are methods by the names ${hookNames.join(', ')}.`,
        received: `a method ${name}`,
        hint: `did you mean '${meant}'?`,
      });
    }
  }
  return callback;
}
