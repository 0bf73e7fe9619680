/** @file Checks of learning rates, and of the results of schedules. */
import { ValueError } from '../../core/errors.ts';
import { describe, hintFor } from '../../core/shape.ts';
import { scheduleOf } from './schedules/index.ts';
import type { LearningRateSchedule } from './schedules/schedule.ts';

/** Errors: ValueError unless it is a number or a schedule. */
export function checkedRate(op: string, value: unknown): number | LearningRateSchedule {
  if (typeof value === 'object' || typeof value === 'function') return scheduleOf(value);
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new ValueError({
    op,
    rule: '`learningRate` is a number of at least 0, or a schedule.',
    received: `learningRate: ${describe(value)}`,
    hint: 'pass a number such as 0.001, or schedules.exponentialDecay({ … }).',
  });
}

/** The rate of the step that follows `step` others. Errors: ValueError for a schedule that gives no rate. */
export function rateAt(op: string, rate: number | LearningRateSchedule, step: number): number {
  if (typeof rate === 'number') return rate;
  const value: unknown = rate.call(step);
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new ValueError({
    op,
    rule: 'a schedule gives a finite number for each step.',
    received: `${describe(value)} for step ${step}`,
    hint: hintFor(value, 'return the rate itself, not a tensor.'),
  });
}
