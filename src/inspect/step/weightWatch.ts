/** @file WeightWatch: compares the values of weights before and after a step. */
import { sub } from '../../ops/arithmetic.ts';
import { isFloating } from '../../core/dtype.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { type Storage, wholeWords } from '../../webgpu/storage.ts';
import type { Unseen } from './unseen.ts';
import type { PendingStatistics, StatisticsCollector } from './valueStatistics.ts';

export interface WatchedWeight {
  readonly variable: Variable;
  readonly before: PendingStatistics;
  /** Its values before the step; null if there was no room for a copy. */
  copy: Storage | null;
  update: PendingStatistics | null;
}

/** Limit of the bytes of weights that are copied to see what a step changes. */
const mostCopied = 2 ** 28;

export class WeightWatch {
  readonly #watched = new Map<Variable, WatchedWeight>();
  #copied = 0;

  constructor(
    private readonly unseen: Unseen,
    private readonly statistics: StatisticsCollector,
  ) {}

  get watched(): readonly WatchedWeight[] {
    return [...this.#watched.values()];
  }

  /** Saves the current values of `variable`. */
  add(variable: Variable): void {
    if (this.#watched.has(variable) || variable.disposed || !isFloating(variable.dtype)) return;
    const before = this.unseen.run(() => this.statistics.of(variable, { isMutable: true }));
    this.#watched.set(variable, { variable, before, copy: this.#copyOf(variable), update: null });
  }

  #copyOf(variable: Variable): Storage | null {
    const bytes = wholeWords(variable.bytes);
    if (!variable.trainable || variable.dtype !== 'float32' || this.#copied + bytes > mostCopied) return null;
    this.#copied += bytes;
    const { eager } = variable.device;
    const copy = eager.allocate(bytes, 'step inspector');
    eager.copy(variable.storage, copy, bytes);
    return copy;
  }

  /** Compares with the current values of the weights. */
  compare(): void {
    for (const weight of this.watched) {
      const { variable, copy } = weight;
      if (!copy || variable.disposed) continue;
      weight.copy = null;
      const { device, shape, dtype } = variable;
      weight.update = this.unseen.run(() => {
        const before = new Tensor(device, copy, { shape, dtype }, { kind: 'fresh', by: 'inspect' });
        const update = this.statistics.of(sub(variable, before));
        before.dispose();
        return update;
      });
    }
  }

  dispose(): void {
    for (const weight of this.watched) {
      weight.copy?.release();
      weight.copy = null;
    }
  }
}
