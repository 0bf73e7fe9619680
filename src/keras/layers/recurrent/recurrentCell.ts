/**
 * @file RecurrentCell: what cells with matmuls and cells with convolutions share: weights, their rules, and dropout.
 */
import type { BiasOptions, KernelOptions } from '../base/weightOptions.ts';
import type { Shape } from '../../../core/shape.ts';
import { ones, zeros } from '../../../ops/creation/creation.ts';
import { dropout } from '../../../ops/random/dropout.ts';
import type { SeedSequence } from '../../../ops/define/seeds.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import type { Activation, ActivationLike } from '../../activations.ts';
import type { ConstraintLike } from '../../constraints/index.ts';
import type { Initializer, InitializerLike } from '../../initializers/index.ts';
import type { RegularizerLike } from '../../regularizers/index.ts';
import { fraction, seeded, sequenceOf } from '../base/randomOptions.ts';
import { RNNCell, type Steps } from './cell.ts';
import { activation, type CallOptions, flag, type LayerOptions, weights } from '../base/declare.ts';

export interface RecurrentCellOptions extends LayerOptions, KernelOptions, BiasOptions {
  /** Activation of the new state. Default 'tanh'; null for none. */
  activation?: ActivationLike | null;
  /** Initial values of the recurrent kernel, which multiplies the state. Default 'orthogonal'. */
  recurrentInitializer?: InitializerLike;
  /** Penalty on the recurrent kernel. Default: none. */
  recurrentRegularizer?: RegularizerLike | null;
  /** Constraint applied to the recurrent kernel after each training step. Default: none. */
  recurrentConstraint?: ConstraintLike | null;
  /** Fraction of the inputs that is cleared in training, the same ones at all times. Default 0. */
  dropout?: number;
  /** Fraction of the state that is cleared in training before the recurrent kernel, the same values at all times. Default 0. */
  recurrentDropout?: number;
  /** Makes the dropout reproducible. Default: a new draw each time. */
  seed?: number | null;
}

/** The table of these options. */
export const recurrentCellTable = () => ({
  activation: activation('tanh'),
  useBias: flag(true),
  ...weights({ kernel: 'glorotUniform', recurrent: 'orthogonal', bias: 'zeros' }),
  dropout: fraction(0),
  recurrentDropout: fraction(0),
  seed: seeded(),
});

/** Shape of the bias, and its first values. */
export interface BiasSpec {
  shape: Shape;
  initializer: Initializer;
}

export abstract class RecurrentCell extends RNNCell {
  kernel: Variable | null = null;
  recurrentKernel: Variable | null = null;
  bias: Variable | null = null;
  declare readonly activation: Activation;
  declare readonly useBias: boolean;
  declare readonly dropout: number;
  declare readonly recurrentDropout: number;
  declare readonly seed: number | null;
  /** The position in its random sequence, which checkpoints store. */
  readonly seeds: SeedSequence | null = sequenceOf(this);

  /** @internal */
  override needsFloats(): boolean {
    return true;
  }

  /** Prepares a run over a sequence, with its dropout. */
  abstract override steps(batchSize: number, options: CallOptions): Steps;

  protected addWeights(kernel: Shape, recurrentKernel: Shape, bias: BiasSpec): void {
    this.kernel = this.addWeight('kernel', { shape: kernel, ...this.weightRules('kernel') });
    this.recurrentKernel = this.addWeight('recurrent_kernel', {
      shape: recurrentKernel,
      ...this.weightRules('recurrent'),
    });
    if (this.useBias) this.bias = this.addWeight('bias', { ...this.weightRules('bias'), ...bias });
  }

  /** Factors that clear `rate` of `shape` in training; null where nothing is cleared. */
  protected draw(shape: Shape, rate: number, { training = false }: CallOptions): Tensor | null {
    if (!training || rate === 0) return null;
    if (rate === 1) return zeros(shape);
    const seed = this.seeds?.draw();
    return dropout(ones(shape), seed === undefined ? { rate } : { rate, seed });
  }

  override call([x, ...states]: readonly Tensor[], options: CallOptions): readonly Tensor[] {
    const { project, take } = this.steps((x as Tensor).shape[0] as number, options);
    return take(project(x as Tensor), states);
  }
}
