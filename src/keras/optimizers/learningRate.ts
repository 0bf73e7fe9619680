/** @file What a learning rate may be. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { scheduleOf } from './schedules/index.ts';
import type { LearningRateSchedule } from './schedules/schedule.ts';

/** Errors: ValueError for what is neither a number nor a schedule. */
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
