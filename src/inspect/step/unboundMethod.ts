/** @file Methods that are passed without their object: `inspect(net.fit, x, y)` instead of `inspect(net, x, y)`. */
import { ValueError } from '../../core/errors.ts';

/** Methods of models that train, or a part of it: a model makes such a step by itself. */
const training: ReadonlySet<string> = new Set(['fit', 'trainOnBatch', 'trainStep']);

/** Calls `target` as a step. Errors: those of `target`; ValueError where it is a method that misses its object. */
export async function callMethod(
  op: string,
  target: (...args: never[]) => unknown,
  args: readonly unknown[],
): Promise<unknown> {
  try {
    return await (Reflect.apply(target, undefined, args) as unknown);
  } catch (error) {
    throw error instanceof TypeError ? withoutObject(op, target.name, error) : error;
  }
}

/** Returns whether `target` is written as a method and reads `this`, which it lacks when it is called as a function. */
export function needsObject(target: (...args: never[]) => unknown): boolean {
  if (Object.hasOwn(target, 'prototype')) return false;
  const source = Function.prototype.toString.call(target);
  const isArrow = /^(async\b\s*)?(\([\s\S]*?\)|[\w$]+)\s*=>/.test(source);
  return !isArrow && !/^(async\s+)?function\b/.test(source) && /\b(this|super)\b/.test(source);
}

function withoutObject(op: string, name: string, cause: TypeError): ValueError {
  return new ValueError({
    op,
    rule: 'a method is passed together with its object.',
    received: `'${name}' without an object (${cause.message})`,
    hint: hintFor(op, name),
    cause,
  });
}

function hintFor(op: string, name: string): string {
  if (!training.has(name)) return `wrap it in a function: (...args) => object.${name}(...args).`;
  return op === 'inspect'
    ? 'call inspect(net, x, y) for the next training step of a model.'
    : `call ${op}(net), and pass the recording to fit({ callbacks: [recording] }).`;
}
