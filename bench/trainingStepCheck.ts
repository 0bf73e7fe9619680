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

interface DirectionalDerivative {
  parameter: number;
  direction: Float64Array;
  derivative: number;
}

/** Small compared with the parameters, large compared with the rounding of float64. */
const step = 1e-5;
const lossTolerance = 1e-4;
/** Relative to the length of the gradient; a wrong gradient is off by about 1. */
const derivativeTolerance = 0.02;

/** Returns a check of [loss, ...parameters after the first step]. The expected values are computed once. */
export function checkStep(training: TrainingStep): (results: readonly HostArray[]) => string | null {
  const { parameters, batch, constants, rate, lossAt, directions = parameters.length } = training;
  const origin = parameters.map(({ values }) => Float64Array.from(values));
  const expectedLoss = lossAt(origin, batch, constants);
  const derivatives = Array.from({ length: directions }, (_, i): DirectionalDerivative => {
    const parameter = i % parameters.length;
    const shape = (parameters[parameter] as HostArray).shape;
    const direction = Float64Array.from(normal(shape, 100 + i).values);
    const at = (t: number) =>
      lossAt(
        origin.map((values, k) =>
          k === parameter ? values.map((v, j) => v + t * (direction[j] as number)) : values,
        ),
        batch,
        constants,
      );
    return { parameter, direction, derivative: (at(step) - at(-step)) / (2 * step) };
  });
  return ([loss, ...moved]) => {
    const found = loss?.values[0] ?? Number.NaN;
    if (!(Math.abs(found - expectedLoss) <= lossTolerance * Math.max(1e-6, Math.abs(expectedLoss))))
      return `loss ${found} for ${expectedLoss}`;
    for (const { parameter, direction, derivative } of derivatives) {
      const before = origin[parameter] as Float64Array;
      const after = moved[parameter]?.values;
      if (after?.length !== sizeOf((parameters[parameter] as HostArray).shape))
        return `parameter ${parameter} is missing`;
      let [projection, square] = [0, 0];
      for (let i = 0; i < before.length; i++) {
        const gradient = ((before[i] as number) - (after[i] as number)) / rate;
        projection += gradient * (direction[i] as number);
        square += gradient * gradient;
      }
      if (!(Math.abs(projection - derivative) <= derivativeTolerance * Math.sqrt(square))) {
        return `directional derivative ${projection} for ${derivative} along a direction of parameter ${parameter}`;
      }
    }
    return null;
  };
}
