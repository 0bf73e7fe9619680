/** @file PageProgress: shows the progress of a run in an element of a page. */
import { describe } from '../../core/shape.ts';
import { requireNumber } from '../losses/lossChecks.ts';
import { Callback, type Logs } from './callback.ts';
import { byPosition, checkOptions } from '../../core/options.ts';
import { invalid } from './callbackOptions.ts';
import { Clock, formatPace, formatRest, formatValue } from './progress.ts';

export interface PageProgressOptions {
  /** The element to fill with a bar and a line of text. Its content is replaced. */
  element: Element;
  /** Milliseconds between two updates, at least. Default 100. */
  interval?: number;
  /** The time in milliseconds. */
  now?: () => number;
}

/**
 * Fills `element` with a `<progress>` and an `<output>`, which screen readers read out once it changes, and updates both
 * in place. Validation and `predict` are shown as they run.
 */
export class PageProgress extends Callback {
  override readonly readsBatchLogs = 'latest';
  readonly #bar: HTMLProgressElement;
  readonly #text: HTMLOutputElement;
  readonly #interval: number;
  readonly #now: () => number;
  #clock: Clock;
  #updated = Number.NEGATIVE_INFINITY;
  #epoch: number | null = null;
  #done = 0;

  /** Errors: ValueError for options. */
  constructor(options: PageProgressOptions) {
    super();
    const op = 'pageProgress';
    checkOptions(op, options, ['element', 'interval', 'now']);
    const { element, interval = 100, now = () => performance.now() } = options;
    if (typeof element?.replaceChildren !== 'function') {
      throw invalid(
        op,
        '`element` is an element of the page.',
        `element: ${describe(element)}`,
        "pass document.querySelector('#progress'), once the page has it.",
      );
    }
    requireNumber(op, 'interval', interval, { min: 0 });
    this.#interval = interval;
    this.#now = now;
    this.#clock = new Clock(now);
    const page = element.ownerDocument;
    this.#bar = page.createElement('progress');
    this.#text = page.createElement('output');
    element.replaceChildren(this.#bar, this.#text);
  }

  override onTrainBegin(): void {
    this.#epoch = 0;
  }

  override onEpochBegin(epoch: number): void {
    this.#epoch = epoch;
    this.#begin();
  }

  override onTrainBatchEnd(batch: number, logs: Logs): void {
    this.#update(batch + 1, logs);
  }

  override onEpochEnd(_epoch: number, logs: Logs): void {
    this.#show(logs, true);
  }

  override onTestBegin(): void {
    if (this.#epoch === null) this.#begin();
  }

  override onTestBatchEnd(batch: number, logs: Logs): void {
    if (this.#epoch === null) this.#update(batch + 1, logs);
  }

  override onTestEnd(logs: Logs): void {
    if (this.#epoch === null) this.#show(logs, true);
  }

  override onPredictBegin(): void {
    this.#begin();
  }

  override onPredictBatchEnd(batch: number): void {
    this.#update(batch + 1, {});
  }

  override onPredictEnd(): void {
    this.#show({}, true);
  }

  override release(): void {
    this.#epoch = null;
  }

  #begin(): void {
    this.#clock = new Clock(this.#now);
    this.#updated = Number.NEGATIVE_INFINITY;
    this.#done = 0;
    this.#show({}, false);
  }

  #update(done: number, logs: Logs): void {
    this.#done = done;
    this.#clock.pace(done);
    const now = this.#now();
    if (now - this.#updated < this.#interval) return;
    this.#updated = now;
    this.#show(logs, false);
  }

  #show(logs: Logs, isDone: boolean): void {
    const { epochs, steps } = this.params;
    const target = isDone ? (steps ?? this.#done) : steps;
    const done = isDone ? (target as number) : this.#done;
    if (target === null) this.#bar.removeAttribute('value');
    else {
      this.#bar.max = Math.max(1, target);
      this.#bar.value = done;
    }
    const pace = this.#clock.pace(done);
    const rest = target !== null && !isDone && done > 0 ? [`${formatRest(pace * (target - done))} left`] : [];
    this.#text.value = [
      ...(this.#epoch === null || epochs === 1 ? [] : [`Epoch ${this.#epoch + 1}/${epochs}`]),
      `${done}/${target ?? '?'}`,
      ...(done > 0 ? [formatPace(pace)] : []),
      ...rest,
      ...Object.entries(logs).map(([name, value]) => `${name} ${formatValue(value)}`),
    ].join(' · ');
  }
}

/** Shows the progress of a run in an element of a page: `pageProgress({ element })`. */
export function pageProgress(options: PageProgressOptions | Element): PageProgress;
export function pageProgress(...args: unknown[]): PageProgress {
  return new PageProgress(byPosition('pageProgress', args, ['element']) as never);
}
