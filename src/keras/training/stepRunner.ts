/** @file StepRunner: calls one of a model's steps, captured and replayed unless the model runs eagerly. */
import { type CompiledFunction, compile } from '../../autodiff/compile.ts';
import { activeRecorders, withRecorders } from '../../ops/recorders.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { leavesOf, type Nest } from '../tensorNest.ts';
import type { AnyBatch } from './batch.ts';
import { CreationWatch } from './creationWatch.ts';

type StepResult = Nest<Tensor> | undefined;

/** What a runner needs of its model. */
export interface StepModel {
  readonly trainableWeights: readonly Variable[];
  /** Releases the losses that the last call added. */
  clearLosses(): void;
}

export interface StepRunnerOptions<R> {
  /** Names the step in reports. */
  readonly name: string;
  readonly step: (batch: AnyBatch) => R;
  /** Whether to run the step eagerly instead of capturing it. */
  readonly isEager: () => boolean;
  /** Creates, before a capture, what the step would otherwise have to create. */
  readonly prepare?: () => void;
}

/** Runs the train, test or predict step of a model. */
export class StepRunner<R extends StepResult> {
  #captured: CompiledFunction<[batch: AnyBatch], R> | null = null;
  /** The trainable weights at the time of the capture. */
  #trained: readonly Variable[] = [];
  readonly #creation: CreationWatch;

  constructor(
    private readonly model: StepModel,
    private readonly options: StepRunnerOptions<R>,
  ) {
    this.#creation = new CreationWatch(options.name);
  }

  /** Runs the step. The tensors that it returns are the caller's to free. */
  run(batch: AnyBatch): R {
    const made = this.options.isEager() ? tidy(() => this.#step(batch)) : this.#compiled()(batch);
    if (made !== undefined) for (const tensor of leavesOf<Tensor>(made)) keep(tensor);
    return made;
  }

  /** Drops the capture if other weights are trainable now. Visits the whole model, so don't call it at every step. */
  refresh(): void {
    const { trainableWeights: now } = this.model;
    const before = this.#trained;
    if (now.length !== before.length || now.some((weight, i) => weight !== before[i])) this.dispose();
  }

  /** Frees the captures; the next run captures again. */
  dispose(): void {
    this.#captured?.dispose();
    this.#captured = null;
  }

  #step(batch: AnyBatch): R {
    try {
      // A tape that a failing step leaves open ends with the step.
      const step = () => withRecorders(activeRecorders(), () => this.options.step(batch));
      return this.#creation.run(step);
    } finally {
      // Losses added by layers hold intermediate tensors until they are cleared.
      this.model.clearLosses();
    }
  }

  #compiled(): CompiledFunction<[batch: AnyBatch], R> {
    if (this.#captured) return this.#captured;
    this.#trained = this.model.trainableWeights;
    this.options.prepare?.();
    this.#captured = compile((batch: AnyBatch) => this.#step(batch), { name: this.options.name });
    return this.#captured;
  }
}
