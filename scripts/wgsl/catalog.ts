/**
 * @file The kernels by family, each with its principal options and the variants that a reader should see. `npm run wgsl`
 * prints them, and test/shaders compiles each variant and compares it with a snapshot. A kernel that isn't here fails
 * that test.
 */
import '../../shaders/gemm/subgroupMatrix.ts';
import type { AttentionSumsOptions } from '../../shaders/attention/gradient.ts';
import type { AttentionOptions } from '../../shaders/attention/tile.ts';
import type { BinnedScatterOptions } from '../../shaders/binnedScatter.ts';
import type { CheckIndicesOptions } from '../../shaders/checkIndices.ts';
import type { ConvolutionKernelOptions } from '../../shaders/convolution.ts';
import type { CopyOptions } from '../../shaders/copy.ts';
import type { BlockOptions } from '../../shaders/depthwise/blocks.ts';
import type { StripOptions } from '../../shaders/depthwise/strips.ts';
import type { TapsOptions } from '../../shaders/depthwise/taps.ts';
import type { DropoutShaderOptions } from '../../shaders/dropout.ts';
import type { ElementwiseOptions } from '../../shaders/elementwise.ts';
import type { Float16Options } from '../../shaders/float16.ts';
import type { Col2imOptions } from '../../shaders/col2im.ts';
import type { FusedElementwiseOptions } from '../../shaders/fusedElementwise.ts';
import type { GatherOptions } from '../../shaders/gather.ts';
import type { GemmOptions } from '../../shaders/gemm.ts';
import type { ChunkOptions, ScaleOptions } from '../../shaders/gradientNorms.ts';
import type { LayerNormOptions } from '../../shaders/layerNorm.ts';
import type { LayerNormGradientOptions } from '../../shaders/layerNormGradient.ts';
import type { MatMulOptions } from '../../shaders/matMul.ts';
import type { StepOptions } from '../../shaders/optimizer.ts';
import type { PadOptions } from '../../shaders/pad.ts';
import type { PoolGradientOptions, PoolOptions } from '../../shaders/pool.ts';
import type { RandomOptions } from '../../shaders/random.ts';
import type {
  StepOptions as RecurrentOptions,
  StepGradientOptions as RecurrentGradientOptions,
} from '../../shaders/recurrent.ts';
import type { ReduceOptions } from '../../shaders/reduce.ts';
import type { ResizeOptions } from '../../shaders/resize.ts';
import type { RowsOptions } from '../../shaders/rows.ts';
import type { ScanOptions } from '../../shaders/scan.ts';
import type {
  DirectScatterOptions,
  FoldOptions as ChunkSumOptions,
  OwnedScatterOptions,
  SumOptions,
} from '../../shaders/scatter.ts';
import type { TriangularOptions } from '../../shaders/linalg.ts';
import type { SegmentExtremumOptions } from '../../shaders/segmentExtremum.ts';
import type { SequenceOptions } from '../../shaders/sequence.ts';
import type { SoftmaxOptions } from '../../shaders/softmax.ts';
import type { RadixOptions } from '../../shaders/sort.ts';
import type { StatisticsOptions } from '../../shaders/statistics.ts';
import type { SumSplitsOptions } from '../../shaders/sumSplits.ts';
import type { TopKOptions } from '../../shaders/topK.ts';
import type { TransposeOptions } from '../../shaders/transpose.ts';
import type { GradientOptions, KernelsOptions, ResultOptions, TilesOptions } from '../../shaders/winograd.ts';
import { gemmTiles } from '../../src/kernels/gemmTiles.ts';
import { ascendingKey } from '../../src/kernels/keys.ts';
import type { KernelOptions } from '../../src/webgpu/kernel.ts';

export interface CatalogEntry {
  /** What `npm run wgsl` starts from; every option of the kernel is a key of it. */
  defaults: KernelOptions;
  /** By file name: the options that differ from the defaults. */
  variants: Readonly<Record<string, Partial<KernelOptions>>>;
}

/** Tables of options are merged with the defaults. */
type Variant<O> = { [K in keyof O]?: O[K] extends Readonly<Record<string, unknown>> ? Partial<O[K]> : O[K] };

function entry<O extends KernelOptions>(
  defaults: O,
  variants: Readonly<Record<string, Variant<O>>> = {},
): CatalogEntry {
  return { defaults, variants: { default: {}, ...(variants as CatalogEntry['variants']) } };
}

/** 128 invocations a subgroup: what Dawn's null adapter compiles. */
const subgroupMatrixTile = { memory: 'subgroupMatrix', matrixSize: [16, 16, 16, 128] } as const;

const gemmDefaults: GemmOptions = {
  // Listed, so that `matrixSize` is known as an option: most tiles have none.
  tile: { ...gemmTiles.large, matrixSize: undefined },
  type: 'f32',
  a: { major: 'k', width: 4, float16: false },
  b: { major: 'mn', width: 4, float16: false },
  outWidth: 4,
  bias: false,
  activation: 'value',
  flat: false,
  split: false,
};

const matMulDefaults: MatMulOptions = { ...gemmDefaults, batchRank: 0 };
const convolutionDefaults: ConvolutionKernelOptions = { ...gemmDefaults, strided: false, joined: false };

const indexDefaults = { index: 'i32', addressing: 'axis', mode: 'outside', check: 'all' } as const;
const gatherDefaults: GatherOptions = {
  ...indexDefaults,
  flat: true,
  width: 1,
  run: 1,
  single: true,
  stepwise: false,
};
const rowsDefaults: RowsOptions = { ...indexDefaults, run: 8, batched: false };
const scatterDefaults: DirectScatterOptions = { ...indexDefaults, type: 'f32', width: 1 };

const lanes = { lanes: 64, order: 'rows', width: 4, workgroup: 64, subgroups: true, kept: 2 } as const;
const serialLines = { lanes: 1, order: 'columns', width: 1, subgroups: false, kept: 0 } as const;
const longColumns = { lanes: 32, order: 'columns', workgroup: 256, subgroups: false, kept: 0 } as const;

const sum: ReduceOptions = {
  input: 'f32',
  accumulator: 'f32',
  initial: 'bitcast<f32>(params.initial)',
  combine: 'a + b',
  prepare: 'f32(value)',
  prepareFour: '',
  operands: [],
  finish: ['a'],
  results: ['f32'],
  order: 'rows',
  width: 4,
  abreast: 1,
  workgroup: 256,
  lanes: 256,
  subgroups: true,
  serial: false,
  split: false,
};

const moments = {
  accumulator: 'vec4<f32>',
  initial: 'vec4<f32>()',
  combine: 'merge_moments(a, b)',
  prepare: 'moments_of(value)',
  prepareFour: 'moments_of_four(a, b, c, d)',
  finish: ['a.w + a.y', 'a.z / params.length'],
  results: ['f32', 'f32'],
} as const;

const attention: AttentionOptions = { size: 64, width: 4, shown: false };

const optimizer = (
  variant: string,
  states: readonly string[],
  variants: Record<string, Variant<StepOptions>> = {},
) =>
  entry<StepOptions>(
    {
      variant,
      states,
      gradients: 8,
      packed: true,
      clipping: 'none',
      scaled: false,
      accumulated: false,
      decayed: false,
      averaged: false,
      squared: false,
      workgroup: 64,
      steps: 8,
    },
    variants,
  );

const scan: ScanOptions = {
  type: 'f32',
  job: 'scan',
  continued: false,
  exclusive: false,
  reverse: false,
  strategy: 'serial',
  order: 'rows',
  width: 1,
};

const recurrent: RecurrentOptions = {
  mask: false,
  stateMatMul: 'separate',
  bias: false,
  width: 1,
  samples: 1,
};
const recurrentGradient: RecurrentGradientOptions = {
  mask: false,
  stateMatMul: 'separate',
  dh: true,
  dc: false,
  width: 1,
  samples: 1,
};
const recurrentVariants = {
  'inline matmul, mask, bias': { stateMatMul: 'inline', mask: true, bias: true },
  'inline matmul, four units of four samples': { stateMatMul: 'inline', width: 4, samples: 4 },
} as const;

const topK: TopKOptions = {
  job: 'select',
  type: 'f32',
  key: ascendingKey('float32'),
  width: 4,
  room: 4,
  last: true,
};

/** Kernels by family, and those by name. */
export const catalog: Readonly<Record<string, Readonly<Record<string, CatalogEntry>>>> = {
  gemm: {
    matMul: entry<MatMulOptions>(matMulDefaults, {
      'shared, k-major B, bias': { b: { major: 'k' }, bias: true, activation: 'max(value, 0.0)' },
      'shared, single elements, split': { a: { width: 1 }, b: { width: 1 }, outWidth: 1, split: true },
      'shared, float16': { a: { float16: true }, b: { float16: true } },
      'shared, batched': { batchRank: 2 },
      'registers, block': { tile: gemmTiles.block },
      'registers, block, single elements': {
        tile: gemmTiles.block,
        a: { width: 1 },
        b: { width: 1 },
        outWidth: 1,
      },
      'registers, steps': { tile: gemmTiles.steps, a: { width: 1 } },
      'registers, row': { tile: gemmTiles.row },
      'registers, small': { tile: gemmTiles.small, a: { width: 1 }, b: { width: 1 }, outWidth: 1 },
      'quads, k-major A': { tile: gemmTiles.subgroupQuad },
      'quads, m-major A': { tile: gemmTiles.subgroupQuad, a: { major: 'mn' } },
      'subgroup matrices': { tile: subgroupMatrixTile, a: { float16: true }, b: { float16: true } },
    }),
    sumSplits: entry<SumSplitsOptions>(
      { type: 'f32', bias: false, activation: 'value' },
      { 'bias, activation': { bias: true, activation: 'max(value, 0.0)' } },
    ),
  },
  convolution: {
    conv2d: entry<ConvolutionKernelOptions>(convolutionDefaults, {
      'joined rows of taps': { joined: true },
      'flat, bias': { flat: true, bias: true, a: { width: 1 } },
      registers: { tile: gemmTiles.small, a: { width: 1 }, b: { width: 1 }, outWidth: 1 },
    }),
    conv2dInputGrad: entry<ConvolutionKernelOptions>(
      { ...convolutionDefaults, b: { ...convolutionDefaults.b, major: 'k' } },
      { strided: { strided: true }, 'registers, strided': { tile: gemmTiles.block, strided: true } },
    ),
    conv2dFilterGrad: entry<ConvolutionKernelOptions>(
      { ...convolutionDefaults, a: { ...convolutionDefaults.a, major: 'mn' } },
      { 'flat, split': { flat: true, split: true }, registers: { tile: gemmTiles.block } },
    ),
    col2im: entry<Col2imOptions>(
      { channels: 8, direction: 'inputGrad', strided: false, bias: false, activation: 'value' },
      { 'forward, bias': { direction: 'forward', bias: true }, strided: { strided: true } },
    ),
  },
  winograd: {
    winogradTiles: entry<TilesOptions>(
      { block: 4, of: 'image' },
      { 'F(2, 3)': { block: 2 }, cotangent: { of: 'cotangent' } },
    ),
    winogradKernels: entry<KernelsOptions>({ block: 4 }, { 'F(2, 3)': { block: 2 } }),
    winogradResult: entry<ResultOptions>(
      { block: 4, bias: false, activation: 'value' },
      { 'F(2, 3), bias': { block: 2, bias: true } },
    ),
    winogradGradient: entry<GradientOptions>(
      { block: 4, adds: false },
      { 'F(3, 2), accumulating': { block: 2, adds: true } },
    ),
  },
  depthwise: {
    depthwiseBlocks: entry<BlockOptions>(
      { width: 4, block: 4, strided: false },
      { strided: { strided: true } },
    ),
    depthwiseBlocksInputGrad: entry<BlockOptions>(
      { width: 4, block: 4, strided: false },
      { strided: { strided: true } },
    ),
    depthwiseBlocksFilterGrad: entry<BlockOptions>(
      { width: 4, block: 3, strided: false },
      { strided: { strided: true } },
    ),
    depthwiseStrips: entry<StripOptions>(
      { direction: 'forward', width: 4, columns: 4, window: 3, stride: 1 },
      { 'stride 2': { stride: 2 }, 'input gradient, stride 2': { direction: 'inputGrad', stride: 2 } },
    ),
    depthwiseTaps: entry<TapsOptions>(
      { width: 4, columns: 4, window: 3, stride: 1 },
      { 'stride 2': { columns: 3, stride: 2 } },
    ),
  },
  indexing: {
    gather: entry<GatherOptions>(
      { ...gatherDefaults, check: 'none' },
      {
        'width 4, whole rows': { width: 4, single: false, run: 4 },
        'along an axis': { addressing: 'along', single: true, run: 4, stepwise: true },
        coordinates: { addressing: 'coordinates', mode: 'clip' },
        'batched, wrapping': { flat: false, mode: 'wrap', single: false },
      },
    ),
    'gather checked': entry<GatherOptions>(gatherDefaults),
    rows: entry<RowsOptions>({ ...rowsDefaults, check: 'none' }, { batched: { batched: true } }),
    'rows checked': entry<RowsOptions>(rowsDefaults),
    'check indices': entry<CheckIndicesOptions>(
      { index: 'i32', addressing: 'axis', check: 'all', width: 4 },
      { coordinates: { addressing: 'coordinates', width: 1 } },
    ),
    scatter: entry<DirectScatterOptions>({ ...scatterDefaults, check: 'none' }, { 'width 4': { width: 4 } }),
    'scatter checked': entry<DirectScatterOptions>(scatterDefaults),
    'scatter binned': entry<BinnedScatterOptions>({ ...scatterDefaults, check: 'none', width: 4, lanes: 16 }),
    'scatter binned checked': entry<BinnedScatterOptions>({ ...scatterDefaults, lanes: 1 }),
    'scatter owned': entry<OwnedScatterOptions>({ type: 'f32', width: 4, parts: 4, workgroup: 64 }),
    'scatter fold': entry<ChunkSumOptions>(
      { type: 'f32', width: 4, level: 'entries' },
      { 'chunks of chunks': { level: 'chunks' } },
    ),
    'scatter sum': entry<SumOptions>(
      { type: 'f32', width: 4, folded: true },
      { unfolded: { folded: false } },
    ),
    'segment extremum': entry<SegmentExtremumOptions>(
      { type: 'f32', extremum: 'max' },
      { integers: { type: 'i32', extremum: 'min' } },
    ),
    oneHot: entry({}),
  },
  linalg: {
    cholesky: entry({}),
    lu: entry({}),
    householder: entry({}),
    'triangular solve': entry<TriangularOptions>(
      { lower: true, transposed: false, unitDiagonal: true },
      { backward: { lower: false, unitDiagonal: false } },
    ),
  },
  reduction: {
    reduce: entry<ReduceOptions>(sum, {
      'rows, serial': { lanes: 1, workgroup: 32, serial: true, subgroups: false },
      'rows, serial, 16 elements': {
        lanes: 1,
        workgroup: 32,
        serial: true,
        subgroups: false,
        width: 16,
        prepare: 'value',
      },
      'rows, workgroup memory': { subgroups: false },
      'columns, lanes': { order: 'columns', workgroup: 64, lanes: 4, subgroups: false },
      'columns, operands, split': {
        order: 'columns',
        lanes: 32,
        subgroups: false,
        split: true,
        accumulator: 'vec2<f32>',
        initial: 'vec2<f32>()',
        prepare: 'vec2<f32>(value * ((b - c) * d), value)',
        operands: ['elements', 'lines', 'positions'],
        finish: ['a.x', 'a.y'],
        results: ['f32', 'f32'],
      },
      'columns, serial, split': {
        order: 'columns',
        lanes: 1,
        workgroup: 32,
        serial: true,
        subgroups: false,
        split: true,
      },
      'moments, lanes': { ...moments, width: 1 },
      argmax: {
        accumulator: 'vec2<u32>',
        initial: 'vec2<u32>(0u, 0xffffffffu)',
        combine: 'select(b, a, a.x > b.x || (a.x == b.x && a.y < b.y))',
        prepare: `vec2<u32>(${ascendingKey('float32')}, k)`,
        finish: ['a.y'],
        results: ['i32'],
        width: 1,
      },
    }),
    scan: entry<ScanOptions>(scan, {
      'totals, cooperative': { job: 'totals', strategy: 'cooperative' },
      'cooperative, continued': { strategy: 'cooperative', continued: true },
      'columns, exclusive, reverse': { order: 'columns', width: 4, exclusive: true, reverse: true },
    }),
    squareChunks: entry<ChunkOptions>(
      { gradients: 8, accumulator: 'none', scaled: false, lanes: 256, workgroup: 256 },
      { 'serial, scaled': { gradients: 2, accumulator: 2, scaled: true, lanes: 1, workgroup: 64 } },
    ),
    clipScales: entry<ScaleOptions>({ global: false, lanes: 1, workgroup: 64 }, { global: { global: true } }),
    nonFinite: entry({}),
    statistics: entry<StatisticsOptions>(
      { type: 'f32', stage: 'range' },
      { histogram: { stage: 'histogram' }, 'range, float16': { type: 'f16' } },
    ),
  },
  normalization: {
    softmax: entry<SoftmaxOptions>(
      { kind: 'softmax', ...lanes },
      {
        'logSoftmax, columns, serial': { kind: 'logSoftmax', ...serialLines },
        'rows, workgroup memory': { subgroups: false, kept: 1 },
        'logSoftmax, long columns': { kind: 'logSoftmax', ...longColumns },
      },
    ),
    'softmax gradient': entry<SoftmaxOptions>(
      { kind: 'softmax', ...lanes },
      { 'logSoftmax, columns, serial': { kind: 'logSoftmax', ...serialLines } },
    ),
    layerNorm: entry<LayerNormOptions>(
      { gamma: true, beta: true, ...lanes },
      { 'columns, serial': { gamma: false, ...serialLines } },
    ),
    'layerNorm gradient': entry<LayerNormGradientOptions>(
      { gamma: true, moments: true, ...lanes },
      { 'columns, serial': { gamma: false, moments: false, ...serialLines } },
    ),
    simplexSupport: entry({}),
  },
  elementwise: {
    elementwise: entry<ElementwiseOptions>(
      {
        expression: 'a * b',
        types: ['f32', 'f32'],
        result: 'f32',
        layouts: ['full', 'scalar'],
        rank: 0,
        width: 4,
        steps: 1,
        interleaved: false,
        common: false,
        aligned: false,
      },
      {
        'sine, common form': {
          expression: 'precise_sin(a)',
          types: ['f32'],
          layouts: ['full'],
          steps: 4,
          common: true,
        },
        'interleaved, broadcast': { layouts: ['full', 'strided'], rank: 2, steps: 2, interleaved: true },
        broadcast: { layouts: ['full', 'strided'], rank: 2, width: 1, steps: 4 },
        'broadcast, vectors': { layouts: ['strided', 'spread'], rank: 2 },
        exponential: { expression: 'exp(a)', types: ['f32'], layouts: ['full'] },
      },
    ),
    'fused elementwise': entry<FusedElementwiseOptions>(
      {
        inputs: [
          { type: 'f32', layout: 'full', rank: 0, aligned: false },
          { type: 'f32', layout: 'full', rank: 0, aligned: false },
        ],
        steps: [
          {
            expression: 'a - b',
            operands: [
              { from: 'input', index: 0 },
              { from: 'input', index: 1 },
            ],
            types: ['f32', 'f32'],
            result: 'f32',
          },
          {
            expression: 'a * a',
            operands: [{ from: 'step', index: 0, first: false }],
            types: ['f32'],
            result: 'f32',
          },
        ],
        outputs: [1],
        width: 4,
        repeats: 1,
        interleaved: false,
        reassociates: false,
      },
      {
        'two outputs, scalar and strided inputs, rounded between steps': {
          inputs: [
            { type: 'f32', layout: 'full', rank: 0, aligned: false },
            { type: 'f32', layout: 'scalar', rank: 0, aligned: false },
            { type: 'f32', layout: 'strided', rank: 2, aligned: false },
          ],
          steps: [
            {
              expression: 'a * b',
              operands: [
                { from: 'input', index: 0 },
                { from: 'input', index: 1 },
              ],
              types: ['f32', 'f32'],
              result: 'f32',
            },
            {
              expression: 'a + b',
              operands: [
                { from: 'input', index: 2 },
                { from: 'step', index: 0, first: false },
              ],
              types: ['f32', 'f32'],
              result: 'f32',
            },
          ],
          outputs: [0, 1],
        },
        'single elements, a constant': {
          steps: [
            {
              expression: 'a + b',
              operands: [
                { from: 'input', index: 0 },
                { from: 'constant', index: 0 },
              ],
              types: ['f32', 'f32'],
              result: 'f32',
            },
          ],
          outputs: [0],
          width: 1,
          repeats: 2,
        },
      },
    ),
    dropout: entry<DropoutShaderOptions>({ width: 4 }),
    float16: entry<Float16Options>({ direction: 'pack' }, { unpack: { direction: 'unpack' } }),
  },
  creation: {
    fill: entry({}),
    sequence: entry<SequenceOptions>({ kind: 'steps', type: 'f32' }, { eye: { kind: 'eye' } }),
    random: entry<RandomOptions>(
      { distribution: 'uniform', type: 'f32' },
      {
        normal: { distribution: 'normal' },
        'truncated normal': { distribution: 'truncatedNormal' },
        integers: { distribution: 'integers', type: 'i32' },
        coin: { distribution: 'coin', type: 'u32' },
      },
    ),
  },
  layout: {
    copy: entry<CopyOptions>(
      { rank: 2, width: 1, dense: true, run: 4 },
      { 'one axis': { rank: 1, run: 1 }, 'vectors, not dense': { width: 4, dense: false, run: 1 } },
    ),
    copyWords: entry({}),
    transpose: entry<TransposeOptions>({ rank: 1 }, { 'one matrix': { rank: 0 } }),
    pad: entry<PadOptions>(
      { mode: 'constant', rank: 2, width: 1, run: 4 },
      { reflect: { mode: 'reflect', run: 1 }, symmetric: { mode: 'symmetric', run: 1 } },
    ),
    resize: entry<ResizeOptions>(
      { type: 'f32', width: 4, method: 'bilinear', direction: 'forward' },
      {
        nearest: { method: 'nearest' },
        'bilinear, adjoint': { direction: 'adjoint' },
        'nearest, adjoint': { method: 'nearest', direction: 'adjoint' },
      },
    ),
  },
  pooling: {
    pool: entry<PoolOptions>(
      { type: 'f32', width: 4, kind: 'max' },
      {
        average: { kind: 'average' },
        position: { kind: 'position' },
        'pick, width 1': { kind: 'pick', width: 1 },
      },
    ),
    'pool gradient': entry<PoolGradientOptions>(
      { type: 'f32', width: 4, kind: 'cells' },
      { positions: { kind: 'positions', width: 1 }, average: { kind: 'average' } },
    ),
  },
  sorting: {
    'sort count': entry<RadixOptions>({ first: true }, { 'later digits': { first: false } }),
    'sort scan': entry({}),
    'sort place': entry<RadixOptions>({ first: true }, { 'later digits': { first: false } }),
    'sort bounds': entry({}),
    'sort counting': entry({}),
    topK: entry<TopKOptions>(topK, {
      sort: { job: 'sort', width: 1, room: 0, last: false },
      merge: { job: 'merge', width: 1, room: 0, last: true },
    }),
  },
  attention: {
    attention: entry<AttentionOptions>(attention, {
      'large heads': { size: 128 },
      'mask or bias, scalar, small heads': { shown: true, width: 1, size: 32 },
    }),
    'attention sums': entry<AttentionSumsOptions>({ width: 4 }),
    'attention query gradient': entry<AttentionOptions>(attention, { 'mask or bias': { shown: true } }),
    'attention key gradient': entry<AttentionOptions>(attention),
  },
  recurrent: {
    lstmStep: entry<RecurrentOptions>(recurrent, recurrentVariants),
    lstmStepGradient: entry<RecurrentGradientOptions>(recurrentGradient, {
      'inline matmul, mask': { stateMatMul: 'inline', mask: true, dc: true },
      'inline matmul, four units of four samples': { stateMatMul: 'inline', width: 4, samples: 4 },
    }),
    gruStep: entry<RecurrentOptions>(recurrent, recurrentVariants),
    gruStepGradient: entry<RecurrentGradientOptions>(recurrentGradient, {
      'inline matmul, mask': { stateMatMul: 'inline', mask: true },
      'inline matmul, four units of four samples': { stateMatMul: 'inline', width: 4, samples: 4 },
    }),
  },
  optimizer: {
    adadelta: optimizer('plain', ['accumulated_grad', 'accumulated_delta_var']),
    adagrad: optimizer('plain', ['accumulator']),
    adam: optimizer('plain', ['momentum', 'velocity'], {
      'one variable, clipped by norm, decayed': {
        gradients: 1,
        packed: false,
        clipping: 'norm',
        decayed: true,
        workgroup: 256,
        steps: 1,
      },
    }),
    adamax: optimizer('plain', ['momentum', 'norm']),
    ftrl: optimizer('root', ['accumulator', 'linear']),
    lion: optimizer('plain', ['momentum']),
    nadam: optimizer('plain', ['momentum', 'velocity']),
    rmsprop: optimizer('plain', ['velocity']),
    sgd: optimizer('plain', [], {
      'clipped by value, scaled, averaged': {
        states: ['average', 'gradient_accumulator'],
        clipping: 'value',
        scaled: true,
        averaged: true,
        accumulated: true,
      },
    }),
  },
};
