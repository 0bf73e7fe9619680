/** @file The training state of a model, and what was asked of it before training was loaded: that runs first, in order. */
import type * as training from '../training/index.ts';
import { loadedTraining, loadTraining, requireTraining, type Training } from '../training/lazyTraining.ts';

export class PendingTraining {
  readonly #model: training.TrainableModel;
  #trainer: training.Trainer | null = null;
  /** What was called before training was loaded, except `compile`. */
  readonly #waiting: ((training: Training) => void)[] = [];
  /** Options of a `compile` that was called before training was loaded. */
  #options: training.CompileOptions | null = null;

  constructor(model: training.TrainableModel) {
    this.#model = model;
  }

  /** The state, if there is one already. What waits for training hasn't changed it. */
  get made(): training.Trainer | null {
    return this.#trainer;
  }

  /** The options of the last `compile`; null before. */
  get options(): training.CompileOptions | null {
    return this.#options ?? this.#trainer?.compiled?.options ?? null;
  }

  /** Whether a `compile` waits for training. */
  get isCompiling(): boolean {
    return this.#options !== null;
  }

  /** The state, after what waited. Errors: ValueError if training isn't loaded yet; those of what waited. */
  require(op: string): training.Trainer {
    return this.#after(requireTraining(op));
  }

  /** Runs `body` once training is loaded; immediately if it is. */
  async whenLoaded<T>(body: (training: Training, model: training.TrainableModel) => Promise<T>): Promise<T> {
    const training = loadedTraining() ?? (await loadTraining());
    this.#after(training);
    return body(training, this.#model);
  }

  /** Runs `body` now, or before anything else once training is loaded. */
  inOrder(body: (training: Training) => void): Promise<void> {
    const training = loadedTraining();
    if (!training) {
      this.#waiting.push(body);
      return this.whenLoaded(async () => {});
    }
    body(training);
    return Promise.resolve();
  }

  /** Compiles now, or once training is loaded. */
  compile(options: training.CompileOptions): Promise<void> {
    const training = loadedTraining();
    this.#options = training ? null : options;
    if (!training) return this.whenLoaded(async () => {});
    this.#after(training).compile(options);
    return Promise.resolve();
  }

  /** Drops a `compile` that waits, and frees the state. */
  dispose(): void {
    this.#options = null;
    this.#trainer?.dispose();
  }

  #after(training: Training): training.Trainer {
    this.#trainer ??= new training.Trainer(this.#model);
    for (const run of this.#waiting.splice(0)) run(training);
    const options = this.#options;
    if (options) {
      this.#trainer.compile(options);
      this.#options = null;
    }
    return this.#trainer;
  }
}
