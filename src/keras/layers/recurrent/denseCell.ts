/**
 * @file DenseCell: what the cells of SimpleRNN, GRU and LSTM share. Each is a number of gates, computed from the inputs by
 * `kernel` and from the state by `recurrent_kernel`.
 */
import type { OptionNames } from '../../../core/options.ts';
import { layerOptionNames } from '../base/layerOptions.ts';
import { biasOptionNames, kernelOptionNames } from '../base/weightOptions.ts';
import { ShapeError } from '../../../core/errors.ts';
import { describe, type OpenShape, requireBoolean, requireInteger, type Shape } from '../../../core/shape.ts';
import { mul } from '../../../ops/arithmetic.ts';
import { ones, zeros } from '../../../ops/creation.ts';
import { dropout } from '../../../ops/dropout.ts';
import { expandDims } from '../../../ops/expandDims.ts';
import { squeeze } from '../../../ops/squeeze.ts';
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
import type { BiasOptions, KernelOptions } from '../base/weightOptions.ts';
import { requireFraction, seedOf } from '../base/randomOptions.ts';
import { rulesConfig, type WeightRules, weightRules } from '../base/weightRules.ts';
import { RNNCell, type Steps } from './cell.ts';

export interface DenseCellOptions extends LayerOptions, KernelOptions, BiasOptions {
  /** Size of the state and of the output. */
  units: number;
  /** Activation of the new state. Default 'tanh'; null for none. */
  activation?: ActivationLike | null;
  /** Initial values of the recurrent kernel, which multiplies the state. Default 'orthogonal'. */
  recurrentInitializer?: InitializerLike;
  /** Penalty on the recurrent kernel. Default: none. */
  recurrentRegularizer?: RegularizerLike | null;
  /** Where the recurrent kernel is put back to after each step of training. Default: none. */
  recurrentConstraint?: ConstraintLike | null;
  /** Fraction of the inputs that is cleared in training, alike at all times. Default 0. */
  dropout?: number;
  /** Fraction of the state that is cleared in training, alike at all times, before it meets the recurrent kernel. Default 0. */
  recurrentDropout?: number;
  /** Makes the dropout repeatable. Default: another draw each time. */
  seed?: number | null;
}

export const denseCellOptionNames: OptionNames<DenseCellOptions> = {
  units: true,
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

export interface GatedCellOptions extends DenseCellOptions {
  /** Activation of the gates. Default 'sigmoid'; null for none. */
  recurrentActivation?: ActivationLike | null;
}

/** What a run over a sequence clears: [batch, features] and [batch, units], or null. */
interface Noise {
  inputs: Tensor | null;
  state: Tensor | null;
}

export abstract class DenseCell extends RNNCell {
  /** Blocks of `units` columns in the kernels. */
  protected abstract readonly gates: number;
  kernel: Variable | null = null;
  recurrentKernel: Variable | null = null;
  bias: Variable | null = null;
  readonly units: number;
  readonly activation: Activation;
  readonly useBias: boolean;
  readonly dropout: number;
  readonly recurrentDropout: number;
  readonly seed: number | null;
  /** Where its draws are, which a checkpoint keeps. */
  readonly seeds: SeedSequence | null;
  readonly #rules: Readonly<Record<'kernel' | 'recurrent' | 'bias', WeightRules>>;

  constructor(options: DenseCellOptions) {
    super(options);
    const { units, activation = 'tanh', useBias = true, dropout = 0, recurrentDropout = 0 } = options;
    requireInteger(this.name, 'units', units, 1);
    requireBoolean(this.name, 'useBias', useBias);
    requireFraction(this.name, 'dropout', dropout);
    requireFraction(this.name, 'recurrentDropout', recurrentDropout);
    this.units = units;
    this.activation = activationOf(activation);
    this.useBias = useBias;
    this.dropout = dropout;
    this.recurrentDropout = recurrentDropout;
    this.seed = seedOf(this.name, options.seed);
    this.seeds = this.seed === null ? null : new SeedSequence(this.seed);
    this.#rules = {
      kernel: weightRules(options, 'kernel', 'glorotUniform'),
      recurrent: weightRules(options, 'recurrent', 'orthogonal'),
      bias: weightRules(options, 'bias', 'zeros'),
    };
  }

  get stateSize(): number | readonly number[] {
    return this.units;
  }

  /** Shape of the bias, and its first values. */
  protected biasOf(): { shape: Shape; initializer: Initializer } {
    return { shape: [this.gates * this.units], initializer: this.#rules.bias.initializer };
  }

  /** What a step is, given that noise. */
  protected abstract stepsWith(noise: { state: Tensor | null }): Omit<Steps, 'project'>;

  /** The inputs as the gates take them: [..., features] → [..., gates · units]. */
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
    const { kernel, recurrent, bias } = this.#rules;
    this.kernel = this.addWeight('kernel', { shape: [features, width], ...kernel });
    this.recurrentKernel = this.addWeight('recurrent_kernel', { shape: [this.units, width], ...recurrent });
    if (this.useBias) this.bias = this.addWeight('bias', { ...bias, ...this.biasOf() });
  }

  override steps(batchSize: number, options: CallOptions): Steps {
    const noise = this.#noise(batchSize, options);
    return {
      project: (x) => this.projected(noise.inputs ? mul(x, overTime(noise.inputs, x.rank)) : x),
      ...this.stepsWith(noise),
    };
  }

  override call([x, ...states]: readonly Tensor[], options: CallOptions): readonly Tensor[] {
    const { project, take } = this.steps((x as Tensor).shape[0] as number, options);
    return take(project(x as Tensor), states);
  }

  override getConfig(): Record<string, unknown> {
    const { units, activation, useBias, dropout, recurrentDropout, seed } = this;
    return {
      ...super.getConfig(),
      units,
      activation: serializeActivation(activation),
      useBias,
      ...rulesConfig(this.#rules),
      dropout,
      recurrentDropout,
      seed,
    };
  }

  #noise(batchSize: number, { training = false }: CallOptions): Noise {
    const draw = (size: number, rate: number) => {
      if (!training || rate === 0) return null;
      if (rate === 1) return zeros([batchSize, size]);
      const seed = this.seeds?.draw();
      return dropout(ones([batchSize, size]), seed === undefined ? { rate } : { rate, seed });
    };
    const features = this.kernel?.shape[0] as number;
    return { inputs: draw(features, this.dropout), state: draw(this.units, this.recurrentDropout) };
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

/** [batch, features] as it meets [batch, features] or [batch, time, features]. */
function overTime(noise: Tensor, rank: number): Tensor {
  return rank === 3 ? oneStep(noise) : noise;
}
