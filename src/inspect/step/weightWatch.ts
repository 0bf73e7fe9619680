/** @file WeightWatch: compares the values of weights before and after a step. */
import { mul, sub } from '../../ops/elementwise/arithmetic.ts';
import { sum } from '../../ops/reductions/sum.ts';
import { isFloating } from '../../core/dtype.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { type Storage, wholeWords } from '../../webgpu/storage.ts';
import type { UnobservedWork } from './unobserved.ts';
import type { PendingStatistics, StatisticsCollector } from './valueStatistics.ts';

export interface WatchedWeight {
  readonly variable: Variable;
  readonly before: PendingStatistics;
  /** Its values before the step; null if there was no room for a copy. */
  copy: Storage | null;
  /** Its last gradient; null if there was none, or no room for a copy. */
  gradient: Storage | null;
  update: PendingStatistics | null;
  /** The gradient times the update, summed: one number. */
  expectedChange: PendingStatistics | null;
}

/** Limit of the bytes of weights and gradients that are copied to see what a step changes. */
const maxCopied = 2 ** 28;

export class WeightWatch {
  readonly #watched = new Map<Variable, WatchedWeight>();
  #copied = 0;

  constructor(
    private readonly unobserved: UnobservedWork,
    private readonly statistics: StatisticsCollector,
  ) {}

  get watched(): readonly WatchedWeight[] {
    return [...this.#watched.values()];
  }

  /** Saves the current values of `variable`. */
  watch(variable: Variable): void {
    if (this.#watched.has(variable) || variable.disposed || !isFloating(variable.dtype)) return;
    const before = this.unobserved.run(() => this.statistics.of(variable, { isMutable: true }));
    const copy = variable.trainable ? this.#copyOf(variable) : null;
    this.#watched.set(variable, {
      variable,
      before,
      copy,
      gradient: null,
      update: null,
      expectedChange: null,
    });
  }

  /** Retains the last gradient of `variable`, which its optimizer may free. */
  noteGradient(variable: Variable, gradient: Tensor): void {
    const weight = this.#watched.get(variable);
    if (!weight?.copy || gradient.disposed || gradient.size !== variable.size) return;
    const known = weight.gradient;
    if (known && gradient.dtype === 'float32') {
      gradient.device.eager.copy(gradient.storage, known, wholeWords(gradient.bytes));
      return;
    }
    weight.gradient = this.#copyOf(gradient);
  }

  #copyOf(tensor: Tensor): Storage | null {
    const bytes = wholeWords(tensor.bytes);
    if (tensor.dtype !== 'float32' || this.#copied + bytes > maxCopied) return null;
    this.#copied += bytes;
    const { eager } = tensor.device;
    const copy = eager.allocate(bytes, 'step inspector');
    eager.copy(tensor.storage, copy, bytes);
    return copy;
  }

  /** Compares with the current values of the weights. */
  compare(): void {
    for (const weight of this.watched) {
      const { variable, copy, gradient } = weight;
      if (!copy || variable.disposed) continue;
      weight.copy = null;
      weight.gradient = null;
      const { device, shape, dtype } = variable;
      const tensorOf = (storage: Storage) =>
        new Tensor(device, storage, { shape, dtype }, { kind: 'fresh', by: 'inspect' });
      this.unobserved.run(() => {
        const before = tensorOf(copy);
        const update = sub(variable, before);
        weight.update = this.statistics.of(update);
        before.dispose();
        if (!gradient) return;
        const derivative = tensorOf(gradient);
        weight.expectedChange = this.statistics.of(sum(mul(update, derivative)));
        derivative.dispose();
      });
    }
  }

  dispose(): void {
    for (const weight of this.watched) {
      weight.copy?.release();
      weight.copy = null;
      weight.gradient?.release();
      weight.gradient = null;
    }
  }
}
