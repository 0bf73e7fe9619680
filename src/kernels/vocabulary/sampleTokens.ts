/** @file Launches draws of tokens from logits. */
import { laneDirectives } from '../../../shaders/lib/lanes.ts';
import { sampleTokens, type SampleTokensOptions } from '../../../shaders/sampleTokens.ts';
import { type Shape, sizeOf } from '../../core/shape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { output } from '../launch/output.ts';

const kernel = defineKernel({
  name: 'sampleTokens',
  bindings: ({ penalized, greedy }: SampleTokensOptions): Bindings => ({
    logits: 'read f32',
    ...(penalized ? { previous: 'read i32', scaled: 'read_write f32' } : {}),
    ...(greedy ? {} : { noise: 'read i32' }),
    tokens: 'write i32',
  }),
  params: {
    rows: 'u32',
    n: 'u32',
    earlier: 'u32',
    rate: 'f32',
    penalty: 'f32',
    k: 'f32',
    p: 'f32',
  },
  directives: laneDirectives,
  source: sampleTokens,
});

/** How tokens are drawn. */
export interface Sampling {
  /** 0 for the largest logit. */
  temperature: number;
  /** The number of logits that are kept; null for all. */
  topK: number | null;
  /** The probability that is kept. */
  topP: number;
  repetitionPenalty: number;
}

/**
 * Returns a token for each row of `logits` [..., n]. `noise` has the seed of each row, `previous` the earlier tokens [..., earlier].
 */
export function sampleTokensKernel(
  op: string,
  logits: Tensor,
  previous: Tensor | null,
  noise: Tensor,
  shape: Shape,
  { temperature, topK, topP, repetitionPenalty }: Sampling,
): Tensor {
  const { device } = logits;
  const tokens = output(device, { shape, dtype: 'int32' }, op);
  const rows = sizeOf(shape);
  if (rows === 0) return tokens;
  const n = logits.shape.at(-1) as number;
  const penalized = previous !== null && previous.size > 0 && repetitionPenalty !== 1;
  const scaled = penalized ? output(device, logits, op) : null;
  const greedy = temperature === 0;
  const lanes = profileOf(device).lines.shared ? 256 : 64;
  const options: SampleTokensOptions = {
    lanes,
    order: 'rows',
    workgroup: lanes,
    subgroups: false,
    penalized,
    // The largest logit is within every limit.
    topK: !greedy && topK !== null && topK < n,
    topP: !greedy && topP < 1,
    greedy,
  };
  device.launch(kernel, {
    options,
    bindings: {
      logits: logits.storage,
      ...(penalized && previous && scaled ? { previous: previous.storage, scaled: scaled.storage } : {}),
      ...(greedy ? {} : { noise: noise.storage }),
      tokens: tokens.storage,
    },
    params: {
      rows,
      n,
      earlier: previous ? (previous.shape.at(-1) as number) : 0,
      rate: greedy ? 1 : 1 / temperature,
      penalty: repetitionPenalty,
      k: topK ?? n,
      p: topP,
    },
    workgroups: rows,
  });
  scaled?.dispose();
  return tokens;
}
