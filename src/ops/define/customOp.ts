/**
 * @file The public defineOp, which checks definitions and the return values of their functions. The library's own ops are
 * checked by their types and tests, so that bundles of apps that define no ops don't contain this.
 */
import { isStoredDType } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { checkOptions, isPlainObject, type OptionNames } from '../../core/options.ts';
import { describe, sameShape } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import { Tensor } from '../../tensor/tensor.ts';
import type { OpWithRule } from './batching.ts';
import {
  type DefaultSave,
  type OpDefinition,
  outputsOf,
  type Plan,
  type Results,
  type Save,
} from './definition.ts';
import { defineOp as define, type Op } from './define.ts';

/**
 * Defines an op. Its types follow from the type of the constant:
 *
 *     export const scaled: Op<[x: Tensor], { by?: number }> = defineOp({
 *       name: 'scaled',
 *       inputs: ['x'],
 *       infer: ([x], { by = 1 }) => ({ shape: x.shape, dtype: x.dtype, by }),
 *       forward: ([x], plan) => …,
 *       backward: ([dy], { plan }) => [mul(dy, plan.by)],
 *     });
 *
 * Shapes and dtypes of the results are those that `infer` returns.
 * Errors: ValueError for a definition with an unknown or a missing part; a call of the op throws what `infer` throws,
 * ValueError if `infer` or `forward` returns something else than specs and tensors, and ShapeError if a tensor differs
 * from its spec.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineOp<
  I extends readonly unknown[],
  O extends object = object,
  R extends Results = Tensor,
  const P extends Plan<R> = Plan<R>,
  const S extends Save = DefaultSave,
  N extends boolean = false,
  const A extends readonly string[] = [],
>(
  definition: OpDefinition<I, O, R, P, S, N> & {
    readonly options?: OptionNames<NoInfer<O>, NoInfer<A>[number]>;
  },
): Op<I, O, R, 'unknown', A> {
  requireDefinition(definition);
  return define<I, O, R, P, S, N, A>({
    ...definition,
    // `vmap` throws where an op of an app has neither a formula nor the name of a rule.
    name: definition.name as OpWithRule,
    infer(inputs, options) {
      const plan = definition.infer(inputs, options);
      requirePlan(definition.name, plan);
      return plan;
    },
    forward(inputs, plan, call) {
      const results = definition.forward(inputs, plan, call);
      requireResults(definition.name, results, outputsOf(plan as Plan));
      return results;
    },
  });
}

/** The allowed types of each part of a definition; undefined for optional parts. */
const parts: Readonly<Record<keyof OpDefinition, { is: string; fits: (part: unknown) => boolean }>> = {
  name: { is: 'a string', fits: (part) => typeof part === 'string' && part !== '' },
  inputs: { is: "a list of names, such as ['x']", fits: isListOfNames },
  infer: { is: 'a function of specs and options', fits: isFunction },
  forward: { is: 'a function of tensors and the plan', fits: isFunction },
  backward: {
    is: 'a function of cotangents, or null where there is no gradient',
    fits: (part) => part === null || isFunction(part),
  },
  joinedBackward: {
    is: 'a function of calls, each with its cotangents and its plan',
    fits: (part) => part === undefined || isFunction(part),
  },
  options: {
    is: 'an object, such as { by: false }',
    fits: (part) => part === undefined || isPlainObject(part),
  },
  save: {
    is: 'an object, such as { inputs: [0] }',
    fits: (part) => part === undefined || isPlainObject(part),
  },
  readsInputs: {
    is: 'a function of which inputs need a gradient',
    fits: (part) => part === undefined || isFunction(part),
  },
  readsOutputs: {
    is: 'a function of which inputs need a gradient',
    fits: (part) => part === undefined || isFunction(part),
  },
  indexTarget: {
    is: 'a function of specs and the plan',
    fits: (part) => part === undefined || isFunction(part),
  },
  settle: { is: 'a function of the options', fits: (part) => part === undefined || isFunction(part) },
  formula: {
    is: 'a function of tensors and the plan',
    fits: (part) => part === undefined || isFunction(part),
  },
  cost: { is: 'a function of specs', fits: (part) => part === undefined || isFunction(part) },
  remembersPlans: { is: 'true or false', fits: isFlag },
  takesNull: { is: 'true or false', fits: isFlag },
  acceptsFloat16: {
    is: 'true, false or a list of positions',
    fits: (part) => isFlag(part) || Array.isArray(part),
  },
  keepsFloat32: { is: 'a list of positions', fits: (part) => part === undefined || Array.isArray(part) },
  elementwise: { is: 'true or false', fits: isFlag },
};

function isFunction(part: unknown): boolean {
  return typeof part === 'function';
}

function isFlag(part: unknown): boolean {
  return part === undefined || typeof part === 'boolean';
}

function isListOfNames(part: unknown): boolean {
  return Array.isArray(part) && part.length > 0 && part.every((name) => typeof name === 'string');
}

/** Errors: ValueError. */
function requireDefinition(definition: object): void {
  checkOptions('defineOp', definition, Object.keys(parts), 'leave it out.');
  const given = definition as Readonly<Record<string, unknown>>;
  const op = typeof given.name === 'string' ? `defineOp of '${given.name}'` : 'defineOp';
  for (const [name, { is, fits }] of Object.entries(parts)) {
    if (fits(given[name])) continue;
    throw new ValueError({
      op,
      rule: `\`${name}\` is ${is}.`,
      received: `${name}: ${describe(given[name])}`,
      hint: "give name, inputs, infer, forward and backward: defineOp({ name: 'scaled', inputs: ['x'], … }).",
    });
  }
  const { save = {}, inputs } = definition as OpDefinition;
  checkOptions(op, save, ['inputs', 'outputs']);
  const unknown = inputs[0]?.startsWith('...')
    ? undefined
    : save.inputs?.find((i) => inputs[i] === undefined);
  if (unknown === undefined) return;
  throw new ValueError({
    op,
    rule: '`save` lists inputs by their positions.',
    received: `save: { inputs: [${save.inputs}] } of ${inputs.length} inputs`,
    hint: 'count from 0.',
  });
}

/** Errors: ValueError if `infer` returned something else than specs. */
function requirePlan(op: string, plan: unknown): void {
  const isSpec = (spec: Partial<TensorSpec> | null | undefined) =>
    Array.isArray(spec?.shape) && isStoredDType(spec.dtype);
  const specs: readonly unknown[] = Array.isArray(plan) ? plan : [plan];
  if (specs.every((spec) => isSpec(spec as Partial<TensorSpec>))) return;
  throw new ValueError({
    op,
    rule: '`infer` returns the shape and the dtype of the result, or a list of such for several.',
    received: describe(plan),
    hint: 'return { shape: x.shape, dtype: x.dtype }.',
  });
}

/** Errors: ValueError if `forward` returned something else than tensors, ShapeError if they differ from the plan. */
function requireResults(op: string, results: unknown, planned: readonly TensorSpec[]): void {
  const made: readonly unknown[] = Array.isArray(results) ? results : [results];
  if (made.length !== planned.length || !areTensors(made)) {
    throw new ValueError({
      op,
      rule: `\`forward\` returns what \`infer\` planned: ${planned.map(formatSpec).join(', ')}.`,
      received: describe(results),
      hint: 'return the tensor, or a list of tensors, without async.',
    });
  }
  for (const [i, result] of made.entries()) {
    const spec = planned[i];
    if (spec?.dtype === result.dtype && sameShape(spec.shape, result.shape)) continue;
    throw new ShapeError({
      op,
      rule: `\`forward\` returns what \`infer\` planned: ${planned.map(formatSpec).join(', ')}.`,
      received: `${formatSpec(result)} as result ${i}`,
      hint: 'correct the shape or the dtype in one of the two.',
    });
  }
}

function areTensors(list: readonly unknown[]): list is readonly Tensor[] {
  return list.every((item) => item instanceof Tensor);
}
