/**
 * @file A kernel: WGSL whose source depends only on compile-time options, declared together with its bindings and
 * runtime parameters. The WGSL declarations of buffers and parameters are generated, so that the WGSL and the launch can't
 * disagree.
 */
import { PlainMap } from '../core/plainMap.ts';
import { type ParamFields, ParamLayout, type ParamValues } from './params.ts';

/** How a kernel uses a buffer: access, then element type, such as `read f32` or `write vec4<f32>`. */
export type BindingType = `${'read' | 'write' | 'read_write'} ${string}`;
export type Bindings = Readonly<Record<string, BindingType>>;

/** Compile-time options: the source text depends only on these. */
export type KernelOptions = { readonly [name: string]: OptionValue };

/** JSON values, since pipelines are cached by the JSON of their options. */
type OptionValue =
  | string
  | number
  | boolean
  | readonly OptionValue[]
  | { readonly [name: string]: OptionValue };

/** What `defineKernel` takes. */
export interface KernelDefinition<O extends KernelOptions, B extends Bindings, P extends ParamFields> {
  /** The label of modules and pipelines; unique among kernels. */
  name: string;
  /** Buffers in binding order: a table, or a function of the options if element types depend on them. */
  bindings: B | ((options: O) => B);
  /** Runtime parameters, read in WGSL as `params.<field>`. */
  params: P;
  /** The parameters that a program with these options reads. Default: all. */
  reads?: (options: O) => readonly (keyof P & string)[];
  /** The WGSL after the generated declarations; its entry point is `main`. */
  source: (options: O) => string;
  /**
   * The binding of a result that the WGSL stores by one text, where `value` is of the binding's element type, and `at` its index. `source`
   * takes another such text as its second argument, so that steps that read that result can store theirs.
   * @internal
   */
  stores?: string;
  /** WGSL directives (`enable …;`), which must precede all declarations. */
  directives?: (options: O) => string;
  /** If true, the WGSL may call `report_fault(position, count, value)` (shaders/lib/fault). */
  faults?: boolean;
}

/** A WGSL program that `defineKernel` made, with its bindings and parameters. */
export interface Kernel<
  O extends KernelOptions = KernelOptions,
  B extends Bindings = Bindings,
  P extends ParamFields = ParamFields,
> extends KernelDefinition<O, B, P> {
  /** The layout of all parameters. */
  readonly layout: ParamLayout;
  /** Phantom: the launch derives its argument types from these. */
  readonly types?: { options: O; bindings: B; params: ParamValues<P> };
}

/** Declares a kernel. Nothing is compiled until it is first launched. */
/* @__NO_SIDE_EFFECTS__ */
export function defineKernel<
  const O extends KernelOptions,
  const B extends Bindings,
  const P extends ParamFields,
>(definition: KernelDefinition<O, B, P>): Kernel<O, B, P> {
  const params: ParamFields = definition.faults
    ? { ...definition.params, fault_slot: 'u32' }
    : definition.params;
  return { ...definition, layout: new ParamLayout(params) };
}

/** More than the variants of any kernel. */
const maxVariants = 1024;
const keys = new WeakMap<Kernel, PlainMap<string>>();

/** Returns the JSON of `options`, by which the pipelines of `kernel` are known. */
export function keyOf(kernel: Kernel, options: KernelOptions): string {
  const known = keys.get(kernel) ?? new PlainMap<string>(maxVariants);
  if (known.size === 0) keys.set(kernel, known);
  const found = known.get(options);
  if (found !== undefined) return found;
  const key = JSON.stringify(options);
  known.set(options, key);
  return key;
}

export function bindingsOf(kernel: Kernel, options: KernelOptions): Bindings {
  return typeof kernel.bindings === 'function' ? kernel.bindings(options) : kernel.bindings;
}

/** Layouts of programs that don't read all parameters, by the names of those they read. */
const narrower = new WeakMap<Kernel, Map<string, ParamLayout>>();

/** Returns the layout of the parameters of `kernel` under `options`. */
export function layoutOf(kernel: Kernel, options: KernelOptions): ParamLayout {
  const read = kernel.reads?.(options);
  if (!read) return kernel.layout;
  const layouts = narrower.get(kernel) ?? new Map<string, ParamLayout>();
  narrower.set(kernel, layouts);
  const key = read.join();
  const layout = layouts.get(key) ?? kernel.layout.only(read);
  layouts.set(key, layout);
  return layout;
}

export function isReadOnly(type: BindingType): boolean {
  return type.startsWith('read ');
}

/** Returns the complete WGSL module of a kernel under `options`. */
export function moduleSource(kernel: Kernel, options: KernelOptions, faultLibrary: string): string {
  const bindings = Object.entries(bindingsOf(kernel, options));
  const layout = layoutOf(kernel, options);
  const declarations = bindings.map(([name, type], i) => {
    const element = type.slice(type.indexOf(' ') + 1);
    const access = isReadOnly(type) ? 'read' : 'read_write';
    return `@group(0) @binding(${i}) var<storage, ${access}> ${name}: array<${element}>;`;
  });
  if (layout.fields.length > 0) {
    declarations.push(layout.wgsl, `@group(0) @binding(${bindings.length}) var<uniform> params: Params;`);
  }
  if (kernel.faults) {
    declarations.push(
      `@group(0) @binding(${bindings.length + 1}) var<storage, read_write> fault_words: array<atomic<u32>>;`,
      faultLibrary,
    );
  }
  const directives = kernel.directives?.(options) ?? '';
  return `${directives}${declarations.join('\n')}\n${kernel.source(options)}`;
}
