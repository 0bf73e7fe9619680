/**
 * @file A chain of elementwise ops in one launch: intermediate values stay in registers.
 *
 * One invocation computes `repeats` times `width` elements of every step, in order, and stores those that are outputs. Each
 * step gives the same bits as a separate launch.
 */
import { elementwiseWorkgroup } from './elementwise.ts';
import {
  axisWord,
  type FusedInput,
  type FusedSteps,
  isStrided,
  readScalars,
  stepFunction,
  stepValues,
  stridedOffset,
  valuesAcrossSteps,
} from './fusedSteps.ts';
import { flatIndex } from './lib/indexing.ts';
import { mathFunctions } from './lib/math.ts';
import { range } from './lib/text.ts';
import { wgsl } from './lib/wgsl.ts';

export type FusedElementwiseOptions = FusedSteps & {
  /** Indices of the steps whose values are stored, in the order of the outputs. */
  readonly outputs: readonly number[];
  readonly width: 1 | 4;
  /** Elements (or vectors) per invocation: at most `count`, or if interleaved, at most `count` per workgroup. */
  readonly repeats: number;
  /** Whether the elements of an invocation are a workgroup apart, rather than adjacent (see elementwise). */
  readonly interleaved: boolean;
};

export function fusedElementwise(options: FusedElementwiseOptions): string {
  const { inputs, steps, width, repeats, interleaved } = options;
  const numbers = range(repeats);
  const together = repeats * elementwiseWorkgroup;
  const expressions = steps.map(({ expression }) => expression).join(' ');
  return wgsl`
${flatIndex}
${mathFunctions(expressions)}
${steps.map(stepFunction).join('\n\n')}

${valuesAcrossSteps(width)}

@compute @workgroup_size(${elementwiseWorkgroup})
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) local: u32,
) {
  ${readScalars(steps)}
#if ${interleaved}
  // The last workgroup starts earlier instead of running past the end: some elements are computed twice.
  let first = min(flat_group(group, groups) * ${together}u, params.count - ${together}u) + local;
  ${numbers.map((repeat) => `let i_${repeat} = first + ${repeat * elementwiseWorkgroup}u;\n  ${loadsOf(options, repeat)}`).join('\n  ')}
  ${numbers.map((repeat) => `{\n  ${resultsOf(options, `_${repeat}`)}\n  }`).join('\n  ')}
#else
  let at = flat_index(group, groups, local, ${elementwiseWorkgroup}u) * ${repeats}u;
  if (at >= params.count) {
    return;
  }
  // The last invocation starts earlier instead of running past the end: some elements are computed twice.
  let first = min(at, params.count - ${repeats}u);
  ${stridedOffsets(inputs, 'first', true)}
  ${numbers.map((repeat) => element(options, repeat)).join('\n  ')}
#endif
}
`;
}

/** Loads the inputs of one of several interleaved elements. Offsets are named by the element. */
function loadsOf({ inputs }: FusedElementwiseOptions, repeat: number): string {
  const suffix = `_${repeat}`;
  const at = `i${suffix}`;
  const loads = inputs.map((input, i) => `let i${i}${suffix} = in_${i}[${indexOf(input, i, at)}];`);
  const text = [stridedOffsets(inputs, at, true), stridedOffsets(inputs, at, false), ...loads].join('\n  ');
  return text.replaceAll(/\b((?:offset|rest)_\d+)\b/g, `$1${suffix}`);
}

/** Computes and stores one element, whose inputs were loaded. */
function resultsOf(options: FusedElementwiseOptions, suffix: string): string {
  const { outputs, width } = options;
  const stores = outputs.map((step, i) => `out_${i}[i${suffix}] = v${step};`);
  return [stepValues(options, width, suffix), ...stores].join('\n  ');
}

/** Loads, computes and stores element `repeat` of an invocation. */
function element(options: FusedElementwiseOptions, repeat: number): string {
  const { inputs } = options;
  const loads = inputs.map((input, i) => `let i${i} = in_${i}[${indexOf(input, i, 'i')}];`);
  return `{
  let i = first + ${repeat}u;
  ${repeat > 0 ? advances(inputs) : ''}
  ${stridedOffsets(inputs, 'i', false)}
  ${loads.join('\n  ')}
  ${resultsOf(options, '')}
  }`;
}

function indexOf(input: FusedInput, i: number, at: string): string {
  if (isStrided(input)) return `offset_${i}`;
  return input.layout === 'scalar' ? '0' : at;
}

function stridedIndices(inputs: readonly FusedInput[]): number[] {
  return inputs.flatMap((input, i) => (isStrided(input) ? [i] : []));
}

/** Computes the offsets of element `from` in the strided inputs: those that are aligned, or the others. */
function stridedOffsets(inputs: readonly FusedInput[], from: string, aligned: boolean): string {
  return stridedIndices(inputs)
    .map((input, k) => {
      const own = inputs[input] as FusedInput;
      return own.aligned === aligned ? stridedOffset(from, input, k, own) : '';
    })
    .join('\n  ');
}

/** Moves the offsets of aligned inputs to the next element. */
function advances(inputs: readonly FusedInput[]): string {
  return stridedIndices(inputs)
    .map((input, k) => {
      const { rank, aligned } = inputs[input] as FusedInput;
      return aligned ? `offset_${input} += ${axisWord('strides', k, rank - 1)};` : '';
    })
    .join('\n  ');
}
