/** @file Class weights: how much the samples of each class count, as sample weights of each batch. */
import { ShapeError, ValueError } from '../../../core/errors.ts';
import { describe } from '../../../core/shape.ts';
import { formatSpec } from '../../../core/spec.ts';
import { argMax } from '../../../ops/argExtrema.ts';
import { gather } from '../../../ops/gather.ts';
import { round } from '../../../ops/rounding.ts';
import { squeeze } from '../../../ops/squeeze.ts';
import { tensor } from '../../../tensor/create.ts';
import { keep, tidy } from '../../../tensor/scope.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import { leavesOf } from '../../nest.ts';
import { toIndices } from '../../../ops/toIndices.ts';
import type { Batch } from '../batch.ts';
import { isRecord } from '../byOutput.ts';

/** Weights by class number; classes that are left out count 1. */
export type ClassWeight = Readonly<Record<number, number>>;

/** Classes from here on are refused: the weights lie in a table. */
const maxClasses = 2 ** 20;

export class ClassWeights {
  readonly #weights: Tensor;

  /** Errors: ValueError for keys that are no classes, and for weights that are no numbers of at least 0. */
  constructor(
    private readonly op: string,
    given: ClassWeight,
  ) {
    const classes = requireClasses(op, given);
    const table = new Float32Array(Math.max(-1, ...classes) + 1).fill(1);
    for (const label of classes) table[label] = given[label] as number;
    this.#weights = keep(tensor(table));
  }

  /**
   * Sample weights for the targets of `batch`, class numbers or one-hot rows. The caller frees them.
   * Errors: ValueError for several outputs, and beside other sample weights; ShapeError for targets of steps.
   */
  of({ y, sampleWeight }: Batch): Tensor {
    if (sampleWeight !== null) {
      throw this.#refuse('sampleWeight beside it', 'multiply the class weights into the sample weights.');
    }
    const targets = y === null ? [] : leavesOf<Tensor>(y);
    const [labels] = targets;
    if (targets.length === 1 && labels) return keep(this.#weightsOf(labels));
    throw this.#refuse(`${targets.length} arrays of targets`, 'pass sampleWeight by output.');
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

  #refuse(received: string, hint: string): ValueError {
    return new ValueError({
      op: this.op,
      rule: 'classWeight serves a model with one output, and gives the sample weights itself.',
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
    hint: 'pass { 0: 1, 1: 5 }; classes that are left out count 1.',
  });
}
