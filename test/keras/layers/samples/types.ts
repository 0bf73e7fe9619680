/**
 * @file What a family of layers gives to the battery (battery.test.ts): calls that it makes of every layer, and bad
 * input.
 */
import type * as tf from '@tensorflow/tfjs-core';
import type { RetrogradError } from '../../../../src/core/errors.ts';
import type { InputSample } from '../../../ops/samples/types.ts';

export type { InputSample };

/** Inputs in the nest in which the layer takes them. */
export type InputSamples = InputSample | readonly InputSample[] | Readonly<Record<string, InputSample>>;

/** TF.js on the CPU, an oracle that shares nothing with the code under test. */
export type Oracle = typeof tf;

/** Tensors of TF.js of any rank: its own types want one rank, and `never` is of each. */
export type OracleTensors = [never, never, never, never, never, never];

export interface LayerCase {
  /** Options of the factory; a function where they hold layers, which each copy must have for itself. */
  options?: object | (() => object);
  inputs: InputSamples;
  /** Tensors given with the call, by name, such as `mask`. */
  kwargs?: Readonly<Record<string, InputSample>>;
  /** Whether the call is one of training. */
  training?: boolean;
  /** Ranges of weights, by the last part of their names. Default -1 to 1, variances 0.5 to 1.5. */
  weights?: Readonly<Record<string, Partial<InputSample>>>;
  /** Axes of every input that are open in addition to the batch, in the check of symbolic shapes. */
  open?: readonly number[];
  /** What the outputs are, by TF.js: from the inputs and kwargs in their order, and the weights in theirs. */
  reference?: (tf: Oracle, inputs: OracleTensors, weights: OracleTensors) => tf.Tensor | tf.Tensor[];
  /** Of the reference, relative to the largest value. Default 1e-5. */
  tolerance?: number;
  /** False where finite differences make no sense (integers, noise without a seed). Default true. */
  gradient?: boolean;
  /** False where a batch of nothing has no answer. Default true. */
  zeroBatch?: boolean;
}

export interface BadLayerCase {
  /** What is wrong, for the test's name. */
  why: string;
  options?: object | (() => object);
  /** Left out where the factory itself must throw. */
  inputs?: InputSamples;
  kwargs?: Readonly<Record<string, InputSample>>;
  training?: boolean;
  error: new (...args: never[]) => RetrogradError;
  /** Must occur in the message. */
  says?: RegExp;
}

export interface LayerSamples {
  /** Name of the factory in src/keras/layers/index.ts. */
  layer: string;
  cases: readonly LayerCase[];
  bad: readonly BadLayerCase[];
}
