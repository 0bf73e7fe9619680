/**
 * @file Launches elementwise ops. Operands broadcast to the output's shape; axes with compatible strides in all operands
 * are merged, so that most calls are flat. An invocation computes vectors of four elements if the operands allow it along
 * the last merged axis.
 */
import {
  elementwise,
  type ElementwiseOptions,
  elementwiseWorkgroup,
  type OperandLayout,
  operandNames,
  readsVectors,
} from '../../../shaders/elementwise.ts';
import { commonWorkgroup, maxRounds } from '../../../shaders/commonElementwise.ts';
import { commonForm, mathFunctions } from '../../../shaders/lib/math.ts';
import { type DType, orderOf, wgslType } from '../../core/dtype.ts';
import { type Shape, sameShape, stridesOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Device } from '../../webgpu/device.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Storage } from '../../webgpu/storage.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AdapterProfile } from '../selection/adapterProfile.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { bitsOf } from '../../core/bits.ts';
import { bindsAsVectors, output } from '../launch/output.ts';
import { broadcastStrides, mergeAxes } from '../launch/strided.ts';

const scalars = ['alpha', 'beta', 'alpha_bits', 'beta_bits'] as const;
/** Names of the parameters with the strides of each operand. */
export const strideNames = [
  'a_strides',
  'b_strides',
  'c_strides',
  'd_strides',
  'e_strides',
  'f_strides',
] as const;

/** Names of the operands' bindings. */
const valuesOf = operandNames.map((name) => `${name}_values`);

export const elementwiseMap = defineKernel({
  name: 'elementwise',
  bindings: ({ types, result, layouts, width }: ElementwiseOptions): Bindings => {
    const element = (type: string, vectors: boolean) => (vectors ? `vec4<${type}>` : type);
    const reads = types.map((type, i) => {
      const vectors = readsVectors(layouts[i] as OperandLayout, width);
      return [valuesOf[i] as string, `read ${element(type, vectors)}`] as const;
    });
    return Object.fromEntries([...reads, ['out', `write ${element(result, width === 4)}`]]) as Bindings;
  },
  params: {
    count: 'u32',
    rounds: 'u32',
    groups: 'u32',
    alpha: 'f32',
    beta: 'f32',
    alpha_bits: 'u32',
    beta_bits: 'u32',
    shape: 'u32x8',
    a_strides: 'u32x8',
    b_strides: 'u32x8',
    c_strides: 'u32x8',
    d_strides: 'u32x8',
    e_strides: 'u32x8',
    f_strides: 'u32x8',
  },
  reads: ({ expression, types, rank, common, grouped }) => [
    'count',
    ...(grouped ? (['groups'] as const) : []),
    ...(common ? (['rounds'] as const) : []),
    ...scalars.filter((name) => expression.includes(`params.${name}`)),
    ...(rank > 0 ? (['shape', ...strideNames.slice(0, types.length)] as const) : []),
  ],
  source: elementwise,
});

/**
 * Numbers that an expression reads as `params.alpha` and `params.beta`; if the first operand holds integers, exactly as
 * the bits `params.alpha_bits` and `params.beta_bits`.
 */
export interface Scalars {
  alpha?: number;
  beta?: number;
}

/** How a launch reads its operands. */
interface Plan {
  layouts: readonly OperandLayout[];
  width: 1 | 4;
  /** The merged axes, in units of `width` elements along the last; empty if no operand needs strides. */
  shape: readonly number[];
  /** The strides of each operand, in the units in which it is bound. */
  strides: readonly (readonly number[])[];
}

const none: readonly never[] = [];

/** The plans for one to six operands that all have the output's shape, read one by one or in fours. */
const flat = operandNames.map((_, i) => {
  const layouts = Array.from({ length: i + 1 }, (): OperandLayout => 'full');
  return {
    inFours: { layouts, width: 4, shape: none, strides: none },
    single: { layouts, width: 1, shape: none, strides: none },
  } as const;
});

/** Chooses layouts, width and strides for `operands` broadcast to `shape`. */
function plan(operands: readonly Tensor[], shape: Shape): Plan {
  if (operands.every((x) => x.size > 1 && sameShape(x.shape, shape))) {
    const plans = flat[operands.length - 1] as (typeof flat)[number];
    return operands.every(bindsAsVectors) ? plans.inFours : plans.single;
  }
  const layouts = operands.map((x): OperandLayout => {
    if (x.size === 1) return 'scalar';
    return sameShape(trimmed(x.shape), trimmed(shape)) ? 'full' : 'strided';
  });
  const vectorable = operands.every((x, i) => layouts[i] === 'scalar' || bindsAsVectors(x));
  if (!layouts.includes('strided')) return { layouts, width: vectorable ? 4 : 1, shape: [], strides: [] };
  const walk = mergeAxes(shape, [stridesOf(shape), ...operands.map((x) => broadcastStrides(x.shape, shape))]);
  const strides = walk.strides.slice(1);
  const last = walk.shape.length - 1;
  if (!vectorable || (walk.shape[last] as number) % 4 !== 0)
    return { layouts, width: 1, shape: walk.shape, strides };
  // A strided operand has stride 1 or 0 along the last axis; if 1, its other strides are multiples of that axis.
  const spread = (i: number) => layouts[i] === 'strided' && strides[i]?.[last] === 0;
  return {
    layouts: layouts.map((layout, i) => (spread(i) ? 'spread' : layout)),
    width: 4,
    shape: walk.shape.map((n, axis) => (axis === last ? n / 4 : n)),
    strides: strides.map((own, i) => (spread(i) ? own : own.map((s, axis) => (axis === last ? s : s / 4)))),
  };
}

/**
 * The maximum number of characters of WGSL in an invocation's steps: a software adapter compiles longer ones slowly. Less for
 * chains that are fused, of which a model has many.
 */
const longestText = 6144;
export const longestChain = 4096;
const textLengths = new Map<string, number>();

/** Returns the length of `expression` and of the functions that it calls. */
export function textLength(expression: string): number {
  let length = textLengths.get(expression);
  if (length === undefined) {
    length = expression.length + mathFunctions(expression).length;
    textLengths.set(expression, length);
  }
  return length;
}

/** Elements (or vectors) that an invocation computes: several only if there is work for the whole device. */
export function elementwiseSteps(
  device: Device,
  count: number,
  expression: string,
  longest = longestText,
): 1 | 2 | 4 {
  const { minElements } = profileOf(device).elementwise;
  if (count < minElements[2]) return 1;
  return mostSteps(expression, longest, (steps) => count >= minElements[steps]);
}

/** Returns the largest number of steps that `longest` and `allows` permit. */
function mostSteps(expression: string, longest: number, allows: (steps: 2 | 4) => boolean): 1 | 2 | 4 {
  const length = textLength(expression);
  return ([4, 2] as const).find((steps) => length * steps <= longest && allows(steps)) ?? 1;
}

/**
 * Returns whether the `steps` elements of an invocation, beginning at a multiple of `steps`, are always in one line of `shape`.
 */
export function inOneLine(shape: readonly number[], steps: number): boolean {
  return steps > 1 && shape.length > 0 && (shape.at(-1) as number) % steps === 0;
}

/**
 * Returns whether lines of any length are divided into groups: on software adapters, which then compute a position per
 * group.
 */
export function dividesLines(device: Device, count: number): boolean {
  const { interleaved, minElements } = profileOf(device).elementwise;
  return !interleaved && count >= minElements[4];
}

/**
 * Returns how many elements an invocation computes as a group of a line (see `grouped`); null if lines aren't divided into
 * groups.
 */
function groupSize(device: Device, { width, shape }: Plan, count: number, expression: string): 4 | 8 | null {
  if (width > 1 || shape.length === 0 || !dividesLines(device, count)) return null;
  const line = shape.at(-1) as number;
  const longest = Math.min(line, longestText / textLength(expression));
  return ([8, 4] as const).find((steps) => steps <= longest) ?? null;
}

/** Returns `plan` for groups of a line, which read an operand that is the same along the line once. */
function inGroups(plan: Plan): Plan {
  const isSame = (i: number) => plan.layouts[i] === 'strided' && plan.strides[i]?.at(-1) === 0;
  return { ...plan, layouts: plan.layouts.map((layout, i) => (isSame(i) ? 'spread' : layout)) };
}

const commonExpressions = new Map<string, string | null>();

/** Returns the common form of an expression; null if it has none. */
function commonExpression(expression: string): string | null {
  let common = commonExpressions.get(expression);
  if (common === undefined) {
    common = commonForm(expression)?.expression ?? null;
    commonExpressions.set(expression, common);
  }
  return common;
}

/** Workgroups that keep the processors of a software adapter busy. */
const busyWorkgroups = 4;

/** Rounds of an invocation, where `workgroups` would compute one round each. */
const roundsFor = (workgroups: number) =>
  Math.min(Math.max(Math.floor(workgroups / busyWorkgroups), 1), maxRounds);

interface Program {
  options: ElementwiseOptions;
  key: string;
}

/**
 * The programs that were launched, by their expression and a number that encodes their other options: most calls repeat
 * one, and needn't serialize its options again.
 */
const programs = new Map<string, Map<number, Program>>();

const layoutNumbers: Record<OperandLayout, number> = { full: 0, scalar: 1, strided: 2, spread: 3 };

function programOf(
  expression: string,
  operands: readonly Tensor[],
  result: DType,
  { layouts, shape, width }: Plan,
  steps: number,
  common: boolean,
  grouped: boolean,
  { interleaved }: AdapterProfile['elementwise'],
): Program {
  const aligned = grouped || (!interleaved && inOneLine(shape, steps));
  let traits = (((orderOf(result) * 8 + shape.length) * 5 + width) * 9 + steps) * 16;
  traits += 8 * Number(grouped) + 4 * Number(common) + 2 * Number(interleaved) + Number(aligned);
  for (let i = 0; i < operands.length; i++)
    traits =
      (traits * 5 + orderOf((operands[i] as Tensor).dtype)) * 4 + layoutNumbers[layouts[i] as OperandLayout];
  let variants = programs.get(expression);
  if (!variants) {
    variants = new Map();
    programs.set(expression, variants);
  }
  const known = variants.get(traits);
  if (known) return known;
  const options: ElementwiseOptions = {
    expression,
    types: operands.map((x) => wgslType(x.dtype)),
    result: wgslType(result),
    layouts,
    rank: shape.length,
    width,
    steps,
    interleaved: interleaved && steps > 1,
    common,
    aligned,
    grouped,
  };
  const program = { options, key: JSON.stringify(options) };
  variants.set(traits, program);
  return program;
}

/** The number of elements from which rare ones are computed separately: captured launches of few are better fused, which these can't be. */
const minCommon = ({ executor }: Device, profile: AdapterProfile['elementwise']) =>
  executor.mode === 'eager' ? profile.minCommon : Math.max(profile.minCommon, profile.minElements[4]);

/** Applies `expression` to `operands` (one to six), broadcast to `spec.shape`. */
export function elementwiseKernel(
  op: string,
  expression: string,
  operands: readonly Tensor[],
  spec: TensorSpec,
  { alpha = 0, beta = 0 }: Scalars = {},
): Tensor {
  const { device, dtype } = operands[0] as Tensor;
  const out = output(device, spec, op);
  if (out.size === 0) return out;
  const planned = plan(operands, spec.shape);
  const { width, shape, strides } = planned;
  const count = Math.ceil(out.size / width);
  const profile = profileOf(device).elementwise;
  const common =
    count >= minCommon(device, profile) && shape.length === 0 ? commonExpression(expression) : null;
  const inGroup = groupSize(device, planned, count, expression);
  const steps =
    inGroup ??
    (common === null
      ? elementwiseSteps(device, count, expression)
      : mostSteps(common, longestText, () => true));
  const usesCommon = common !== null && steps > 1;
  const line = shape.at(-1) ?? 1;
  const groups = Math.ceil(line / steps);
  const units = inGroup ? (count / line) * groups : count / steps;
  const workgroups = Math.ceil(units / (usesCommon ? commonWorkgroup : elementwiseWorkgroup));
  const rounds = usesCommon ? roundsFor(workgroups) : 1;
  const bindings: Record<string, Storage> = { out: out.storage };
  for (let i = 0; i < operands.length; i++) bindings[valuesOf[i] as string] = (operands[i] as Tensor).storage;
  const { options, key } = programOf(
    expression,
    operands,
    spec.dtype,
    inGroup ? inGroups(planned) : planned,
    steps,
    usesCommon,
    inGroup !== null,
    profile,
  );
  device.launch(elementwiseMap, {
    options,
    key,
    bindings,
    params: {
      count,
      rounds,
      groups,
      alpha,
      beta,
      alpha_bits: bitsOf(alpha, dtype),
      beta_bits: bitsOf(beta, dtype),
      shape,
      a_strides: strides[0] ?? none,
      b_strides: strides[1] ?? none,
      c_strides: strides[2] ?? none,
      d_strides: strides[3] ?? none,
      e_strides: strides[4] ?? none,
      f_strides: strides[5] ?? none,
    },
    workgroups: Math.ceil(workgroups / rounds),
  });
  return out;
}

/** Returns a shape without leading axes of size 1, which don't change how values are laid out. */
function trimmed(shape: Shape): Shape {
  let first = 0;
  while (first < shape.length && shape[first] === 1) first++;
  return shape.slice(first);
}
