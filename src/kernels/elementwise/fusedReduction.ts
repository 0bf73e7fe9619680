/** @file A reduction of the values of an elementwise chain, and the one launch that computes both. */
import {
  computedElements,
  elementFunctions,
  type FusedReduceOptions,
  fusedInputElement,
  unitOf,
} from '../../../shaders/fusedReduce.ts';
import type { FusedInput } from '../../../shaders/fusedSteps.ts';
import { laneDirectives } from '../../../shaders/lib/lanes.ts';
import type { ReduceOptions } from '../../../shaders/reduce.ts';
import { type Bindings, defineKernel, type Kernel } from '../../webgpu/kernel.ts';
import { workOf } from '../../webgpu/launch.ts';
import { joinAttributions, type PreparedLaunch } from '../../webgpu/command.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { textLength } from './elementwise.ts';
import { type Chain, type ChainInput, chainParams, stridedParams } from './fusedChain.ts';
import { reduceBindings, reduceParams, reduceSource } from '../reduce/reduce.ts';

const fusedKernel = defineKernel({
  name: 'fused reduce',
  bindings: (options: FusedReduceOptions): Bindings => ({
    ...Object.fromEntries(
      options.inputs.map(
        (input, i) => [`in_${i}`, `read ${fusedInputElement(input, unitOf(options))}`] as const,
      ),
    ),
    ...reduceBindings(options),
  }),
  params: { ...reduceParams, ...chainParams },
  directives: laneDirectives,
  source: (options) =>
    `${elementFunctions(options)}${reduceSource({ ...options, computed: computedElements(options) })}`,
});

/**
 * The maximum number of characters of WGSL in a reduction's loop, where each element repeats the chain: compilers take long for
 * much text, and a GPU's instruction cache is small.
 */
const longestLoop = 40_000;

/** A reduction that computes its elements by a chain. */
export class FusedReduction {
  private constructor(
    private readonly chain: Chain,
    private readonly launch: PreparedLaunch,
    private readonly inputs: readonly ChainInput[],
  ) {}

  /**
   * Joins the end of `chain` and the reduction `launch`, the command at `position`. Returns what is left of the chain, and the
   * reduction; null if they don't fit, or if the values are needed elsewhere.
   */
  static of(
    chain: Chain,
    launch: PreparedLaunch,
    position: number,
  ): { rest: Chain; reduction: FusedReduction } | null {
    const [x, ...others] = launch.ranges;
    if (!x || others.includes(x)) return null;
    const divided = chain.divide(x, position);
    if (!divided) return null;
    const { last, rest } = divided;
    const options = launch.options as unknown as ReduceOptions;
    const inputs = last.inputs.map((input) => inUnits(input, last.width, unitOf(options)));
    const { maxStorageBuffersPerShaderStage } = chain.context.device.limits;
    const fits =
      last.steps.at(-1)?.result === options.input &&
      inputs.length + others.length <= maxStorageBuffersPerShaderStage &&
      textLength(expressionsOf(last)) * elementsInLoop(options) <= longestLoop;
    if (!fits || !inputs.every((input) => input !== null)) return null;
    return { rest, reduction: new FusedReduction(last, launch, inputs) };
  }

  launches(): readonly PreparedLaunch[] {
    const { chain, launch, inputs } = this;
    const { device } = chain.context;
    const options: FusedReduceOptions = {
      ...(launch.options as unknown as ReduceOptions),
      inputs: inputs.map(
        ({ type, layout, shape }): FusedInput => ({ type, layout, rank: shape.length, aligned: false }),
      ),
      steps: chain.steps,
      reassociates: profileOf(device).elementwise.reassociates,
    };
    const kernel = fusedKernel as unknown as Kernel;
    const pipeline = device.executor.pipelineOf(kernel, options);
    const ranges = [...inputs.map(({ range }) => range), ...launch.ranges.slice(1)];
    const strided = inputs.filter(({ shape }) => shape.length > 0);
    return [
      {
        ...launch,
        kernel,
        options,
        pipeline,
        ranges,
        work: workOf(ranges),
        layout: pipeline.layout,
        params: { ...launch.params, ...chain.scalars, ...stridedParams(strided) },
        attribution: joinAttributions([chain.attribution, launch.attribution]),
      },
    ];
  }
}

function expressionsOf({ steps }: Chain): string {
  return steps.map(({ expression }) => expression).join(' ');
}

/** The elements that one iteration of a reduction's loop reads. */
function elementsInLoop({ width, linesPerLoop, reads }: ReduceOptions): number {
  return reads * width * linesPerLoop;
}

/**
 * Returns how an input of a chain that computes `width` elements at a time is read in units of `unit` elements. Null if a unit
 * has no single place in it, or if each element would have to be located.
 */
function inUnits(input: ChainInput, width: 1 | 4, unit: 1 | 4 | 16): ChainInput | null {
  const { shape } = input;
  if (shape.length === 0) return input;
  const end = shape.length - 1;
  const line = (shape[end] as number) * width;
  if (unit === 1 || line % unit > 0) return null;
  const inLines = shape.map((n, axis) => (axis === end ? line / unit : n));
  if (input.strides[end] === 0) return { ...input, layout: 'spread', shape: inLines };
  const strides = input.strides.map((stride, axis) => (axis === end ? stride : (stride * width) / unit));
  if (strides[end] !== 1 || !strides.every(Number.isInteger)) return null;
  return { ...input, layout: 'strided', shape: inLines, strides };
}
