/**
 * @file Checks of launches requested by an app. The library's own launches are checked by their types.
 */
import { DTypeError, ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import { bindingsOf, type BindingType, type Kernel, type KernelOptions } from './kernel.ts';
import { DynamicScalar } from './params.ts';

const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ') || 'none';

/** Throws unless `given` are exactly the bindings of `kernel`. */
export function checkBindings(kernel: Kernel, options: KernelOptions, given: readonly string[]): void {
  const declared = Object.keys(bindingsOf(kernel, options));
  const fits = given.length === declared.length && declared.every((name) => given.includes(name));
  if (fits) return;
  throw new ValueError({
    op: kernel.name,
    rule: `a launch binds exactly the buffers that its kernel declares: ${list(declared)}.`,
    received: list(given),
    hint: 'give each declared binding once, under its own name.',
  });
}

/** Throws unless `params` hold a number, or up to eight for an array, for each field of `kernel`. */
export function checkParams(kernel: Kernel, params: Readonly<Record<string, unknown>>): void {
  const fields = kernel.layout.fields.filter(({ name }) => name !== 'fault_slot');
  const wrong =
    fields.find(({ name, type }) => {
      const given = params[name];
      const value = given instanceof DynamicScalar ? given.value : given;
      const isNumber = (item: unknown) =>
        type === 'f32' ? typeof item === 'number' : Number.isInteger(item);
      if (!type.endsWith('x8')) return !isNumber(value);
      return !Array.isArray(value) || value.length > 8 || !value.every(isNumber);
    })?.name ?? Object.keys(params).find((name) => !fields.some((field) => field.name === name));
  if (wrong === undefined) return;
  throw new ValueError({
    op: kernel.name,
    rule: `a launch gives a value to each parameter of its kernel: ${list(fields.map((field) => field.name))}.`,
    received: `${wrong}: ${describe(params[wrong])}`,
    hint: 'pass a number, an integer for u32 and i32, or a list of at most eight for u32x8 and i32x8; name no others.',
  });
}

/** Throws unless `workgroups` is a count or a grid. */
export function checkWorkgroups(kernel: Kernel, workgroups: unknown): void {
  const isCount = (n: unknown) => Number.isInteger(n) && (n as number) >= 0 && (n as number) < 2 ** 32;
  const isGrid = Array.isArray(workgroups) && workgroups.length === 3 && workgroups.every(isCount);
  if (isCount(workgroups) || isGrid) return;
  throw new ValueError({
    op: kernel.name,
    rule: '`workgroups` is an integer, or three of them.',
    received: `workgroups: ${describe(workgroups)}`,
    hint: 'round up: Math.ceil(count / workgroupSize).',
  });
}

/** Throws if a binding of `type` would reinterpret the bits of a tensor's elements as another type. */
export function checkElementType(kernel: Kernel, name: string, type: BindingType, stored: string): void {
  const [element] = /\b[fiu]32\b/.exec(type) ?? [];
  // u32 reads any type as raw bits.
  if (element === undefined || element === stored || element === 'u32') return;
  throw new DTypeError({
    op: kernel.name,
    rule: `binding \`${name}\` is declared as '${type}'.`,
    received: `a tensor stored as ${stored}`,
    hint: 'cast the tensor, or declare the binding by its dtype; u32 takes the bits of any.',
  });
}
