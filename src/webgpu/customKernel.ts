/** @file The public defineKernel, which checks definitions at run time. The library's own kernels are checked by their types. */
import { ValueError } from '../core/errors.ts';
import { checkOptions, isPlainObject } from '../core/options.ts';
import { describe } from '../core/shape.ts';
import {
  type Bindings,
  defineKernel as define,
  type Kernel,
  type KernelDefinition,
  type KernelOptions,
} from './kernel.ts';
import type { ParamFields, ParamType } from './params.ts';

/**
 * Declares a kernel: WGSL with its buffers and parameters. Nothing is compiled until it is first launched. `runKernel`
 * launches it on tensors, and checks shapes and dtypes there.
 * Errors: ValueError for a definition with an unknown or a missing part, or for a binding or parameter of an unknown type.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineKernel<
  const O extends KernelOptions,
  const B extends Bindings,
  const P extends ParamFields,
>(definition: KernelDefinition<O, B, P>): Kernel<O, B, P> {
  requireDefinition(definition);
  return define(definition);
}

const paramTypes: readonly string[] = ['u32', 'i32', 'f32', 'u32x8', 'i32x8'] satisfies ParamType[];

type Part = Exclude<keyof KernelDefinition<never, never, never>, 'stores'>;

/** The allowed types of each part of a definition; undefined for optional parts. */
const parts: Readonly<Record<Part, { is: string; fits: (part: unknown) => boolean }>> = {
  name: { is: 'a string', fits: (part) => typeof part === 'string' && part !== '' },
  bindings: {
    is: "an object of bindings, such as { x: 'read f32', y: 'write f32' }, or a function of the options that returns one",
    fits: (part) => isFunction(part) || isTable(part, (type) => bindingType.test(type)),
  },
  params: {
    is: `an object of the types ${paramTypes.join(', ')} by name; {} for none`,
    fits: (part) => isTable(part, (type) => paramTypes.includes(type)),
  },
  source: { is: 'a function of the options that returns WGSL', fits: isFunction },
  reads: { is: 'a function of the options', fits: isOptionalFunction },
  directives: { is: 'a function of the options', fits: isOptionalFunction },
  faults: { is: 'true or false', fits: (part) => part === undefined || typeof part === 'boolean' },
};

/** Access, then element type. */
const bindingType = /^(read|write|read_write) \S/;

function isFunction(part: unknown): boolean {
  return typeof part === 'function';
}

function isOptionalFunction(part: unknown): boolean {
  return part === undefined || isFunction(part);
}

function isTable(part: unknown, fits: (type: string) => boolean): boolean {
  return isPlainObject(part) && Object.values(part).every((type) => typeof type === 'string' && fits(type));
}

/** Errors: ValueError. */
function requireDefinition(definition: object): void {
  checkOptions('defineKernel', definition, Object.keys(parts), 'leave it out.');
  const given = definition as Readonly<Record<string, unknown>>;
  for (const [name, { is, fits }] of Object.entries(parts)) {
    if (fits(given[name])) continue;
    throw new ValueError({
      op: typeof given.name === 'string' ? `defineKernel of '${given.name}'` : 'defineKernel',
      rule: `\`${name}\` is ${is}.`,
      received: `${name}: ${describe(given[name])}`,
      hint: "give name, bindings, params and source: defineKernel({ name: 'scale', … }).",
    });
  }
}
