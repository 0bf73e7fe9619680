/**
 * @file Plans that take long to compute, computed once for the same specs and options. Equal calls get one plan, by whose identity
 * launchers know what they computed for it before.
 */
import { deepFrozen } from '../core/deepFrozen.ts';
import { PlainMap } from '../core/plainMap.ts';
import type { OpDefinition, Plan } from './definition.ts';

/** More than the different calls of any program; it bounds what programs with ever new shapes keep. */
const maxPlans = 1024;

/** Returns `infer`, a function of plain data, with a memory. Its plans are frozen. */
export function rememberPlans(infer: OpDefinition['infer']): OpDefinition['infer'] {
  const plans = new PlainMap<Plan>(maxPlans);
  return (inputs, options) => {
    const key: unknown[] = [options];
    for (const input of inputs) key.push(input?.shape, input?.dtype);
    const known = plans.get(key);
    if (known) return known;
    const plan = deepFrozen(infer(inputs, options));
    plans.set(key, plan);
    return plan;
  };
}
