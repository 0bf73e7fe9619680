/**
 * @file Fuses the elementwise maps of captured work: neighbours that walk the same elements become one launch, in which
 * what only they need is never stored. Constants that only maps read become parameters of theirs.
 */
import {
  type ElementwiseOptions,
  elementwiseWorkgroup,
  type OperandLayout,
  readsVectors,
} from '../../shaders/elementwise.ts';
import {
  fusedElementwise,
  type FusedElementwiseOptions,
  fusedScalars,
  fusedWalkers,
  scalarWord,
} from '../../shaders/fusedElementwise.ts';
import { joinCharges } from '../webgpu/charge.ts';
import type { Device } from '../webgpu/device.ts';
import { type Bindings, defineKernel, type Kernel } from '../webgpu/kernel.ts';
import { foldWorkgroups } from '../webgpu/launch.ts';
import { type RecordedCommand, type RecordedLaunch, rangesOf } from '../webgpu/recording.ts';
import { Storage } from '../webgpu/storage.ts';
import type { BoundRange } from '../webgpu/stream.ts';
import { elementwiseMap, elementwiseSteps, inOneLine } from './elementwise.ts';
import { bitsOf, fillMap } from './fill.ts';

const fused = defineKernel({
  name: 'fused elementwise',
  bindings: ({ inputTypes, layouts, width, results, outputs }: FusedElementwiseOptions): Bindings => {
    const element = (type: string, vectors: boolean) => (vectors ? `vec4<${type}>` : type);
    const reads = inputTypes.map((type, i) => {
      const vectors = readsVectors(layouts[i] as OperandLayout, width);
      return [`in_${i}`, `read ${element(type, vectors)}`] as const;
    });
    const writes = outputs.map(
      (step, i) => [`out_${i}`, `write ${element(results[step] as string, width === 4)}`] as const,
    );
    return Object.fromEntries([...reads, ...writes]) as Bindings;
  },
  params: {
    count: 'u32',
    scalars_low: 'u32x8',
    scalars_high: 'u32x8',
    shape_0: 'u32x8',
    strides_0: 'u32x8',
    shape_1: 'u32x8',
    strides_1: 'u32x8',
  },
  source: fusedElementwise,
});

/** Steps in one kernel, at most: its text, and the values that live at once, stay within bounds. */
const maxSteps = 32;

/** The commands with chains of maps fused. `kept` are storages whose values are wanted afterwards; `made` all that the work made. */
export function fuseElementwise(
  device: Device,
  commands: readonly RecordedCommand[],
  kept: ReadonlySet<Storage>,
  made: ReadonlyMap<Storage, number>,
): RecordedCommand[] {
  const uses = usesOf(commands);
  const isTemporary = (range: BoundRange) => range instanceof Storage && made.has(range) && !kept.has(range);
  const constants = constantsOf(commands, uses, isTemporary);
  const result: RecordedCommand[] = [];
  let chain: Chain | null = null;
  const close = () => {
    if (chain) result.push(...chain.close());
    chain = null;
  };
  commands.forEach((command, at) => {
    const isFill = command.kind === 'launch' && command.kernel === fillKernel;
    if (isFill && constants.has(outOf(command))) return;
    if (isMap(command) && chain?.take(command, at)) return;
    close();
    if (isMap(command)) {
      const next = new Chain(device, uses, isTemporary, constants);
      if (next.take(command, at)) {
        chain = next;
        return;
      }
    }
    result.push(command);
  });
  close();
  return result;
}

const mapKernel = elementwiseMap as unknown as Kernel;
const fillKernel = fillMap as unknown as Kernel;

function isMap(command: RecordedCommand): command is RecordedLaunch {
  return command.kind === 'launch' && command.kernel === mapKernel;
}

function outOf({ ranges }: RecordedLaunch): BoundRange {
  return ranges.at(-1) as BoundRange;
}

/** Positions of the commands that name a range. */
function usesOf(commands: readonly RecordedCommand[]): Map<BoundRange, number[]> {
  const uses = new Map<BoundRange, number[]>();
  commands.forEach((command, at) => {
    for (const range of new Set(rangesOf(command))) {
      const known = uses.get(range);
      if (known) known.push(at);
      else uses.set(range, [at]);
    }
  });
  return uses;
}

/** The words of storages that a fill writes and only maps read. */
function constantsOf(
  commands: readonly RecordedCommand[],
  uses: ReadonlyMap<BoundRange, readonly number[]>,
  isTemporary: (range: BoundRange) => boolean,
): Map<BoundRange, number> {
  const constants = new Map<BoundRange, number>();
  commands.forEach((command, at) => {
    if (command.kind !== 'launch' || command.kernel !== fillKernel) return;
    const out = outOf(command);
    const { bits } = command.params;
    if (!isTemporary(out) || typeof bits !== 'number') return;
    const others = (uses.get(out) ?? []).filter((use) => use !== at);
    const isRead = (use: number) => {
      const user = commands[use] as RecordedCommand;
      return isMap(user) && outOf(user) !== out;
    };
    if (others.every(isRead)) constants.set(out, bits);
  });
  return constants;
}

interface Input {
  readonly range: BoundRange;
  readonly layout: OperandLayout;
  readonly type: string;
  readonly rank: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
}

interface Step {
  readonly expression: string;
  readonly operands: readonly string[];
  readonly types: readonly string[];
  readonly result: string;
  readonly out: BoundRange;
}

/** What a map adds to a chain. */
interface Addition {
  readonly inputs: readonly Input[];
  readonly words: readonly number[];
  readonly step: Step;
}

/** Maps that follow each other over the same elements. */
class Chain {
  readonly #launches: RecordedLaunch[] = [];
  readonly #positions: number[] = [];
  #inputs: Input[] = [];
  #words: number[] = [];
  readonly #steps: Step[] = [];
  #count = 0;
  #width: 1 | 4 = 1;

  constructor(
    private readonly device: Device,
    private readonly uses: ReadonlyMap<BoundRange, readonly number[]>,
    private readonly isTemporary: (range: BoundRange) => boolean,
    private readonly constants: ReadonlyMap<BoundRange, number>,
  ) {}

  /** Takes a map in; false where it doesn't fit. */
  take(launch: RecordedLaunch, at: number): boolean {
    const options = launch.options as unknown as ElementwiseOptions;
    const { count } = launch.params;
    if (typeof count !== 'number' || this.#steps.length === maxSteps) return false;
    if (this.#steps.length === 0) {
      this.#count = count;
      this.#width = options.width;
    } else if (count !== this.#count || options.width !== this.#width) return false;
    const addition = this.#addition(launch, options);
    if (!addition) return false;
    const positions = [...this.#positions, at];
    const steps = [...this.#steps, addition.step];
    const bound = addition.inputs.length + this.#outputs(steps, positions).length;
    if (bound > this.device.limits.maxStorageBuffersPerShaderStage) return false;
    this.#launches.push(launch);
    this.#positions.push(at);
    this.#steps.push(addition.step);
    this.#inputs = [...addition.inputs];
    this.#words = [...addition.words];
    return true;
  }

  /** The commands in place of those that were taken. */
  close(): RecordedCommand[] {
    const folded = this.#launches.some(({ ranges }) => ranges.some((range) => this.constants.has(range)));
    if (this.#launches.length === 1 && !folded) return this.#launches;
    const outputs = this.#outputs(this.#steps, this.#positions);
    if (outputs.length === 0) return [];
    return [this.#fused(outputs)];
  }

  /** Steps whose values someone else needs. */
  #outputs(steps: readonly Step[], positions: readonly number[]): number[] {
    const inside = new Set(positions);
    return steps.flatMap(({ out }, i) => {
      const isInner = this.isTemporary(out) && (this.uses.get(out) ?? []).every((use) => inside.has(use));
      return isInner ? [] : [i];
    });
  }

  #addition(launch: RecordedLaunch, options: ElementwiseOptions): Addition | null {
    const inputs = [...this.#inputs];
    const words = [...this.#words];
    const operands: string[] = [];
    for (const [i, layout] of options.layouts.entries()) {
      const operand = this.#operand(launch, options, i, layout, inputs, words);
      if (operand === null) return null;
      operands.push(operand);
    }
    const expression = withScalars(options.expression, launch, words);
    const walkers = inputs.filter(({ rank }) => rank > 0).length;
    if (expression === null || words.length > fusedScalars || walkers > fusedWalkers) return null;
    const { types, result } = options;
    return { inputs, words, step: { expression, operands, types, result, out: outOf(launch) } };
  }

  /** How operand `i` is written; adds to `inputs` and `words` where it is new. Null where it can't be had in this chain. */
  #operand(
    launch: RecordedLaunch,
    options: ElementwiseOptions,
    i: number,
    layout: OperandLayout,
    inputs: Input[],
    words: number[],
  ): string | null {
    const range = launch.ranges[i] as BoundRange;
    const constant = this.constants.get(range);
    if (constant !== undefined) return `c${indexIn(words, constant)}`;
    const step = this.#steps.findLastIndex(({ out }) => out === range);
    if (step >= 0) {
      if (layout === 'full') return `v${step}`;
      return layout === 'scalar' && this.#count === 1 ? `v${step}.x` : null;
    }
    const walks = layout === 'strided' || layout === 'spread';
    const { shape, [`${'abcd'[i]}_strides`]: strides } = launch.params as Record<string, readonly number[]>;
    const input: Input = {
      range,
      layout,
      type: options.types[i] as string,
      rank: walks ? options.rank : 0,
      shape: walks ? (shape as readonly number[]) : [],
      strides: walks ? (strides as readonly number[]) : [],
    };
    const known = inputs.findIndex((other) => sameInput(input, other));
    return `i${known >= 0 ? known : inputs.push(input) - 1}`;
  }

  #fused(outputs: readonly number[]): RecordedLaunch {
    const steps = this.#steps;
    const expressions = steps.map(({ expression }) => expression);
    const repeats = elementwiseSteps(this.device, this.#count, expressions.join(' '));
    const options: FusedElementwiseOptions = {
      expressions,
      operands: steps.map(({ operands }) => operands.join(' ')),
      types: steps.map(({ types }) => types.join(' ')),
      results: steps.map(({ result }) => result),
      outputs,
      layouts: this.#inputs.map(({ layout }) => layout),
      ranks: this.#inputs.map(({ rank }) => rank),
      inputTypes: this.#inputs.map(({ type }) => type),
      width: this.#width,
      repeats,
      aligned: this.#inputs.map(({ shape, rank }) => inOneLine(shape.slice(0, rank), repeats)),
    };
    const walkers = this.#inputs.filter(({ rank }) => rank > 0);
    const kernel = fused as unknown as Kernel;
    const pipeline = this.device.pipelineOf(kernel, options);
    return {
      kind: 'launch',
      kernel,
      options,
      pipeline,
      ranges: [
        ...this.#inputs.map(({ range }) => range),
        ...outputs.map((step) => (steps[step] as Step).out),
      ],
      layout: pipeline.layout,
      params: {
        count: this.#count,
        scalars_low: this.#words.slice(0, 8),
        scalars_high: this.#words.slice(8),
        shape_0: walkers[0]?.shape ?? [],
        strides_0: walkers[0]?.strides ?? [],
        shape_1: walkers[1]?.shape ?? [],
        strides_1: walkers[1]?.strides ?? [],
      },
      grid: foldWorkgroups(Math.ceil(this.#count / (elementwiseWorkgroup * repeats))),
      fault: null,
      charge: joinCharges(this.#launches.map(({ charge }) => charge)),
    };
  }
}

function sameInput(a: Input, b: Input): boolean {
  const same = (x: readonly number[], y: readonly number[]) => x.join() === y.join();
  return (
    a.range === b.range &&
    a.layout === b.layout &&
    a.type === b.type &&
    a.rank === b.rank &&
    same(a.shape, b.shape) &&
    same(a.strides, b.strides)
  );
}

function indexIn(words: number[], word: number): number {
  const known = words.indexOf(word);
  return known >= 0 ? known : words.push(word) - 1;
}

/** The expression with its scalars read from `words`; null where one changes between runs. */
function withScalars(expression: string, { params }: RecordedLaunch, words: number[]): string | null {
  let isFixed = true;
  const text = expression.replace(/params\.(alpha|beta)(_bits)?\b/g, (_, name: string, bits?: string) => {
    const value = params[bits ? `${name}_bits` : name];
    if (typeof value !== 'number') {
      isFixed = false;
      return '';
    }
    const word = scalarWord(indexIn(words, bits ? value : bitsOf(value, 'float32')));
    return bits ? word : `bitcast<f32>(${word})`;
  });
  return isFixed ? text : null;
}
