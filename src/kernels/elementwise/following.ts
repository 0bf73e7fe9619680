/**
 * @file Chains that another kernel computes where it stores what they read, so that these values are never read, nor stored where
 * nothing else reads them. The kernel says that it can (`stores`).
 */
import { followingElement, followingSource, type FollowingSteps } from '../../../shaders/followingSteps.ts';
import type { FusedStep } from '../../../shaders/fusedSteps.ts';
import {
  type Command,
  joinAttributions,
  type PreparedLaunch,
  rangesWrittenBy,
} from '../../webgpu/command.ts';
import {
  type Bindings,
  type BindingType,
  bindingsOf,
  defineKernel,
  type Kernel,
  type KernelOptions,
} from '../../webgpu/kernel.ts';
import { workOf } from '../../webgpu/launch.ts';
import type { BoundRange } from '../../webgpu/boundRange.ts';
import { Storage } from '../../webgpu/storage.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { textLength } from './elementwise.ts';
import type { Chain, ChainInput } from './fusedChain.ts';

/** `source` of a kernel that `stores`. */
type StoringSource = (options: KernelOptions, store: string) => string;

type FollowedOptions = KernelOptions & { readonly following: FollowingSteps };

const followed = new WeakMap<Kernel, Kernel>();

/** Returns the kernel that stores the results of `options.following` instead of its own. */
function followedKernel(kernel: Kernel, stores: string): Kernel {
  const known = followed.get(kernel);
  if (known) return known;
  const source = kernel.source as StoringSource;
  const made = defineKernel({
    name: `fused ${kernel.name}`,
    bindings: (options: FollowedOptions): Bindings => {
      const { [stores]: stored, ...others } = bindingsOf(kernel, options);
      const { inputs, steps, outputs, bindings, width, value, keeps } = options.following;
      const own: Bindings = keeps ? { ...others, [stores]: stored as BindingType } : others;
      const reads = inputs.flatMap(({ type, layout }, i) => {
        const name = bindings[i] as string;
        if (i === value || name in own) return [];
        return [[name, `read ${followingElement(type, layout, width)}`] as const];
      });
      const writes = outputs.map((step, i) => {
        const { result } = steps[step] as FusedStep;
        return [`out_${i}`, `write ${followingElement(result, 'full', width)}`] as const;
      });
      return { ...own, ...Object.fromEntries(reads), ...Object.fromEntries(writes) } as Bindings;
    },
    params: { ...kernel.params, no_bits: 'u32', scalars_low: 'u32x8', scalars_high: 'u32x8' },
    source: (options) => followingSource(options.following, (store) => source(options, store)),
    ...(kernel.directives ? { directives: kernel.directives } : {}),
  }) as unknown as Kernel;
  followed.set(kernel, made);
  return made;
}

/** The most commands between the first launch that stores and the chain. */
const longestWay = 16;

/** The most characters of WGSL in the steps: a kernel repeats them for each of up to 64 elements that an invocation stores. */
const longestSteps = 2_000;

/** Returns the launches that compute `chain`, by the positions of those that they replace. Null if no kernel can. */
export function followedLaunches(
  chain: Chain,
  commands: readonly Command[],
): Map<number, PreparedLaunch> | null {
  const { context, inputs } = chain;
  if (!profileOf(context.device).elementwise.follows) return null;
  if (!inputs.every(({ range, layout }) => isPlain(layout) && range instanceof Storage)) return null;
  if (chain.steps.reduce((sum, { expression }) => sum + textLength(expression), 0) > longestSteps)
    return null;
  for (const [value, { range, layout, type }] of inputs.entries()) {
    if (layout !== 'full' || type !== 'f32') continue;
    if (inputs.some((other, i) => i !== value && other.range === range)) continue;
    const uses = context.usesOf(range).filter((use) => !chain.positions.has(use));
    const writes = uses.filter((use) => rangesWrittenBy(commands[use] as Command).includes(range));
    // Others read what a single launch has stored.
    const keeps = !context.isTemporary(range) || writes.length < uses.length;
    if (writes.length === 0 || (keeps && (writes.length > 1 || writes[0] !== uses[0]))) continue;
    const launches = writes.map((at) => followedLaunch(chain, value, commands[at] as Command, keeps));
    if (launches.includes(null) || !canMove(chain, value, writes, commands)) continue;
    return new Map(writes.map((position, i) => [position, launches[i] as PreparedLaunch]));
  }
  return null;
}

const isPlain = (layout: string) => layout === 'full' || layout === 'scalar';

/** Returns whether what `chain` reads and writes is the same at `positions` as where it is. */
function canMove(
  chain: Chain,
  value: number,
  positions: readonly number[],
  commands: readonly Command[],
): boolean {
  const [first, last] = [Math.min(...positions), Math.max(...chain.positions)];
  if (last - first > longestWay || Math.max(...positions) > Math.min(...chain.positions)) return false;
  const read = new Set(chain.inputs.filter((_, i) => i !== value).map(({ range }) => range));
  const isBetween = (use: number) => use >= first && use <= last && !chain.positions.has(use);
  const isFree = (range: BoundRange) =>
    range instanceof Storage && !chain.context.usesOf(range).some(isBetween);
  if (!chain.outputs.every(({ range }) => isFree(range))) return false;
  return commands
    .slice(first, last + 1)
    .every(
      (command, i) => chain.positions.has(first + i) || !rangesWrittenBy(command).some((r) => read.has(r)),
    );
}

/**
 * Returns `command` with the steps of `chain`, whose input `value` it stores, and stores for others as well if it `keeps` it. Null if it
 * stores something else, or can't.
 */
function followedLaunch(
  chain: Chain,
  value: number,
  command: Command,
  keeps: boolean,
): PreparedLaunch | null {
  if (command.kind === 'copy' || command.fault) return null;
  const { inputs, outputs, steps, scalars, context } = chain;
  const { kernel, options, pipeline } = command;
  const { stores } = kernel;
  if (!stores) return null;
  const { range } = inputs[value] as ChainInput;
  const types = bindingsOf(kernel, options);
  const width = { 'write f32': 1, 'write vec4<f32>': 4 }[types[stores] as string];
  if (width !== 1 && width !== 4) return null;
  const ranges = new Map(pipeline.bindingNames.map((name, i) => [name, command.ranges[i] as BoundRange]));
  if (ranges.get(stores) !== range) return null;
  ranges.delete(stores);
  if ([...ranges.values()].includes(range)) return null;
  const own = [...ranges];
  // In the order of the kernel's bindings.
  if (keeps) ranges.set(stores, range);
  const bindings = inputs.map((input, i) => {
    // What the kernel reads anyway is bound once.
    const type = `read ${followingElement(input.type, input.layout, width)}`;
    const known = own.find(([name, bound]) => bound === input.range && types[name] === type);
    return known ? known[0] : `in_${i}`;
  });
  for (const [i, input] of inputs.entries()) if (i !== value) ranges.set(bindings[i] as string, input.range);
  for (const [i, output] of outputs.entries()) ranges.set(`out_${i}`, output.range);
  const { device } = context;
  if (outputs.length === 0 || ranges.size > device.limits.maxStorageBuffersPerShaderStage) return null;
  const following: FollowingSteps = {
    inputs: inputs.map(({ type, layout }) => ({ type, layout, rank: 0, aligned: false })),
    steps,
    outputs: outputs.map(({ step }) => step),
    bindings,
    width,
    value,
    keeps: keeps ? stores : '',
    reassociates: profileOf(device).elementwise.reassociates,
  };
  const fused = followedKernel(kernel, stores);
  const all = { ...options, following };
  const made = device.executor.pipelineOf(fused, all);
  const bound = [...ranges.values()];
  return {
    ...command,
    kernel: fused,
    options: all,
    pipeline: made,
    ranges: bound,
    work: Math.max(command.work, workOf(bound)),
    layout: made.layout,
    params: { ...command.params, no_bits: 0, ...scalars },
    attribution: joinAttributions([command.attribution, chain.attribution]),
  };
}
