/** @file Monitor: a monitored value of the logs, and when it counts as improved. */
import { ValueError } from '../../core/errors.ts';
import { describe, requireOneOf } from '../../core/shape.ts';
import { requireNumber } from '../losses/lossChecks.ts';
import { suggestionFor } from '../../core/suggest.ts';
import { type CallbackModel, isList, type Logs, type RunParams } from './callback.ts';

export interface MonitorOptions {
  /** The name of the monitored value. Default 'val_loss'. */
  monitor?: string;
  /**
   * 'min' if lower is better, 'max' if higher is; 'auto', the default, uses the direction of the metric of that name, and
   * 'min' for losses.
   */
  mode?: 'auto' | 'min' | 'max';
  /** Smaller changes do not count as an improvement. */
  minDelta?: number;
}

export class Monitor {
  readonly name: string;
  /** The best value so far. */
  best: number | null = null;
  readonly #mode: 'auto' | 'min' | 'max';
  readonly #minDelta: number;
  #sign: 1 | -1 | null = null;

  /** Errors: ValueError for options. */
  constructor(
    private readonly op: string,
    { monitor = 'val_loss', mode = 'auto', minDelta = 0 }: MonitorOptions,
  ) {
    requireName(op, monitor);
    requireOneOf(op, 'mode', mode, ['auto', 'min', 'max']);
    requireNumber(op, 'minDelta', minDelta);
    this.name = monitor;
    this.#mode = mode;
    this.#minDelta = Math.abs(minDelta);
  }

  /** Discards the values so far. */
  reset(): void {
    this.best = null;
    this.#sign = null;
  }

  /**
   * Returns the value in `logs`; null in an epoch without validation, if it is a value of validation.
   * Errors: ValueError, which lists the available names, for a name that isn't in the logs and won't be later.
   */
  read(logs: Logs, params: RunParams): number | null {
    const value = logs[this.name];
    if (isList(value)) throw this.#severalValues(value);
    if (value !== undefined) return value;
    const isOfValidation = this.name.startsWith('val_');
    const isValidated = Object.keys(logs).some((name) => name.startsWith('val_'));
    if (isOfValidation && !isValidated && params.validation !== false) return null;
    const names = Object.keys(logs).map((name) => `'${name}'`);
    throw new ValueError({
      op: this.op,
      rule: '`monitor` is the name of a value in the logs of epochs.',
      received: `monitor: '${this.name}', logs with ${names.join(', ') || 'no values'}`,
      hint:
        isOfValidation && !isValidated
          ? 'pass validationData or validationSplit to fit, or watch a value of training.'
          : suggestionFor(
              this.name,
              Object.keys(logs).filter((name) => !isOfValidation || name.startsWith('val_')),
              'watch one of these, or add the metric to compile({ metrics }).',
            ),
    });
  }

  /** Returns whether `value` is better than `reference` by more than the minimum change. Any value is better than null. */
  improves(value: number, reference: number | null, model: CallbackModel): boolean {
    this.#sign ??= this.#direction(model);
    const worst = this.#sign > 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    const bar = reference ?? worst;
    // As float32, as in Keras: a change from 0.7 to 0.8 is not more than 0.1.
    const change = Math.fround(value - this.#sign * this.#minDelta) - Math.fround(bar);
    return this.#sign > 0 ? change > 0 : change < 0;
  }

  #severalValues(value: readonly number[]): ValueError {
    return new ValueError({
      op: this.op,
      rule: '`monitor` is the name of one value.',
      received: `monitor: '${this.name}', a list of ${value.length} values`,
      hint: 'add a metric with one result to compile({ metrics }).',
    });
  }

  /** 1 if higher is better, -1 if lower is. */
  #direction(model: CallbackModel): 1 | -1 {
    if (this.#mode !== 'auto') return this.#mode === 'max' ? 1 : -1;
    const name = this.name.replace(/^val_/, '');
    if (name === 'loss') return -1;
    const isOf = (metric: string) => name === metric || name.endsWith(`_${metric}`);
    const [metric] = model.metrics
      .filter((candidate) => isOf(candidate.name) && candidate.direction !== null)
      .sort((a, b) => b.name.length - a.name.length);
    if (metric) return metric.direction === 'up' ? 1 : -1;
    if (name.endsWith('_loss')) return -1;
    throw new ValueError({
      op: this.op,
      rule: "`mode` is 'min' or 'max' where the metric doesn't say which way is better.",
      received: `monitor: '${this.name}', mode: 'auto'`,
      hint: "pass mode: 'max' where more is better, mode: 'min' where less is.",
    });
  }
}

function requireName(op: string, monitor: unknown): void {
  if (typeof monitor === 'string' && monitor !== '') return;
  throw new ValueError({
    op,
    rule: '`monitor` is the name of a value in the logs of epochs.',
    received: `monitor: ${describe(monitor)}`,
    hint: "pass a name such as 'val_loss'.",
  });
}
