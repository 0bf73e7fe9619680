/** @file Launches the parts of a cross-entropy whose logits exist one block of the vocabulary at a time. */
import { laneDirectives } from '../../../shaders/lib/lanes.ts';
import {
  vocabularyGradient,
  vocabularyLosses,
  vocabularyStatistics,
  type VocabularyStatisticsOptions,
  vocabularyWorkgroup,
} from '../../../shaders/vocabulary.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineKernel } from '../../webgpu/kernel.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { foldsInSubgroups } from '../selection/lanes.ts';
import { output } from '../launch/output.ts';

const statisticsKernel = defineKernel({
  name: 'vocabulary statistics',
  bindings: { logits: 'read f32', labels: 'read i32', statistics: 'read_write vec4<f32>' },
  params: { rows: 'u32', n: 'u32', first: 'u32' },
  directives: laneDirectives,
  source: vocabularyStatistics,
});

const lossesKernel = defineKernel({
  name: 'vocabulary losses',
  bindings: {
    statistics: 'read vec4<f32>',
    labels: 'read i32',
    losses: 'write f32',
    log_sums: 'write f32',
  },
  params: { rows: 'u32', smoothing: 'f32', vocabulary: 'f32', z: 'f32', ignored: 'i32' },
  source: vocabularyLosses,
});

const gradientKernel = defineKernel({
  name: 'vocabulary gradient',
  bindings: {
    logits: 'read_write f32',
    labels: 'read i32',
    log_sums: 'read f32',
    dy: 'read f32',
  },
  params: {
    count: 'u32',
    n: 'u32',
    first: 'u32',
    smoothing: 'f32',
    vocabulary: 'f32',
    z: 'f32',
    ignored: 'i32',
  },
  source: vocabularyGradient,
});

/** What a loss is computed by. */
export interface VocabularyLoss {
  /** The number of logits of a row. */
  vocabulary: number;
  smoothing: number;
  z: number;
  /** The label of rows without a loss. */
  ignored: number;
}

/** Updates `statistics` [rows, 4] with the logits [rows, n] of the columns from `first` on; the first block writes them. */
export function updateStatistics(logits: Tensor, labels: Tensor, statistics: Tensor, first: number): void {
  const [rows, n] = logits.shape as [number, number];
  const profile = profileOf(logits.device);
  const lanes = profile.lines.shared ? 64 : 1;
  const workgroup = 64;
  const subgroups = foldsInSubgroups(profile, lanes, 'rows');
  const options: VocabularyStatisticsOptions = { lanes, order: 'rows', workgroup, subgroups };
  logits.device.launch(statisticsKernel, {
    options,
    bindings: { logits: logits.storage, labels: labels.storage, statistics: statistics.storage },
    params: { rows, n, first },
    workgroups: Math.ceil((rows * lanes) / workgroup),
  });
}

const paramsOf = ({ vocabulary, smoothing, z, ignored }: VocabularyLoss) => ({
  vocabulary,
  smoothing,
  z,
  ignored,
});

/** Returns the loss and the log-sum-exp of each row. */
export function vocabularyLossesKernel(
  op: string,
  statistics: Tensor,
  labels: Tensor,
  loss: VocabularyLoss,
): [losses: Tensor, logSums: Tensor] {
  const { device } = statistics;
  const [rows] = statistics.shape as [number];
  const spec = { shape: [rows], dtype: 'float32' } as const;
  const [losses, logSums] = [output(device, spec, op), output(device, spec, op)];
  device.launch(lossesKernel, {
    options: {},
    bindings: {
      statistics: statistics.storage,
      labels: labels.storage,
      losses: losses.storage,
      log_sums: logSums.storage,
    },
    params: { rows, ...paramsOf(loss) },
    workgroups: Math.ceil(rows / vocabularyWorkgroup),
  });
  return [losses, logSums];
}

/** Replaces the logits [rows, n] of the columns from `first` on by the gradients of the losses, times `dy` [rows]. */
export function replaceByGradient(
  logits: Tensor,
  { labels, logSums, dy }: Readonly<Record<'labels' | 'logSums' | 'dy', Tensor>>,
  first: number,
  loss: VocabularyLoss,
): void {
  const [, n] = logits.shape as [number, number];
  logits.device.launch(gradientKernel, {
    options: {},
    bindings: {
      logits: logits.storage,
      labels: labels.storage,
      log_sums: logSums.storage,
      dy: dy.storage,
    },
    params: { count: logits.size, n, first, ...paramsOf(loss) },
    workgroups: Math.ceil(logits.size / vocabularyWorkgroup),
  });
}
