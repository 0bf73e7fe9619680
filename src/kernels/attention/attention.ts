/** @file Launches attention and its gradient. Scores stay in workgroup memory, so memory is linear in the lengths. */
import { attention } from '../../../shaders/attention/forward.ts';
import {
  attentionKeyGradient,
  attentionQueryGradient,
  type AttentionSumsOptions,
  attentionSums,
  type QueryGradientOptions,
  sumsWorkgroup,
} from '../../../shaders/attention/gradient.ts';
import { type AttentionOptions, attentionTiles, rowsOf } from '../../../shaders/attention/tile.ts';
import { sizeOf } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { type Bindings, bindingsOf, defineKernel, type Kernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { AdapterProfile } from '../selection/adapterProfile.ts';
import { fillKernel } from '../copies/fill.ts';
import { bindsAsVectors, output } from '../launch/output.ts';
import { broadcastStrides } from '../launch/strided.ts';

/** The sizes of a call. */
export interface AttentionSizes {
  readonly batch: number;
  readonly queries: number;
  readonly keys: number;
  readonly heads: number;
  /** Heads of keys and values; a divisor of `heads`. */
  readonly keyHeads: number;
  /** Dimensions of queries and keys. */
  readonly size: number;
  readonly valueSize: number;
}

/** The largest head size that fits in a tile. */
const largestHead = 256;

export type AttentionAlgorithm = 'fused' | 'gemm';

/** Returns whether attention is one kernel, or GEMMs with the scores in memory. */
export function selectAttention(
  { batch, queries, keys, heads, size, valueSize }: AttentionSizes,
  { attention: { largestScores } }: AdapterProfile,
): AttentionAlgorithm {
  if (Math.max(size, valueSize) > largestHead) return 'gemm';
  return batch * heads * queries * keys <= largestScores ? 'gemm' : 'fused';
}

const vector = ({ width }: { width: 1 | 4 }) => (width === 4 ? 'vec4<f32>' : 'f32');
const scoreBindings = ({ shown }: AttentionOptions): Bindings => (shown ? { shown: 'read u32' } : {});
/** Queries, keys and values, or one tensor of all. */
const operandBindings = (options: AttentionOptions): Bindings =>
  Object.fromEntries(
    (options.joined ? ['joined'] : ['query', 'key', 'value']).map((name) => [
      name,
      `read ${vector(options)}`,
    ]),
  );
const gradientInputs = (options: AttentionOptions): Bindings => ({
  ...operandBindings(options),
  cotangent: `read ${vector(options)}`,
  ...scoreBindings(options),
});
/** What the sums are made of. */
const forwardResults = (options: AttentionSumsOptions): Bindings => ({
  out: `read ${vector(options)}`,
  stats: 'read vec2<f32>',
});

const params = {
  count: 'u32',
  tiles: 'u32',
  queries: 'u32',
  keys: 'u32',
  heads: 'u32',
  key_heads: 'u32',
  // In units of the width.
  size: 'u32',
  value_size: 'u32',
  scale: 'f32',
  batch_step: 'u32',
  head_step: 'u32',
  query_step: 'u32',
  key_step: 'u32',
  shown_is_mask: 'u32',
  // How much later than a query the last visible key may be.
  later: 'u32',
} as const;

const forward = defineKernel({
  name: 'attention',
  bindings: (options: AttentionOptions): Bindings => ({
    ...operandBindings(options),
    ...scoreBindings(options),
    out: `write ${vector(options)}`,
    stats: 'write vec2<f32>',
  }),
  params,
  source: attention,
});

const sumsOfQueries = defineKernel({
  name: 'attention sums',
  bindings: (options: AttentionSumsOptions): Bindings => ({
    ...forwardResults(options),
    cotangent: `read ${vector(options)}`,
    sums: 'write vec4<f32>',
  }),
  params: { count: 'u32', queries: 'u32', heads: 'u32', value_size: 'u32' },
  source: attentionSums,
});

const queryGradient = defineKernel({
  name: 'attention query gradient',
  bindings: (options: QueryGradientOptions): Bindings => ({
    ...gradientInputs(options),
    ...(options.ownSums ? forwardResults(options) : {}),
    sums: `${options.ownSums ? 'write' : 'read'} vec4<f32>`,
    [options.joined ? 'joined_gradient' : 'query_gradient']: `write ${vector(options)}`,
  }),
  params,
  source: attentionQueryGradient,
});

const keyGradient = defineKernel({
  name: 'attention key gradient',
  bindings: (options: AttentionOptions): Bindings => ({
    ...gradientInputs(options),
    sums: 'read vec4<f32>',
    ...(options.joined
      ? { joined_gradient: `write ${vector(options)}` }
      : { key_gradient: `write ${vector(options)}`, value_gradient: `write ${vector(options)}` }),
  }),
  params,
  source: attentionKeyGradient,
});

/** How the scores of a call become weights. At most one of bias and mask is given. */
export interface AttentionScores {
  /** Both broadcast to [batch, heads, queries, keys]. */
  readonly bias: Tensor | null;
  readonly mask: Tensor | null;
  readonly sizes: AttentionSizes;
  readonly scale: number;
  readonly isCausal: boolean;
}

/** The inputs of attention. */
export interface AttentionInput extends AttentionScores {
  readonly query: Tensor;
  readonly key: Tensor;
  readonly value: Tensor;
}

/** The same with one tensor [batch, length, heads + 2 key heads, size] of queries, keys and values. */
export interface JoinedAttentionInput extends AttentionScores {
  readonly joined: Tensor;
}

/** The tensors that kernels read, by their bindings. */
type Operands = Readonly<Record<string, Tensor>>;

const storagesOf = (operands: Operands) =>
  Object.fromEntries(Object.entries(operands).map(([name, { storage }]) => [name, storage]));

/** Returns the spec of the statistics that the gradient reads: for each query of each head, the largest score and the sum. */
export function statsSpec({ batch, heads, queries }: AttentionSizes): TensorSpec {
  return { shape: [batch, heads, queries, 2], dtype: 'float32' };
}

export function attentionKernel(
  op: string,
  { query, key, value, ...scores }: AttentionInput,
  spec: TensorSpec,
): [out: Tensor, stats: Tensor] {
  return launchForward(op, { query, key, value }, scores, spec);
}

export function joinedAttentionKernel(
  op: string,
  { joined, ...scores }: JoinedAttentionInput,
  spec: TensorSpec,
): [out: Tensor, stats: Tensor] {
  return launchForward(op, { joined }, scores, spec);
}

function launchForward(
  op: string,
  operands: Operands,
  scores: AttentionScores,
  spec: TensorSpec,
): [out: Tensor, stats: Tensor] {
  const { sizes } = scores;
  const { device } = Object.values(operands)[0] as Tensor;
  const stats = output(device, statsSpec(sizes), op);
  if (sizeOf(spec.shape) === 0 || sizes.keys === 0) return [fillKernel(device, spec, 0, op), stats];
  const out = output(device, spec, op);
  const launch = launchOf(operands, scores, [out]);
  device.launch(forward, {
    options: launch.options,
    bindings: { ...launch.inputs, out: out.storage, stats: stats.storage },
    ...launch.grid('queries', sizes.heads),
    multiplications: 2 * launch.multiplications,
  });
  return [out, stats];
}

/** What the gradient reads besides the inputs. */
interface Backward {
  readonly out: Tensor;
  readonly stats: Tensor;
  readonly cotangent: Tensor;
}

/** Computes the gradients of query, key and value; the latter two only if `needsKeys`. */
export function attentionGradientKernel(
  op: string,
  { query, key, value, ...scores }: AttentionInput,
  backward: Backward,
  needsKeys: boolean,
): Tensor[] {
  const { sizes } = scores;
  const { device } = query;
  const made = (like: Tensor) => output(device, like, op);
  const zeros = (like: Tensor) => fillKernel(device, like, 0, op);
  const operands = needsKeys ? [query, key, value] : [query];
  if (backward.out.size === 0 || sizes.keys === 0) return operands.map(zeros);
  const ofQueries = { query_gradient: made(query) };
  const ofKeys = needsKeys ? { key_gradient: made(key), value_gradient: made(value) } : null;
  launchBackward(op, { query, key, value }, scores, backward, { ofQueries, ofKeys });
  return Object.values({ ...ofQueries, ...ofKeys });
}

/** Computes the gradient of one tensor of queries, keys and values: two launches write their parts of it. */
export function joinedAttentionGradientKernel(
  op: string,
  { joined, ...scores }: JoinedAttentionInput,
  backward: Backward,
): Tensor {
  const { device } = joined;
  if (backward.out.size === 0) return fillKernel(device, joined, 0, op);
  const gradient = { joined_gradient: output(device, joined, op) };
  launchBackward(op, { joined }, scores, backward, { ofQueries: gradient, ofKeys: gradient });
  return gradient.joined_gradient;
}

function launchBackward(
  op: string,
  operands: Operands,
  scores: AttentionScores,
  { out, stats, cotangent }: Backward,
  { ofQueries, ofKeys }: { ofQueries: Operands; ofKeys: Operands | null },
): void {
  const { device } = out;
  const { sizes } = scores;
  const written = Object.values({ ...ofQueries, ...ofKeys });
  const launch = launchOf(operands, scores, [out, cotangent, ...written]);
  const { batch, heads, queries } = sizes;
  const sums = output(device, { shape: [batch, heads, queries, 4], dtype: 'float32' }, op);
  const bindings = { ...launch.inputs, cotangent: cotangent.storage, sums: sums.storage };
  const options: QueryGradientOptions = { ...launch.options, ownSums: true };
  const { maxStorageBuffersPerShaderStage } = device.limits;
  if (
    Object.keys(bindingsOf(queryGradient as unknown as Kernel, options)).length >
    maxStorageBuffersPerShaderStage
  ) {
    options.ownSums = false;
    launchSums({ out, stats, cotangent }, sums, sizes, launch.options.width);
  }
  device.launch(queryGradient, {
    options,
    bindings: {
      ...bindings,
      ...storagesOf(ofQueries),
      ...(options.ownSums ? { out: out.storage, stats: stats.storage } : {}),
    },
    ...launch.grid('queries', sizes.heads),
    multiplications: 3 * launch.multiplications,
  });
  if (ofKeys) {
    device.launch(keyGradient, {
      options: launch.options,
      bindings: { ...bindings, ...storagesOf(ofKeys) },
      ...launch.grid('keys', sizes.keyHeads),
      multiplications: 4 * launch.multiplications,
    });
  }
  sums.dispose();
}

function launchSums(
  { out, stats, cotangent }: Backward,
  sums: Tensor,
  { batch, queries, heads, valueSize }: AttentionSizes,
  width: 1 | 4,
): void {
  const count = batch * queries * heads;
  sums.device.launch(sumsOfQueries, {
    options: { width },
    bindings: storagesOf({ out, stats, cotangent, sums }),
    params: { count, queries, heads, value_size: valueSize / width },
    workgroups: Math.ceil(count / sumsWorkgroup),
  });
}

/** Returns the options that all launches of a call share; `others` are further tensors that are read and written in vectors. */
function launchOf(
  operands: Operands,
  { bias, mask, sizes, scale, isCausal }: AttentionScores,
  others: readonly Tensor[],
) {
  const { batch, queries, keys, heads, keyHeads, size, valueSize } = sizes;
  const shown = bias ?? mask;
  const rows = [...Object.values(operands), ...others];
  const inVectors = size % 4 === 0 && valueSize % 4 === 0 && rows.every(bindsAsVectors);
  const width = inVectors ? 4 : 1;
  const options: AttentionOptions = {
    size: capacityFor(Math.max(size, valueSize)),
    width,
    shown: shown !== null,
    joined: 'joined' in operands,
  };
  const steps = shown ? broadcastStrides(shown.shape, [batch, heads, queries, keys]) : [0, 0, 0, 0];
  const [batchStep, headStep, queryStep, keyStep] = steps as [number, number, number, number];
  const tileRows = rowsOf(attentionTiles[options.size]);
  return {
    options,
    /** For each matmul with the scores. */
    multiplications: batch * heads * queries * keys * Math.max(size, valueSize),
    inputs: { ...storagesOf(operands), ...(shown ? { shown: shown.storage } : {}) },
    /** Returns a workgroup for each tile of rows of each head. */
    grid(of: 'queries' | 'keys', ofHeads: number) {
      const tiles = Math.ceil(sizes[of] / tileRows);
      const count = batch * ofHeads * tiles;
      return {
        params: {
          count,
          tiles,
          queries,
          keys,
          heads,
          key_heads: keyHeads,
          size: size / width,
          value_size: valueSize / width,
          scale,
          batch_step: batchStep,
          head_step: headStep,
          query_step: queryStep,
          key_step: keyStep,
          shown_is_mask: Number(mask !== null),
          later: isCausal ? 0 : keys,
        },
        workgroups: count,
      };
    },
  };
}

function capacityFor(size: number): AttentionOptions['size'] {
  return ([32, 64, 128] as const).find((capacity) => size <= capacity) ?? largestHead;
}
