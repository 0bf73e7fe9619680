/** @file ctcDecode: asynchronous, since paths are searched on the host. */
import { requireDType } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { type OptionNames, optionsOf, type Positions } from '../../core/options.ts';
import { describe, formatShape, requireBoolean, requireInteger, requireOneOf } from '../../core/shape.ts';
import { withDevice } from '../../webgpu/current.ts';
import { tensor } from '../../tensor/create.ts';
import { requireTensor } from '../../tensor/requireTensor.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { beamPaths } from './ctcBeamSearch.ts';
import { greedyPath } from './ctcGreedy.ts';

export interface CtcDecodeOptions {
  /** 'greedy' (default) takes the likeliest class of each step; 'beamSearch' looks for the likeliest sequences. */
  strategy?: 'greedy' | 'beamSearch' | 'beam_search';
  /** Sequences that a beam search keeps after each step. Default 100. */
  beamWidth?: number;
  /** Sequences that a beam search returns for each row of the batch. At most `beamWidth`. Default 1. */
  topPaths?: number;
  /** Whether the greedy strategy makes one label of neighbouring equal ones. Default true. */
  mergeRepeated?: boolean;
  /** The class of the blank; negative counts from the last, which null means, too. Default 0. */
  maskIndex?: number | null;
}

const optionNames: OptionNames<CtcDecodeOptions> = {
  strategy: true,
  beamWidth: true,
  topPaths: true,
  mergeRepeated: true,
  maskIndex: true,
};

const positions = ['strategy', 'beamWidth', 'topPaths', 'mergeRepeated', 'maskIndex'] as const;

type Decoded = [sequences: Tensor<'int32'>, scores: Tensor<'float32'>];

/**
 * The sequences of labels that a network which was trained with the CTC loss has recognized, and their scores. It reads
 * `inputs` back and has no gradient.
 * Shapes: inputs float32 [batch, steps, classes], logits; sequenceLengths [batch], the steps of each row that count → sequences
 * int32 [paths, batch, steps], each with -1 after its last label; scores float32: for 'greedy', minus the sum of the largest
 * logits, [batch, 1]; for 'beamSearch' the logarithms of the sequences' probabilities, [batch, topPaths], in descending order.
 * A path that doesn't exist is empty, with a score of -Infinity. A beam search takes about steps · beamWidth · classes
 * operations for each row. Source: Graves, Supervised sequence labelling with recurrent neural networks, 2012, section 7.5,
 * with the pruning of TensorFlow's `ctc_beam_search_decoder`, which sums alignments of a sequence that it keeps.
 * Errors: ShapeError; DTypeError; ValueError for options, and for lengths outside of [0, steps].
 */
export async function ctcDecode(
  inputs: Tensor,
  sequenceLengths: Tensor | readonly number[],
  options?: CtcDecodeOptions,
): Promise<Decoded>;
export async function ctcDecode(
  inputs: Tensor,
  sequenceLengths: Tensor | readonly number[],
  ...settings: Positions<CtcDecodeOptions, typeof positions>
): Promise<Decoded>;
export async function ctcDecode(
  inputs: Tensor,
  sequenceLengths: Tensor | readonly number[],
  ...settings: unknown[]
): Promise<Decoded> {
  const given: CtcDecodeOptions = optionsOf('ctcDecode', settings, optionNames, [
    'inputs',
    'sequenceLengths',
  ]);
  requireTensor('ctcDecode', 'inputs', inputs);
  const [batch, steps, classes] = logitsShape(inputs);
  const { blank, width, paths, isGreedy, mergeRepeated } = checked(given, classes);
  const { device } = inputs;
  const [values, lengths] = await Promise.all([inputs.data(), numbersOf(sequenceLengths)]);
  requireLengths(lengths, batch, steps);
  const sequences = new Int32Array(paths * batch * steps).fill(-1);
  const scores = new Float32Array(batch * paths);
  for (let row = 0; row < batch; row++) {
    const size = steps * classes;
    const logits = {
      values: values as Float32Array,
      first: row * size,
      steps: lengths[row] as number,
      classes,
    };
    const found = isGreedy
      ? [greedyPath(logits, blank, mergeRepeated)]
      : beamPaths(logits, blank, width, paths);
    for (let path = 0; path < paths; path++) {
      sequences.set(found[path]?.labels ?? [], (path * batch + row) * steps);
      scores[row * paths + path] = found[path]?.score ?? Number.NEGATIVE_INFINITY;
    }
  }
  return withDevice(device, () => [
    tensor(sequences, { shape: [paths, batch, steps], dtype: 'int32' }),
    tensor(scores, { shape: [batch, paths] }),
  ]);
}

function logitsShape(inputs: Tensor): readonly [batch: number, steps: number, classes: number] {
  requireDType('ctcDecode', 'inputs', inputs.dtype, ['float32', 'float16']);
  const { shape } = inputs;
  if (shape.length === 3 && (shape[2] as number) > 0) return shape as readonly [number, number, number];
  throw new ShapeError({
    op: 'ctcDecode',
    rule: '`inputs` are logits [batch, steps, classes], with at least one class.',
    received: `inputs ${formatShape(shape)}`,
    hint: 'pass the logits that the loss takes; expandDims(x, { axis: 0 }) makes a batch of one.',
  });
}

/** Returns the options, complete. Errors: ValueError. */
function checked(given: CtcDecodeOptions, classes: number) {
  const { strategy = 'greedy', beamWidth = 100, topPaths = 1, mergeRepeated = true, maskIndex = 0 } = given;
  requireOneOf('ctcDecode', 'strategy', strategy, ['greedy', 'beamSearch', 'beam_search']);
  requireInteger('ctcDecode', 'beamWidth', beamWidth, 1);
  requireInteger('ctcDecode', 'topPaths', topPaths, 1);
  requireBoolean('ctcDecode', 'mergeRepeated', mergeRepeated);
  const index = maskIndex ?? -1;
  requireInteger('ctcDecode', 'maskIndex', index, -classes);
  const isGreedy = strategy === 'greedy';
  if (index >= classes) {
    throw invalid(`\`maskIndex\` is one of the ${classes} classes.`, `maskIndex: ${maskIndex}`);
  }
  if (topPaths > (isGreedy ? 1 : beamWidth)) {
    const rule = isGreedy
      ? "the strategy 'greedy' gives one path."
      : '`topPaths` is at most `beamWidth`, the number of sequences that are kept.';
    throw invalid(rule, `topPaths: ${topPaths}${isGreedy ? '' : `, beamWidth: ${beamWidth}`}`);
  }
  return {
    blank: index < 0 ? index + classes : index,
    width: beamWidth,
    paths: topPaths,
    isGreedy,
    mergeRepeated,
  };
}

async function numbersOf(lengths: Tensor | readonly number[]): Promise<ArrayLike<number>> {
  if (lengths instanceof Tensor) return (await lengths.data()) as ArrayLike<number>;
  return lengths;
}

function requireLengths(lengths: ArrayLike<number>, batch: number, steps: number): void {
  const isList = (Array.isArray(lengths) || ArrayBuffer.isView(lengths)) && lengths.length === batch;
  const fits = (length: unknown) =>
    Number.isInteger(length) && 0 <= Number(length) && Number(length) <= steps;
  if (isList && Array.from(lengths).every(fits)) return;
  const received = isList
    ? `[${Array.from(lengths).join(', ')}]`
    : Array.isArray(lengths) || ArrayBuffer.isView(lengths)
      ? `${lengths.length} of them`
      : describe(lengths);
  throw invalid(
    `\`sequenceLengths\` has an integer for each of the ${batch} rows, of at most ${steps} steps.`,
    `sequenceLengths: ${received}`,
  );
}

function invalid(rule: string, received: string): ValueError {
  return new ValueError({
    op: 'ctcDecode',
    rule,
    received,
    hint: "call ctcDecode(logits, [steps, …], { strategy: 'beamSearch', topPaths: 3 }).",
  });
}
