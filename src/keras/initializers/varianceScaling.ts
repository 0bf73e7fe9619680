/**
 * @file Initializers whose variance depends on the shape of the weight, so that signals neither grow nor vanish from layer to
 * layer. Sources: Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks, AISTATS 2010;
 * He et al., Delving deep into rectifiers, ICCV 2015; LeCun et al., Efficient BackProp, 1998.
 */
import type { DType } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { describe, oneOf as nameOf, type Shape } from '../../core/shape.ts';
import { randomNormal, randomUniform, truncatedNormal } from '../../ops/random/random.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Values } from '../options/fields.ts';
import { checked, oneOf, seeded } from '../options/kinds.ts';
import type { Table } from '../options/maker.ts';
import type { Option } from '../options/option.ts';
import { initializer, type SeedOptions } from './initializer.ts';

/** Which axes of a weight are inputs and outputs, if not the last two. */
export interface FanOptions extends SeedOptions {
  /** Input axes. Default null: the second to last. */
  inputAxes?: number | readonly number[] | null;
  /** Output axes. Default null: the last. */
  outputAxes?: number | readonly number[] | null;
}

const modes = ['fanIn', 'fanOut', 'fanAvg'] as const;
const distributions = ['truncatedNormal', 'untruncatedNormal', 'uniform'] as const;

type Mode = (typeof modes)[number];
type Distribution = (typeof distributions)[number];

export interface VarianceScalingOptions extends FanOptions {
  /** Factor of the variance. Default 1. */
  scale?: number;
  /**
   * Divisor of the variance: the inputs of a unit ('fanIn'), its outputs ('fanOut') or their mean ('fanAvg'). Default
   * 'fanIn'.
   */
  mode?: Mode;
  /** 'truncatedNormal' (also 'normal'), 'untruncatedNormal' or 'uniform'. Default 'truncatedNormal'. */
  distribution?: Distribution | 'normal';
}

const fans: Table<FanOptions> = () => ({ inputAxes: axes(), outputAxes: axes(), seed: seeded() });

const scalingTable: Table<VarianceScalingOptions> = () => ({
  scale: checked(requirePositive, 1),
  mode: oneOf(modes, 'fanIn'),
  distribution: checked((op, what, name) => {
    return name === 'normal' ? 'truncatedNormal' : nameOf(op, what, name, distributions);
  }, 'normal'),
  ...fans(),
});

/** Standard deviation of a standard normal distribution truncated at ±2. */
const truncatedDeviation = 0.87962566103423978;

/** Variance `scale / fan`: the fan of the inputs, of the outputs, or the mean of both. Errors: ValueError for options. */
export const varianceScaling = /* @__PURE__ */ initializer('VarianceScaling', scalingTable, scaled, [
  'scale',
  'mode',
  'distribution',
  'seed',
]);

const ofFans = (className: string, scale: number, mode: Mode, distribution: Distribution) =>
  initializer(className, fans, (options) => scaled({ ...options, scale, mode, distribution }), ['seed']);

/** Uniform, variance 2 / (fanIn + fanOut). */
export const glorotUniform = /* @__PURE__ */ ofFans('GlorotUniform', 1, 'fanAvg', 'uniform');

/** Truncated normal, variance 2 / (fanIn + fanOut). */
export const glorotNormal = /* @__PURE__ */ ofFans('GlorotNormal', 1, 'fanAvg', 'truncatedNormal');

/** Uniform, variance 2 / fanIn: keeps the variance through layers with ReLU. */
export const heUniform = /* @__PURE__ */ ofFans('HeUniform', 2, 'fanIn', 'uniform');

/** Truncated normal, variance 2 / fanIn: keeps the variance through layers with ReLU. */
export const heNormal = /* @__PURE__ */ ofFans('HeNormal', 2, 'fanIn', 'truncatedNormal');

/** Uniform, variance 1 / fanIn. */
export const lecunUniform = /* @__PURE__ */ ofFans('LecunUniform', 1, 'fanIn', 'uniform');

/** Truncated normal, variance 1 / fanIn. */
export const lecunNormal = /* @__PURE__ */ ofFans('LecunNormal', 1, 'fanIn', 'truncatedNormal');

function scaled({ scale, mode, distribution, seed, ...axes }: Values<VarianceScalingOptions>) {
  return (shape: Shape, dtype: DType): Tensor => {
    const { fanIn, fanOut } = fansOf(shape, axes);
    const fan = { fanIn, fanOut, fanAvg: (fanIn + fanOut) / 2 }[mode];
    const variance = scale / Math.max(1, fan);
    const drawn = { dtype, seed: seed ?? undefined };
    if (distribution === 'uniform') {
      const limit = Math.sqrt(3 * variance);
      return randomUniform(shape, { min: -limit, max: limit, ...drawn });
    }
    if (distribution === 'untruncatedNormal')
      return randomNormal(shape, { stddev: Math.sqrt(variance), ...drawn });
    return truncatedNormal(shape, { stddev: Math.sqrt(variance) / truncatedDeviation, ...drawn });
  };
}

/** Numbers of inputs and outputs of a unit (fan-in, fan-out). Kernels are [...window, in, out], unless axes are given. */
function fansOf(shape: Shape, { inputAxes, outputAxes }: FanOptions): Fans {
  if (inputAxes != null || outputAxes != null) return fansOfAxes(shape, inputAxes ?? -2, outputAxes ?? -1);
  if (shape.length < 2) return { fanIn: shape[0] ?? 1, fanOut: shape[0] ?? 1 };
  const window = productOf(shape.slice(0, -2));
  return { fanIn: window * (shape.at(-2) as number), fanOut: window * (shape.at(-1) as number) };
}

interface Fans {
  fanIn: number;
  fanOut: number;
}

/** Axes that are neither inputs nor outputs form the window. */
function fansOfAxes(shape: Shape, inputAxes: Axes, outputAxes: Axes): Fans {
  const place = (axes: Axes) => [axes].flat().map((axis) => (axis < 0 ? axis + shape.length : axis));
  const [inputs, outputs] = [place(inputAxes), place(outputAxes)];
  const sizes = (axes: readonly number[]) => axes.map((axis) => shape[axis] ?? 1);
  const window = productOf(shape.filter((_, axis) => !inputs.includes(axis) && !outputs.includes(axis)));
  return { fanIn: window * productOf(sizes(inputs)), fanOut: window * productOf(sizes(outputs)) };
}

type Axes = number | readonly number[];

function productOf(sizes: readonly number[]): number {
  return sizes.reduce((product, n) => product * n, 1);
}

function requirePositive(op: string, what: string, value: unknown): number {
  if (typeof value === 'number' && value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new ValueError({
    op,
    rule: `\`${what}\` is a positive number.`,
    received: `${what}: ${describe(value)}`,
    hint: 'pass 1, or 2 before a ReLU.',
  });
}

function axes(): Option<number | readonly number[] | null> {
  return checked((op, what, given) => {
    if (given === null || [given].flat().every((axis) => Number.isInteger(axis))) return given;
    throw new ValueError({
      op,
      rule: `\`${what}\` is an axis, a list of axes, or null.`,
      received: `${what}: ${describe(given)}`,
      hint: 'leave it out: kernels end in an axis of inputs and an axis of outputs.',
    });
  }, null);
}
