/** @file FeedForward: the part of a transformer that treats each position by itself. */
import type { OpenShape } from '../../core/shape.ts';
import {
  type CallOptions,
  checked,
  factoryOf,
  flag,
  integer,
  layer,
  type LayerOptions,
  oneOf,
  weights,
} from '../../keras/layers/base/declare.ts';
import { requireFraction } from '../../keras/layers/base/randomOptions.ts';
import { requireChannels } from '../../keras/layers/base/inputSpec.ts';
import type { BiasOptions, KernelOptions } from '../../keras/layers/base/weightOptions.ts';
import { Dense } from '../../keras/layers/core/dense.ts';
import { Dropout } from '../../keras/layers/regularization/dropout.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { ensureBuilt } from './building.ts';
import { activated, gated, type TransformerActivation, transformerActivations } from './activationNames.ts';

export interface FeedForwardOptions extends LayerOptions, KernelOptions, BiasOptions {
  /** The number of features in between. */
  intermediateDim: number;
  /** Applied in between. Default 'relu'. */
  activation?: TransformerActivation;
  /** Whether the activation of one projection gates another: SwiGLU, GeGLU. Default false. */
  gated?: boolean;
  /** Fraction of the outputs that is cleared in training. Default 0. */
  dropout?: number;
}

export class FeedForward extends /* @__PURE__ */ layer<FeedForwardOptions>('FeedForward', () => ({
  intermediateDim: integer(),
  activation: oneOf(transformerActivations, 'relu'),
  gated: flag(false),
  dropout: checked(requireFraction, 0),
  useBias: flag(true),
  ...weights({ kernel: 'glorotUniform', bias: 'zeros' }),
})) {
  override readonly supportsMasking: boolean = true;
  gateDense: Dense | null = null;
  intermediateDense: Dense | null = null;
  outputDense: Dense | null = null;
  readonly dropoutLayer: Dropout = new Dropout({ name: 'dropout', rate: this.dropout });

  override build(inputShape: OpenShape): void {
    const features = requireChannels(this.name, inputShape);
    const inner = [...inputShape.slice(0, -1), this.intermediateDim];
    if (this.gated) this.gateDense = this.#dense('gate', this.intermediateDim, inputShape);
    this.intermediateDense = this.#dense('intermediate', this.intermediateDim, inputShape);
    this.outputDense = this.#dense('output', features, inner);
  }

  #dense(name: string, units: number, inputShape: OpenShape): Dense {
    const { initializer: kernelInitializer, ...kernel } = this.weightRules('kernel');
    const { initializer: biasInitializer, ...bias } = this.weightRules('bias');
    const made = new Dense({
      name,
      units,
      useBias: this.useBias,
      kernelInitializer,
      kernelRegularizer: kernel.regularizer,
      kernelConstraint: kernel.constraint,
      biasInitializer,
      biasRegularizer: bias.regularizer,
      biasConstraint: bias.constraint,
      dtype: this.dtypePolicy,
    });
    ensureBuilt(made, inputShape);
    return made;
  }

  override call(x: Tensor, { training }: CallOptions): Tensor {
    const { gateDense, activation } = this;
    const inner = (this.intermediateDense as Dense).apply(x);
    const bent = gateDense ? gated(gateDense.apply(x), inner, activation) : activated(inner, activation);
    return this.dropoutLayer.apply((this.outputDense as Dense).apply(bent), { training });
  }

  override computeOutputShape(inputShape: OpenShape): OpenShape {
    return inputShape;
  }
}

/**
 * Two dense layers with an activation in between, for each position: output(activation(intermediate(x))), or gated
 * output(activation(gate(x)) · intermediate(x)). Shapes: [batch, …, features] → the same. Weights, kernel and bias each, under
 * intermediate, output and gate. Shazeer, "GLU variants improve transformer", 2020.
 * Errors: ValueError for invalid options.
 */
export const feedForward = /* @__PURE__ */ factoryOf(FeedForward);
