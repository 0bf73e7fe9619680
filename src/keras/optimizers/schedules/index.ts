/** @file The learning-rate schedules, and their names. */
import { memberOf } from '../../namedObjects.ts';
import { cosineDecay, cosineDecayRestarts } from './cosine.ts';
import { exponentialDecay, inverseTimeDecay, piecewiseConstantDecay, polynomialDecay } from './decay.ts';
import type { LearningRateSchedule } from './schedule.ts';

export {
  cosineDecay,
  type CosineDecayOptions,
  cosineDecayRestarts,
  type CosineDecayRestartsOptions,
} from './cosine.ts';
export {
  type DecayOptions,
  exponentialDecay,
  inverseTimeDecay,
  polynomialDecay,
  type PolynomialDecayOptions,
  piecewiseConstantDecay,
  type PiecewiseConstantDecayOptions,
} from './decay.ts';
export type { LearningRateSchedule, ScheduleOptions } from './schedule.ts';

const makers = {
  cosineDecay,
  cosineDecayRestarts,
  exponentialDecay,
  inverseTimeDecay,
  piecewiseConstantDecay,
  polynomialDecay,
};

/** A schedule by `{ className, config }`, or itself. Errors: ValueError. */
export function scheduleOf(identifier: unknown): LearningRateSchedule {
  return memberOf<LearningRateSchedule>(
    {
      noun: 'schedule',
      makers: makers as unknown as Record<string, (options?: never) => LearningRateSchedule>,
      example: 'schedules.cosineDecay({ initialLearningRate: 0.1, decaySteps: 1000 })',
    },
    identifier,
  );
}
