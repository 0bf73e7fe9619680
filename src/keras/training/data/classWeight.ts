/** @file Class weights, converted to the sample weights of each batch. */
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';
import { formatSpec } from '../../../core/spec.ts';
import { argMax } from '../../../ops/reductions/argExtrema.ts';
import { gather } from '../../../ops/indexing/gather.ts';
import { round } from '../../../ops/elementwise/rounding.ts';
import { squeeze } from '../../../ops/arrangement/expandDims.ts';
import { toIndices } from '../../../ops/indexing/toIndices.ts';
import { tensor } from '../../../tensor/create.ts';
import { keep, tidy } from '../../../tensor/scope.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { leavesOf } from '../../tensorNest.ts';
import type { AnyBatch } from '../batch.ts';
import { isRecord } from '../perOutput.ts';
import type { Slots } from './slots.ts';

/** Weights by class number. Default for missing classes: 1. */
export type ClassWeight = Readonly<Record<number, number>>;

/** Limit of class numbers, because the weights are stored in a dense table. */
const maxClasses = 2 ** 20;

export class ClassWeights {
  readonly #weights: Tensor;

  /** Errors: ValueError for invalid class numbers, those that no output has, and weights that are negative or not numbers. */
  constructor(
    private readonly op: string,
    given: ClassWeight,
    outputs: Slots['outputs'] = null,
  ) {
    const classes = requireClasses(op, given);
    requireOutputs(op, classes, outputs);
    const table = new Float32Array(Math.max(-1, ...classes) + 1).fill(1);
    for (const label of classes) table[label] = given[label] as number;
    this.#weights = keep(tensor(table));
  }

  /**
   * Sample weights for the targets of `batch`, class numbers or one-hot rows. The caller frees them.
   * Errors: ValueError for several outputs, or if there are other sample weights; ShapeError for targets per step.
   */
  of({ y, sampleWeight }: AnyBatch): Tensor {
    if (sampleWeight !== null) {
      throw this.#invalid('sampleWeight with it', 'multiply the class weights into the sample weights.');
    }
    const targets = y === null ? [] : leavesOf<Tensor>(y);
    const [labels] = targets;
    if (targets.length === 1 && labels) return keep(this.#weightsOf(labels));
    throw this.#invalid(`${targets.length} arrays of targets`, 'pass sampleWeight by output.');
  }

  dispose(): void {
    this.#weights.dispose();
  }

  #weightsOf(y: Tensor): Tensor {
    if (y.shape.length > 2) {
      throw new ShapeError({
        op: this.op,
        rule: 'classWeight takes one class for each sample: targets [batch], [batch, 1] or one-hot [batch, classes].',
        received: formatSpec(y),
        hint: 'pass sampleWeight with a weight for each step.',
      });
    }
    return tidy(() => gather(this.#weights, toIndices(classesOf(y)), { mode: 'fill', fillValue: 1 }));
  }

  #invalid(received: string, hint: string): ValueError {
    return new ValueError({
      op: this.op,
      rule: 'classWeight needs a model with one output, and cannot be combined with sample weights.',
      received,
      hint,
    });
  }
}

function classesOf(y: Tensor): Tensor {
  if (y.shape.length < 2) return y.dtype === 'float32' ? round(y) : y;
  return y.shape[1] === 1 ? classesOf(squeeze(y, { axis: 1 })) : argMax(y, { axis: 1 });
}

function requireClasses(op: string, given: unknown): number[] {
  const classes = isRecord(given) ? Object.keys(given).map(Number) : [];
  const valid =
    isRecord(given) &&
    classes.every((label) => Number.isInteger(label) && label >= 0 && label < maxClasses) &&
    Object.values(given).every(
      (weight) => typeof weight === 'number' && Number.isFinite(weight) && weight >= 0,
    );
  if (valid && classes.length > 0) return classes;
  throw new ValueError({
    op,
    rule: '`classWeight` is a record of class numbers, with a weight of at least 0 for each.',
    received: `classWeight: ${describe(given)}`,
    hint: 'pass { 0: 1, 1: 5 }; the default for missing classes is 1.',
  });
}

/** Throws for a class that a model of `outputs` doesn't have, such as the last one of classes counted from 1. */
function requireOutputs(op: string, classes: readonly number[], outputs: Slots['outputs']): void {
  const [output] = outputs?.length === 1 ? outputs : [];
  const count = output?.shape.length === 2 ? (output.shape[1] ?? 1) : 1;
  // A single output value may encode any number of classes.
  const unknown = count === 1 ? [] : classes.filter((label) => label >= count);
  if (unknown.length === 0) return;
  throw new ValueError({
    op,
    rule: `the classes of output '${output?.name}' are 0 to ${count - 1}.`,
    received: `classWeight for ${unknown.length === 1 ? 'class' : 'classes'} ${unknown.join(', ')}`,
    hint: 'number the classes from 0, and leave out those that the model lacks.',
  });
}
