/** @file Frees the tensors of a TF.js test at its end, as TF.js's engine does, also across awaits; one test runs at a time. */
import { type scope as openScope, scope, Tensor } from '../../../../src/index.ts';
import { isCollecting } from '../../../../src/tensor/scope.ts';

const open: ReturnType<typeof openScope>[] = [];

/** Returns whether it is the outermost one. */
export function startTestScope(): boolean {
  return open.push(scope()) === 1;
}

export function endTestScope(): void {
  open.pop()?.[Symbol.dispose]();
}

/** Adds `result` to the test's scope, unless a scope of the library collects it. */
export function ownedByTest<T>(result: T): T {
  const current = open.at(-1);
  if (!current || isCollecting()) return result;
  for (const tensor of tensorsIn(result)) current.track(tensor);
  return result;
}

function tensorsIn(value: unknown): Tensor[] {
  if (value instanceof Tensor) return [value];
  const isNest =
    Array.isArray(value) || (value instanceof Object && Object.getPrototypeOf(value) === Object.prototype);
  return isNest ? Object.values(value as object).flatMap(tensorsIn) : [];
}
