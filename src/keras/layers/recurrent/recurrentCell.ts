/**
 * @file RecurrentCell: what cells with matmuls and cells with convolutions share: weights, their rules, and dropout.
 */
import type { OptionNames } from '../../../core/options.ts';
import { layerOptionNames } from '../base/layerOptions.ts';
import {
  biasOptionNames,
  type BiasOptions,
  kernelOptionNames,
  type KernelOptions,
} from '../base/weightOptions.ts';
import { requireBoolean, type Shape } from '../../../core/shape.ts';
import { ones, zeros } from '../../../ops/creation.ts';
import { dropout } from '../../../ops/dropout.ts';
import { SeedSequence } from '../../../ops/seeds.ts';
import type { Tensor } from '../../../tensor/tensor.ts';
import type { Variable } from '../../../tensor/variable.ts';
import {
  type Activation,
  type ActivationLike,
  activationOf,
  serializeActivation,
} from '../../activations.ts';
import type { ConstraintLike } from '../../constraints/index.ts';
import type { Initializer, InitializerLike } from '../../initializers/index.ts';
import type { RegularizerLike } from '../../regularizers/index.ts';
import type { CallOptions, LayerOptions } from '../base/layer.ts';
import { requireFraction, seedOf } from '../base/randomOptions.ts';
import { rulesConfig, type WeightRules, weightRules } from '../base/weightRules.ts';
import { RNNCell, type Steps } from './cell.ts';

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

export const recurrentCellOptionNames: OptionNames<RecurrentCellOptions> = {
  activation: true,
  recurrentInitializer: false,
  recurrentRegularizer: false,
  recurrentConstraint: false,
  dropout: false,
  recurrentDropout: false,
  seed: false,
  ...kernelOptionNames,
  ...biasOptionNames,
  ...layerOptionNames,
};

/** Shape of the bias, and its first values. */
export interface BiasSpec {
  shape: Shape;
  initializer: Initializer;
}

export abstract class RecurrentCell extends RNNCell {
  kernel: Variable | null = null;
  recurrentKernel: Variable | null = null;
  bias: Variable | null = null;
  readonly activation: Activation;
  readonly useBias: boolean;
  readonly dropout: number;
  readonly recurrentDropout: number;
  readonly seed: number | null;
  /** The position in its random sequence, which checkpoints store. */
  readonly seeds: SeedSequence | null;
  protected readonly rules: Readonly<Record<'kernel' | 'recurrent' | 'bias', WeightRules>>;

  constructor(options: RecurrentCellOptions) {
    super(options);
    const { activation = 'tanh', useBias = true, dropout = 0, recurrentDropout = 0 } = options;
    requireBoolean(this.name, 'useBias', useBias);
    requireFraction(this.name, 'dropout', dropout);
    requireFraction(this.name, 'recurrentDropout', recurrentDropout);
    this.activation = activationOf(activation);
    this.useBias = useBias;
    this.dropout = dropout;
    this.recurrentDropout = recurrentDropout;
    this.seed = seedOf(this.name, options.seed);
    this.seeds = this.seed === null ? null : new SeedSequence(this.seed);
    this.rules = {
      kernel: weightRules(options, 'kernel', 'glorotUniform'),
      recurrent: weightRules(options, 'recurrent', 'orthogonal'),
      bias: weightRules(options, 'bias', 'zeros'),
    };
  }

  /** Prepares a run over a sequence, with its dropout. */
  abstract override steps(batchSize: number, options: CallOptions): Steps;

  protected addWeights(kernel: Shape, recurrentKernel: Shape, bias: BiasSpec): void {
    const { rules } = this;
    this.kernel = this.addWeight('kernel', { shape: kernel, ...rules.kernel });
    this.recurrentKernel = this.addWeight('recurrent_kernel', { shape: recurrentKernel, ...rules.recurrent });
    if (this.useBias) this.bias = this.addWeight('bias', { ...rules.bias, ...bias });
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

  override getConfig(): Record<string, unknown> {
    const { activation, useBias, dropout, recurrentDropout, seed } = this;
    return {
      ...super.getConfig(),
      activation: serializeActivation(activation),
      useBias,
      ...rulesConfig(this.rules),
      dropout,
      recurrentDropout,
      seed,
    };
  }
}
