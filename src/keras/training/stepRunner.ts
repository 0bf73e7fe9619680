/** @file StepRunner: calls one of a model's steps, captured and replayed unless the model runs eagerly. */
import { type CompiledFunction, compile } from '../../autodiff/compile.ts';
import { keep, tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';
import { leavesOf, mapNest, type Nest } from '../tensorNest.ts';
import type { Batch } from './batch.ts';
import type { TrainableModel } from './trainableModel.ts';

type Made = Nest<Tensor> | undefined;

/** The runners of training, evaluation and prediction are made by `runnerOf`. */
export class StepRunner<R extends Made> {
  #captured: CompiledFunction<[batch: Batch, structure: string], R> | null = null;
  /** The weights that were trained when the step was captured. */
  #trained: readonly Variable[] = [];

  constructor(
    private readonly model: TrainableModel,
    private readonly name: string,
    private readonly step: (batch: Batch) => R,
    /** Makes, before a step is captured, what the step would have to make. */
    private readonly prepare?: () => void,
  ) {}

  /** Runs the step. The tensors that it returns are the caller's to free. */
  run(batch: Batch): R {
    const made = this.model.trainer.compiled?.runEagerly
      ? tidy(() => this.#step(batch))
      : this.#compiled()(batch, structureOf(batch));
    if (made !== undefined) for (const tensor of leavesOf<Tensor>(made)) keep(tensor);
    return made;
  }

  /** Captures anew where other weights are trained than before. Walks the whole model: not for every step of a run. */
  refresh(): void {
    const { trainableWeights: now } = this.model;
    const before = this.#trained;
    if (now.length !== before.length || now.some((weight, i) => weight !== before[i])) this.dispose();
  }

  /** Frees what the captures hold; the next run captures anew. */
  dispose(): void {
    this.#captured?.dispose();
    this.#captured = null;
  }

  #step(batch: Batch): R {
    try {
      return this.step(batch);
    } finally {
      // The losses that layers added live until the next call, and with them what was computed for them.
      this.model.clearLosses();
    }
  }

  #compiled(): CompiledFunction<[batch: Batch, structure: string], R> {
    if (this.#captured) return this.#captured;
    this.#trained = this.model.trainableWeights;
    this.prepare?.();
    this.#captured = compile((batch: Batch) => this.#step(batch), { name: this.name });
    return this.#captured;
  }
}

/** The paths of a batch's tensors: batches of one structure run the same captured step. */
function structureOf({ x, y, sampleWeight }: Batch): string {
  const paths: string[] = [];
  for (const [name, nest] of Object.entries({ x, y, sampleWeight })) {
    if (nest !== null) mapNest(nest, (_, path) => paths.push(path), name);
  }
  return paths.join(' ');
}
