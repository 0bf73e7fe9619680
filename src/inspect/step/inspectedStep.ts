/** @file The steps that `inspect` and recordings run: a call of a function, or a step that a model provides. */
import { describe } from '../../core/describe.ts';
import { ValueError } from '../../core/errors.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { Variable } from '../../tensor/variable.ts';

/** A number on the host that steps change: an optimizer's step count, the position in a random sequence. */
export interface StateNumber {
  get(): number;
  set(value: number): void;
}

/** The state that steps depend on and change, besides their arguments. */
export interface StepState {
  readonly variables: readonly Variable[];
  readonly numbers: readonly StateNumber[];
  /** Variables that `prepare` resets: steps add to them, and may continue from the values of the step before. */
  readonly accumulators?: readonly Variable[];
  /** Called before a step that starts from reset metrics, and before each replay of it. */
  prepare?(): void;
  /** Errors: ValueError while something else runs that steps of `op` would disturb. */
  requireIdle?(op: string): void;
}

/** A step of an object that provides one, such as the next training step of a model. */
export interface InspectedStep {
  readonly name: string;
  /** Weights that should be trained, even if the step doesn't use them. */
  readonly weights: readonly Variable[];
  /** Runs the step. Metrics start from those of the step before it if it `continues`; by default they are reset. */
  run(continues?: boolean): unknown;
  /** For recordings: the complete state that the step changes, before it first runs. */
  state?(): Promise<StepState>;
}

/** Something whose next step can be inspected. */
export interface Inspectable<A extends readonly unknown[]> {
  inspectedStep(...args: A): InspectedStep;
}

/** Returns the step of `target` with `args`. Errors: ValueError for anything but a function or a model. */
export function stepOf(op: string, target: unknown, args: readonly unknown[]): InspectedStep {
  requireStep(op, target);
  if (typeof target !== 'function') return target.inspectedStep(...args);
  const run = needsObject(target)
    ? () => callMethod(op, target, args)
    : () => Reflect.apply(target, undefined, args) as unknown;
  return { name: target.name || 'step', weights: [], run };
}

/** Errors: ValueError for anything but a function or a model. */
export function requireStep(
  op: string,
  target: unknown,
): asserts target is Inspectable<readonly unknown[]> | ((...args: never[]) => unknown) {
  if (typeof target === 'function' || isInspectable(target)) return;
  throw new ValueError({
    op,
    rule: 'a step is a function of tensors, or a compiled model.',
    received: target instanceof Tensor ? String(target) : describe(target),
    hint: hintFor(op, target),
  });
}

function hintFor(op: string, target: unknown): string {
  if (target instanceof Promise) return `pass the function itself, not its result: ${op}(step, …).`;
  const isLayer = typeof (target as { apply?: unknown } | null | undefined)?.apply === 'function';
  if (isLayer) return `a layer is called by a function: ${op}((x) => layer.apply(x), …).`;
  return op === 'inspect'
    ? 'call inspect(step, x, y) for step(x, y), or inspect(net, x, y) for its next training step.'
    : `call ${op}(net) for a model, or ${op}(step, { state: [w, optimizer] }) for a function.`;
}

function isInspectable(value: unknown): value is Inspectable<readonly unknown[]> {
  return typeof (value as Partial<Inspectable<never>> | null)?.inspectedStep === 'function';
}

/** Methods of models that train, or a part of it: a model makes such a step by itself. */
const training: ReadonlySet<string> = new Set(['fit', 'trainOnBatch', 'trainStep']);

/** Calls `target` as a step. Errors: those of `target`; ValueError where it is a method that misses its object, as `net.fit` does. */
async function callMethod(
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
function needsObject(target: (...args: never[]) => unknown): boolean {
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
    hint: bindingHint(op, name),
    cause,
  });
}

function bindingHint(op: string, name: string): string {
  if (!training.has(name)) return `wrap it in a function: (...args) => object.${name}(...args).`;
  return op === 'inspect'
    ? 'call inspect(net, x, y) for the next training step of a model.'
    : `call ${op}(net), and pass the recording to fit({ callbacks: [recording] }).`;
}
