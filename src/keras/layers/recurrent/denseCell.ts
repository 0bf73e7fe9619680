/**
 * @file DenseCell: what the cells of SimpleRNN, GRU and LSTM share. Each has a number of gates, computed from the inputs by
 * `kernel` and from the state by `recurrent_kernel`.
 */
import { ShapeError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import { mul } from '../../../ops/elementwise/arithmetic.ts';
import { expandDims, squeeze } from '../../../ops/arrangement/expandDims.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { ActivationLike } from '../../activations.ts';
import type { Steps } from './cell.ts';
import {
  type BiasSpec,
  RecurrentCell,
  type RecurrentCellOptions,
  recurrentCellTable,
} from './recurrentCell.ts';
import { activation, type CallOptions, integer } from '../base/declare.ts';

export interface DenseCellOptions extends RecurrentCellOptions {
  /** Size of the state and of the output. */
  units: number;
}

/** The table of these options. */
export const denseCellTable = () => ({ units: integer(), ...recurrentCellTable() });

export interface GatedCellOptions extends DenseCellOptions {
  /** Activation of the gates. Default 'sigmoid'; null for none. */
  recurrentActivation?: ActivationLike | null;
}

/** The table of these options. */
export const gatedCellTable = () => ({ ...denseCellTable(), recurrentActivation: activation('sigmoid') });

/** Dropout factors for a run over a sequence: [batch, features] and [batch, units], or null. */
interface Noise {
  inputs: Tensor | null;
  state: Tensor | null;
}

export abstract class DenseCell extends RecurrentCell {
  /** Blocks of `units` columns in the kernels. */
  protected abstract readonly gates: number;
  declare readonly units: number;

  get stateSize(): number | readonly number[] {
    return this.units;
  }

  protected biasOf(): BiasSpec {
    return { shape: [this.gates * this.units], initializer: this.weightRules('bias').initializer };
  }

  /** The functions of a step, given that noise. */
  protected abstract stepsWith(noise: { state: Tensor | null }): Omit<Steps, 'project'>;

  /** The inputs' part of the gates: [..., features] → [..., gates · units]. */
  protected abstract projected(x: Tensor): Tensor;

  override build([x]: readonly OpenShape[]): void {
    const features = Array.isArray(x) ? (x.at(-1) ?? null) : null;
    if (x?.length !== 2 || features === null) {
      throw new ShapeError({
        op: this.name,
        rule: 'its inputs are [batch, features] at each time, and the number of features is known.',
        received: describe(x),
        hint: 'give it, as in input({ shape: [null, 8] }).',
      });
    }
    const width = this.gates * this.units;
    this.addWeights([features, width], [this.units, width], this.biasOf());
  }

  override steps(batchSize: number, options: CallOptions): Steps {
    const noise = this.#noise(batchSize, options);
    return {
      project: (x) => this.projected(noise.inputs ? mul(x, overTime(noise.inputs, x.rank)) : x),
      ...this.stepsWith(noise),
    };
  }

  #noise(batchSize: number, options: CallOptions): Noise {
    const features = this.kernel?.shape[0] as number;
    return {
      inputs: this.draw([batchSize, features], this.dropout, options),
      state: this.draw([batchSize, this.units], this.recurrentDropout, options),
    };
  }
}

/** `state` with some of it cleared. */
export function cleared(state: Tensor, noise: Tensor | null): Tensor {
  return noise ? mul(state, noise) : state;
}

/** [batch, width] as a sequence of one step. */
export function oneStep(x: Tensor): Tensor {
  return expandDims(x, { axis: 1 });
}

/** The one step of a sequence [batch, 1, width]. */
export function onlyStep(x: Tensor): Tensor {
  return squeeze(x, { axis: 1 });
}

/** [batch, features], reshaped to broadcast over [batch, features] or [batch, time, features]. */
function overTime(noise: Tensor, rank: number): Tensor {
  return rank === 3 ? oneStep(noise) : noise;
}
