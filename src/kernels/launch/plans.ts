/** @file Plans that take long to compute, computed once for the same specs and options of an op. */
import { PlainMap } from '../../core/plainMap.ts';
import type { TensorSpec } from '../../core/spec.ts';

/** An op whose plans are plain data. */
interface Planned<P> {
  infer(inputs: readonly (TensorSpec | null)[], options: object): P;
}

/** More than the different calls of any program; it bounds what programs with ever new shapes keep. */
const maxPlans = 1024;

const known = new WeakMap<object, PlainMap<unknown>>();

/** Returns the plan of a call of `op`, the same one for equal calls: nobody may change it. Errors: those of `infer`. */
export function planOf<P>(op: Planned<P>, inputs: readonly (TensorSpec | null)[], options: object): P {
  const plans = known.get(op) ?? new PlainMap<unknown>(maxPlans);
  if (plans.size === 0) known.set(op, plans);
  const key: unknown[] = [options];
  for (const input of inputs) key.push(input?.shape, input?.dtype);
  const found = plans.get(key);
  if (found) return found as P;
  const plan = op.infer(inputs, options);
  plans.set(key, plan);
  return plan;
}
