/**
 * @file The oracle of training steps. In the first step of gradient descent, with or without momentum, a parameter moves by
 * rate · gradient. This yields the library's gradient, whose projections on random directions are compared with central
 * differences of the loss in plain float64.
 */
import { type HostArray, normal, sizeOf } from './host.ts';

export interface TrainingStep {
  parameters: readonly HostArray[];
  batch: readonly HostArray[];
  constants: readonly HostArray[];
  rate: number;
  lossAt(
    parameters: readonly Float64Array[],
    batch: readonly HostArray[],
    constants: readonly HostArray[],
  ): number;
  /** Number of directions, which cycle through the parameters. Default: the number of parameters. */
  directions?: number;
}

/** What plain float64 computes for a step: the loss, and its derivative along each direction. */
export interface ExpectedStep {
  readonly loss: number;
  readonly derivatives: readonly number[];
}

/** Largest errors: of the loss, relative to it; of derivatives, relative to the length of the gradient. */
export interface StepTolerances {
  readonly loss: number;
  readonly derivative: number;
}

/** A wrong gradient is off by about 1. */
export const float32Tolerances: StepTolerances = { loss: 1e-4, derivative: 0.02 };
/** Operands of matmuls and convolutions have 11 bits. */
export const float16Tolerances: StepTolerances = { loss: 1e-2, derivative: 0.05 };

/** Small compared with the parameters, large compared with the rounding of float64. */
const step = 1e-5;

const originOf = ({ parameters }: TrainingStep) => parameters.map(({ values }) => Float64Array.from(values));
const directionCount = ({ parameters, directions = parameters.length }: TrainingStep) => directions;

function directionOf(
  { parameters }: TrainingStep,
  i: number,
): { parameter: number; direction: Float64Array } {
  const parameter = i % parameters.length;
  const { shape } = parameters[parameter] as HostArray;
  return { parameter, direction: Float64Array.from(normal(shape, 100 + i).values) };
}

/** Computes what is expected, which takes minutes for a large model. */
export function expectedStep(training: TrainingStep): ExpectedStep {
  const { batch, constants, lossAt } = training;
  const origin = originOf(training);
  const derivatives = Array.from({ length: directionCount(training) }, (_, i) => {
    const { parameter, direction } = directionOf(training, i);
    const at = (t: number) =>
      lossAt(
        origin.map((values, k) =>
          k === parameter ? values.map((v, j) => v + t * (direction[j] as number)) : values,
        ),
        batch,
        constants,
      );
    return (at(step) - at(-step)) / (2 * step);
  });
  return { loss: lossAt(origin, batch, constants), derivatives };
}

/** Returns a check of [loss, ...parameters after the first step]. */
export function checkStep(
  training: TrainingStep,
  { loss: expectedLoss, derivatives }: ExpectedStep,
  tolerances = float32Tolerances,
): (results: readonly HostArray[]) => string | null {
  const { parameters, rate } = training;
  const origin = originOf(training);
  const directions = derivatives.map((_, i) => directionOf(training, i));
  return ([loss, ...moved]) => {
    const found = loss?.values[0] ?? Number.NaN;
    if (!(Math.abs(found - expectedLoss) <= tolerances.loss * Math.max(1e-6, Math.abs(expectedLoss))))
      return `loss ${found} for ${expectedLoss}`;
    for (const [i, derivative] of derivatives.entries()) {
      const { parameter, direction } = directions[i] as (typeof directions)[number];
      const before = origin[parameter] as Float64Array;
      const after = moved[parameter]?.values;
      if (after?.length !== sizeOf((parameters[parameter] as HostArray).shape))
        return `parameter ${parameter} is missing`;
      let [projection, square] = [0, 0];
      for (let j = 0; j < before.length; j++) {
        const gradient = ((before[j] as number) - (after[j] as number)) / rate;
        projection += gradient * (direction[j] as number);
        square += gradient * gradient;
      }
      if (!(Math.abs(projection - derivative) <= tolerances.derivative * Math.sqrt(square))) {
        return `directional derivative ${projection} for ${derivative} along a direction of parameter ${parameter}`;
      }
    }
    return null;
  };
}
