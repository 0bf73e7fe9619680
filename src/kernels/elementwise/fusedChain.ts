/** @file A chain of elementwise launches over the same elements, and the one launch that computes all of them. */
import {
  type ElementwiseOptions,
  elementwiseWorkgroup,
  type OperandLayout,
  readsVectors,
} from '../../../shaders/elementwise.ts';
import { type FusedElementwiseOptions, fusedElementwise } from '../../../shaders/fusedElementwise.ts';
import {
  type FusedInput,
  type FusedOperand,
  type FusedStep,
  fusedScalars,
  fusedStridedInputs,
  isStrided,
  scalarWord,
} from '../../../shaders/fusedSteps.ts';
import type { Device } from '../../webgpu/device.ts';
import { type Bindings, defineKernel, type Kernel } from '../../webgpu/kernel.ts';
import { foldWorkgroups, workOf } from '../../webgpu/launch.ts';
import { type Attribution, joinAttributions, type PreparedLaunch } from '../../webgpu/command.ts';
import type { BoundRange } from '../../webgpu/boundRange.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { elementwiseSteps, inOneLine, longestChain, strideNames } from './elementwise.ts';
import { bitsOf } from '../../core/bits.ts';

/** The parameters of a chain's steps and inputs. */
export const chainParams = {
  /** Always zero (see `rounded` in the WGSL). */
  no_bits: 'u32',
  scalars_low: 'u32x8',
  scalars_high: 'u32x8',
  shape_0: 'u32x8',
  strides_0: 'u32x8',
  shape_1: 'u32x8',
  strides_1: 'u32x8',
} as const;

const fusedKernel = defineKernel({
  name: 'fused elementwise',
  bindings: ({ inputs, steps, outputs, width }: FusedElementwiseOptions): Bindings => {
    const element = (type: string, vectors: boolean) => (vectors ? `vec4<${type}>` : type);
    const reads = inputs.map(
      ({ type, layout }, i) => [`in_${i}`, `read ${element(type, readsVectors(layout, width))}`] as const,
    );
    const writes = outputs.map(
      (step, i) => [`out_${i}`, `write ${element((steps[step] as FusedStep).result, width === 4)}`] as const,
    );
    return Object.fromEntries([...reads, ...writes]) as Bindings;
  },
  params: { count: 'u32', ...chainParams },
  source: fusedElementwise,
});

/** The maximum number of steps in one kernel: this limits its source text and the number of live values. */
const maxSteps = 32;

/** The context of a chain: the surrounding commands. */
export interface ChainContext {
  readonly device: Device;
  /** Positions of the commands that use a range. */
  usesOf(range: BoundRange): readonly number[];
  /** Whether the range is unused after the commands. */
  isTemporary(range: BoundRange): boolean;
  /** The word of a constant range, if its fill is dropped and readers use the word as a constant. */
  constantOf(range: BoundRange): number | undefined;
}

/** An input, with its binding and parameters. */
export interface ChainInput {
  readonly range: BoundRange;
  readonly type: string;
  readonly layout: OperandLayout;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
}

/** A chain with one more step: its inputs and its constants may have grown. */
interface Extension {
  readonly inputs: ChainInput[];
  readonly constants: number[];
  readonly step: FusedStep;
}

/** A chain divided in two. */
export interface DividedChain {
  /** The steps that one other command alone needs. */
  readonly last: Chain;
  /** The steps before them. */
  readonly rest: Chain;
}

export class Chain {
  readonly #launches: PreparedLaunch[] = [];
  /** Of the launches, in order. */
  readonly #positions = new Set<number>();
  #inputs: readonly ChainInput[] = [];
  #constants: readonly number[] = [];
  readonly #steps: FusedStep[] = [];
  /** The range that each step writes if it is launched separately. */
  readonly #results: BoundRange[] = [];
  #count = 0;
  #width: 1 | 4 = 1;

  constructor(readonly context: ChainContext) {}

  get inputs(): readonly ChainInput[] {
    return this.#inputs;
  }

  get steps(): readonly FusedStep[] {
    return this.#steps;
  }

  /** Elements that a step computes at a time. */
  get width(): 1 | 4 {
    return this.#width;
  }

  /** Positions of the launches that it replaces. */
  get positions(): ReadonlySet<number> {
    return this.#positions;
  }

  /** The steps whose values are needed outside the chain, with the ranges that they write. */
  get outputs(): readonly { readonly step: number; readonly range: BoundRange }[] {
    const steps = this.#outputs(this.#results, this.#positions);
    return steps.map((step) => ({ step, range: this.#results[step] as BoundRange }));
  }

  get attribution(): Attribution | null {
    return joinAttributions(this.#launches.map(({ attribution }) => attribution));
  }

  /** The constants as parameters. */
  get scalars(): { scalars_low: readonly number[]; scalars_high: readonly number[] } {
    return { scalars_low: this.#constants.slice(0, 8), scalars_high: this.#constants.slice(8) };
  }

  /** Appends an elementwise launch; false if it doesn't fit. */
  take(launch: PreparedLaunch, position: number): boolean {
    const options = launch.options as unknown as ElementwiseOptions;
    const { count } = launch.params;
    // A fused step computes the complete expression, which costs more than what is gained by fusing it.
    if (options.common) return false;
    if (typeof count !== 'number' || this.#steps.length === maxSteps) return false;
    const isFirst = this.#steps.length === 0;
    if (!isFirst && (count !== this.#count || options.width !== this.#width)) return false;
    if (isFirst) [this.#count, this.#width] = [count, options.width];
    const extension = this.#extension(launch, options);
    if (!extension) return false;
    const { inputs, constants, step } = extension;
    const results = [...this.#results, resultOf(launch)];
    const outputs = this.#outputs(results, new Set([...this.#positions, position]));
    if (inputs.length + outputs.length > this.context.device.limits.maxStorageBuffersPerShaderStage)
      return false;
    this.#launches.push(launch);
    this.#positions.add(position);
    this.#steps.push(step);
    this.#results.push(resultOf(launch));
    this.#inputs = inputs;
    this.#constants = constants;
    return true;
  }

  /** Returns the launches that replace those taken: none if their results are unused. */
  launches(): readonly PreparedLaunch[] {
    const outputs = this.#outputs(this.#results, this.#positions);
    if (outputs.length === 0) return [];
    const needsFusion =
      this.#launches.length > 1 || this.#launches.some((launch) => this.#readsConstant(launch));
    return needsFusion ? [this.#fused(outputs)] : this.#launches;
  }

  /**
   * Separates the steps that compute `range` only for the command at position `reader`, so that it can compute them itself. Null
   * if others need its values, or if they and `reader` need a value that isn't stored.
   */
  divide(range: BoundRange, reader: number): DividedChain | null {
    const positions = [...this.#positions];
    const stored = new Set(this.#outputs(this.#results, this.#positions));
    const own = new Set<number>();
    const isOwn = (step: number) => {
      const result = this.#results[step] as BoundRange;
      const uses = this.context.usesOf(result).filter((use) => use !== positions[step]);
      const isUsed = result === range || uses.length > 0;
      const isItsUse = (use: number) => (result === range ? use === reader : own.has(use));
      return isUsed && this.context.isTemporary(result) && uses.every(isItsUse);
    };
    for (let step = positions.length - 1; step >= 0; step--)
      if (isOwn(step)) own.add(positions[step] as number);
    const [last, rest] = [new Chain(this.context), new Chain(this.context)];
    for (const [step, position] of positions.entries()) {
      const isLast = own.has(position);
      const { operands } = this.#steps[step] as FusedStep;
      const isReadable = ({ from, index }: FusedOperand) =>
        from !== 'step' || own.has(positions[index] as number) || stored.has(index);
      if (isLast && !operands.every(isReadable)) return null;
      if (!(isLast ? last : rest).take(this.#launches[step] as PreparedLaunch, position)) return null;
    }
    return own.size > 0 ? { last, rest } : null;
  }

  #readsConstant({ ranges }: PreparedLaunch): boolean {
    return ranges.some((range) => this.context.constantOf(range) !== undefined);
  }

  /** Returns the steps whose values are needed outside the chain. */
  #outputs(results: readonly BoundRange[], positions: ReadonlySet<number>): number[] {
    const { context } = this;
    return results.flatMap((result, step) => {
      const isInner =
        context.isTemporary(result) && context.usesOf(result).every((use) => positions.has(use));
      return isInner ? [] : [step];
    });
  }

  /** Returns the chain with `launch` as its next step. Null if that exceeds the limits of one kernel. */
  #extension(launch: PreparedLaunch, options: ElementwiseOptions): Extension | null {
    const inputs = [...this.#inputs];
    const constants = [...this.#constants];
    const operands: FusedOperand[] = [];
    for (let i = 0; i < options.types.length; i++) {
      const operand = this.#operand(launch, options, i, inputs, constants);
      if (!operand) return null;
      operands.push(operand);
    }
    const expression = withScalars(options.expression, launch, constants);
    if (expression === null || constants.length > fusedScalars) return null;
    if (inputs.filter(({ shape }) => shape.length > 0).length > fusedStridedInputs) return null;
    const { types, result } = options;
    return { inputs, constants, step: { expression, operands, types, result } };
  }

  /** Returns how operand `i` is read; new ones are added to `inputs` and `constants`. Null if this chain can't read it. */
  #operand(
    launch: PreparedLaunch,
    options: ElementwiseOptions,
    i: number,
    inputs: ChainInput[],
    constants: number[],
  ): FusedOperand | null {
    const range = launch.ranges[i] as BoundRange;
    const layout = options.layouts[i] as OperandLayout;
    const constant = this.context.constantOf(range);
    if (constant !== undefined) return { from: 'constant', index: indexIn(constants, constant) };
    const step = this.#results.lastIndexOf(range);
    if (step >= 0) {
      if (layout === 'full') return { from: 'step', index: step, first: false };
      const hasOneValue = layout === 'scalar' && this.#count === 1;
      return hasOneValue ? { from: 'step', index: step, first: true } : null;
    }
    const input = inputOf(launch, options, i);
    const known = inputs.findIndex((other) => sameInput(input, other));
    return { from: 'input', index: known >= 0 ? known : inputs.push(input) - 1 };
  }

  #fused(outputs: readonly number[]): PreparedLaunch {
    const { device } = this.context;
    const expressions = this.#steps.map(({ expression }) => expression).join(' ');
    const repeats = elementwiseSteps(device, this.#count, expressions, longestChain);
    const { interleaved, reassociates } = profileOf(device).elementwise;
    const inputs = this.#inputs.map(
      ({ type, layout, shape }): FusedInput => ({
        type,
        layout,
        rank: shape.length,
        aligned: !interleaved && inOneLine(shape, repeats),
      }),
    );
    const options: FusedElementwiseOptions = {
      inputs,
      steps: this.#steps,
      outputs,
      width: this.#width,
      repeats,
      interleaved: interleaved && repeats > 1,
      reassociates,
    };
    const strided = this.#inputs.filter((_, i) => isStrided(inputs[i] as FusedInput));
    const kernel = fusedKernel as unknown as Kernel;
    const pipeline = device.executor.pipelineOf(kernel, options);
    const ranges = [
      ...this.#inputs.map(({ range }) => range),
      ...outputs.map((step) => this.#results[step] as BoundRange),
    ];
    return {
      kind: 'launch',
      kernel,
      options,
      pipeline,
      ranges,
      work: workOf(ranges),
      layout: pipeline.layout,
      params: { count: this.#count, ...this.scalars, ...stridedParams(strided) },
      grid: foldWorkgroups(Math.ceil(this.#count / (elementwiseWorkgroup * repeats))),
      fault: null,
      attribution: this.attribution,
    };
  }
}

/** Returns the parameters of the inputs that are read through strides, and of steps. */
export function stridedParams([first, second]: readonly ChainInput[]) {
  return {
    no_bits: 0,
    shape_0: first?.shape ?? [],
    strides_0: first?.strides ?? [],
    shape_1: second?.shape ?? [],
    strides_1: second?.strides ?? [],
  };
}

/** Returns the range that an elementwise launch writes. */
export function resultOf({ ranges }: PreparedLaunch): BoundRange {
  return ranges.at(-1) as BoundRange;
}

function inputOf({ ranges, params }: PreparedLaunch, options: ElementwiseOptions, i: number): ChainInput {
  const { layouts, types, rank } = options;
  const layout = layouts[i] as OperandLayout;
  const strided = layout === 'strided' || layout === 'spread';
  const axes = (name: string) => (strided ? (params[name] as readonly number[]).slice(0, rank) : []);
  return {
    range: ranges[i] as BoundRange,
    type: types[i] as string,
    layout,
    shape: axes('shape'),
    strides: axes(strideNames[i] as string),
  };
}

function sameInput(a: ChainInput, b: ChainInput): boolean {
  return (
    a.range === b.range &&
    a.layout === b.layout &&
    a.type === b.type &&
    a.shape.join() === b.shape.join() &&
    a.strides.join() === b.strides.join()
  );
}

function indexIn(words: number[], word: number): number {
  const known = words.indexOf(word);
  return known >= 0 ? known : words.push(word) - 1;
}

/** Returns the expression with its scalars read from `constants`; null if one changes between replays. */
function withScalars(expression: string, { params }: PreparedLaunch, constants: number[]): string | null {
  let isFixed = true;
  const text = expression.replace(/params\.(alpha|beta)(_bits)?\b/g, (_, name: string, bits?: string) => {
    const value = params[bits ? `${name}_bits` : name];
    if (typeof value !== 'number') {
      isFixed = false;
      return '';
    }
    const word = scalarWord(indexIn(constants, bits ? value : bitsOf(value, 'float32')));
    return bits ? word : `bitcast<f32>(${word})`;
  });
  return isFixed ? text : null;
}
