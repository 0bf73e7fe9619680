/**
 * @file The samples of a family of layers for the battery (battery.test.ts): calls of every layer, and bad input.
 */
import type * as tf from '@tensorflow/tfjs-core';
import type { RetrogradError } from '../../../../src/core/errors.ts';
import type { InputSample } from '../../../ops/samples/types.ts';

export type { InputSample };

/** Inputs in the nest that the layer takes. */
export type InputSamples = InputSample | readonly InputSample[] | Readonly<Record<string, InputSample>>;

/** TF.js on the CPU, an oracle that shares no code with the library. */
export type Oracle = typeof tf;

/** TF.js tensors of any rank: its own types require a specific one, and `never` is assignable to all. */
export type OracleTensors = [never, never, never, never, never, never];

export interface LayerCase {
  /** Options of the factory; a function if they contain layers, of which each copy needs its own. */
  options?: object | (() => object);
  inputs: InputSamples;
  /** Tensors given with the call, by name, such as `mask`. */
  kwargs?: Readonly<Record<string, InputSample>>;
  /** Whether it is a call in training. */
  training?: boolean;
  /** Ranges of weights, by the last part of their names. Default -1 to 1, variances 0.5 to 1.5. */
  weights?: Readonly<Record<string, Partial<InputSample>>>;
  /** Axes of every input that are open in addition to the batch, in the check of symbolic shapes. */
  open?: readonly number[];
  /** The expected outputs, computed by TF.js from the inputs and kwargs in their order, and the weights in theirs. */
  reference?: (tf: Oracle, inputs: OracleTensors, weights: OracleTensors) => tf.Tensor | tf.Tensor[];
  /** Tolerance for the reference, relative to the largest value. Default 1e-5. */
  tolerance?: number;
  /** False if finite differences make no sense (integers, noise without a seed). Default true. */
  gradient?: boolean;
  /** False if there is no result for an empty batch. Default true. */
  zeroBatch?: boolean;
}

export interface BadLayerCase {
  /** The mistake, for the test's name. */
  why: string;
  options?: object | (() => object);
  /** Missing if the factory itself must throw. */
  inputs?: InputSamples;
  kwargs?: Readonly<Record<string, InputSample>>;
  training?: boolean;
  error: new (...args: never[]) => RetrogradError;
  /** Must occur in the message. */
  message?: RegExp;
}

export interface LayerSamples {
  /** Name of the factory in src/keras/layers/index.ts. */
  layer: string;
  cases: readonly LayerCase[];
  bad: readonly BadLayerCase[];
}
