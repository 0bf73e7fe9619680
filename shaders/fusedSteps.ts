/** @file The steps of chains of elementwise ops that are computed in one launch, with its inputs and its constants. */
import { type OperandLayout, operandNames, readsVectors } from './elementwise.ts';
import { components } from './lib/text.ts';

/** The source of an operand of a step. */
export type FusedOperand =
  /** An input of the chain, by its index. */
  | { readonly from: 'input'; readonly index: number }
  /** The value of an earlier step; `first` if all elements read the first one. */
  | { readonly from: 'step'; readonly index: number; readonly first: boolean }
  /** A constant, by its index among the words of the scalars. */
  | { readonly from: 'constant'; readonly index: number };

export type FusedInput = {
  /** WGSL type of an element. */
  readonly type: string;
  /** How it is read: at the output's own index, as its only value, or through strides (see elementwise). */
  readonly layout: OperandLayout;
  /** Axes that it is read over through strides; 0 for the other layouts. */
  readonly rank: number;
  /** Whether the elements of one invocation differ only in its last coordinate. */
  readonly aligned: boolean;
};

export type FusedStep = {
  /** WGSL expression of `a` to `f`, with scalars as `scalarWord` writes them. */
  readonly expression: string;
  readonly operands: readonly FusedOperand[];
  /** WGSL types in which the expression takes them. */
  readonly types: readonly string[];
  /** WGSL type of the value. */
  readonly result: string;
};

export type FusedSteps = {
  readonly inputs: readonly FusedInput[];
  readonly steps: readonly FusedStep[];
  /** Whether the adapter's compiler may also reorder operations, as those of GPUs with relaxed math do. */
  readonly reassociates: boolean;
};

/** The maximum number of words of scalars in a launch. */
export const fusedScalars = 16;
/** The maximum number of inputs that a launch can read through strides. */
export const fusedStridedInputs = 2;

/** Word `n` of the scalars, in WGSL. */
export function scalarWord(n: number): string {
  return `scalar_${n}`;
}

/** The scalars that steps read, in WGSL. */
export function scalarsOf(steps: readonly FusedStep[]): string[] {
  const constants = steps.flatMap(({ operands }) => operands.filter(({ from }) => from === 'constant'));
  return [...new Set([...constants.map(({ index }) => scalarWord(index)), ...steps.flatMap(ownScalars)])];
}

/** The scalars in the expression of a step. */
function ownScalars({ expression }: FusedStep): string[] {
  return [...new Set(expression.match(/\bscalar_\d+/g))];
}

/** Reads the scalars: once per invocation, since a software adapter would read them again for each element. */
export function readScalars(steps: readonly FusedStep[]): string {
  return scalarsOf(steps)
    .map((scalar) => {
      const n = Number(scalar.slice('scalar_'.length));
      return `let ${scalar} = params.scalars_${n < 8 ? 'low' : 'high'}[${(n >> 2) & 1}][${n & 3}];`;
    })
    .join('\n  ');
}

export function isStrided({ layout }: FusedInput): boolean {
  return layout === 'strided' || layout === 'spread';
}

export function stepFunction(own: FusedStep, step: number): string {
  const { expression, types, result } = own;
  const parameters = [
    ...types.map((type, i) => `${operandNames[i]}: ${type}`),
    ...ownScalars(own).map((scalar) => `${scalar}: u32`),
  ];
  return `fn apply_${step}(${parameters.join(', ')}) -> ${result} {\n  return ${expression};\n}`;
}

/**
 * Rounds a float that one step passes to another, as storing it would. Compilers may otherwise contract a product and a sum
 * into one fma, factor a sum of products, or cancel a sum against a difference across steps. No compiler can know that
 * `no_bits` is zero.
 */
export function valuesAcrossSteps(width: 1 | 4): string {
  const [float, bits] = width === 4 ? ['vec4<f32>', 'vec4<u32>'] : ['f32', 'u32'];
  return `fn rounded(value: ${float}) -> ${float} {
  return bitcast<${float}>(bitcast<${bits}>(value) ^ ${bits}(params.no_bits));
}`;
}

/** WGSL functions that don't round: their results are exact in any expression. */
const exactFunctions = /\b(abs|min|max|select|sign|floor|ceil|trunc|round|bitcast<\w+>|[fiu]32|bool)\(/g;
const operand = String.raw`(?:[a-f]|bitcast<f32>\(scalar_\d+\))`;
const product = new RegExp(`^${operand} \\* ${operand}$`);
const sumOrProduct = new RegExp(`^${operand} [-+*] ${operand}$`);

/** Returns whether an expression rounds its result. */
export function rounds({ expression, result }: FusedStep): boolean {
  return result === 'f32' && /[-+*/]|\w\(/.test(expression.replace(exactFunctions, '('));
}

/** Returns whether a compiler that keeps the order of operations may still merge `reader` with the step that it reads. */
function mayMerge(step: FusedStep, reader: FusedStep): boolean {
  return !(sumOrProduct.test(step.expression) && product.test(reader.expression));
}

/** Returns the steps whose values have to be rounded before other steps read them. */
function roundedSteps({ steps, reassociates }: FusedSteps): ReadonlySet<number> {
  const found = new Set<number>();
  for (const reader of steps) {
    for (const operand of reader.operands) {
      if (operand.from !== 'step') continue;
      const step = steps[operand.index] as FusedStep;
      if (rounds(step) && (reassociates || mayMerge(step, reader))) found.add(operand.index);
    }
  }
  return found;
}

/** Computes the values of all steps, `v<step>`, from inputs `i<input>`. */
export function stepValues(fused: FusedSteps, width: 1 | 4, suffix = ''): string {
  const { inputs, steps } = fused;
  const isRounded = roundedSteps(fused);
  return steps
    .map((_, i) => {
      const value = stepValue(steps, inputs, i, width, suffix);
      return `let v${i} = ${isRounded.has(i) ? `rounded(${value})` : value};`;
    })
    .join('\n  ');
}

/** Returns the value of a step, in WGSL: one application of its function for each component. */
function stepValue(
  steps: readonly FusedStep[],
  inputs: readonly FusedInput[],
  index: number,
  width: 1 | 4,
  suffix: string,
): string {
  const own = steps[index] as FusedStep;
  const { operands, types, result } = own;
  const applied = (component: string) => {
    const given = operands.map((operand, i) => operandValue(operand, types[i] as string, component));
    given.push(...ownScalars(own));
    return `apply_${index}(${given.join(', ')})`;
  };
  function operandValue(operand: FusedOperand, type: string, component: string): string {
    if (operand.from === 'constant') return `bitcast<${type}>(${scalarWord(operand.index)})`;
    if (operand.from === 'step') {
      const { result: from } = steps[operand.index] as FusedStep;
      const lane = operand.first ? 'x' : component;
      return converted(width === 4 ? `v${operand.index}.${lane}` : `v${operand.index}`, from, type);
    }
    const input = inputs[operand.index] as FusedInput;
    const isVector = readsVectors(input.layout, width);
    return converted(
      isVector ? `i${operand.index}${suffix}.${component}` : `i${operand.index}${suffix}`,
      input.type,
      type,
    );
  }
  return width === 4 ? `vec4<${result}>(${components.map(applied).join(', ')})` : applied('');
}

function converted(value: string, from: string, to: string): string {
  return from === to ? value : `bitcast<${to}>(${value})`;
}

/**
 * Returns the offset of element `from` in input `input`, the strided one number `k`: coordinates from the last axis to the
 * first. A spread input is the same along the last axis.
 */
export function stridedOffset(
  from: string,
  input: number,
  k: number,
  { rank, layout }: Pick<FusedInput, 'rank' | 'layout'>,
): string {
  const axes = Array.from({ length: rank }, (_, i) => rank - 1 - i);
  const lines = axes.flatMap((axis) => {
    const [rest, size] = [`rest_${input}`, axisWord('shape', k, axis)];
    const add = (coordinate: string) =>
      layout === 'spread' && axis === rank - 1
        ? []
        : [`offset_${input} += ${coordinate} * ${axisWord('strides', k, axis)};`];
    return axis === 0 ? add(rest) : [...add(`${rest} % ${size}`), `${rest} /= ${size};`];
  });
  return [`var offset_${input} = 0u;`, `var rest_${input} = ${from};`, ...lines].join('\n  ');
}

export function axisWord(field: 'shape' | 'strides', k: number, axis: number): string {
  return `params.${field}_${k}[${axis >> 2}][${axis & 3}]`;
}
