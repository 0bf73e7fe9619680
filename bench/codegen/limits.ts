/**
 * @file Limits of the compiler's figures, each with its reason. Figures are exact, so a limit is the current figure, or a
 * goal that was set beforehand. test/bench/codegen.test.ts compares them.
 */
import type { AdapterKind } from '../../src/webgpu/adapter.ts';

export interface Limit {
  readonly what: string;
  /** Names of the problems that it applies to. */
  readonly problems: readonly string[];
  /** Kernels of the problems that it applies to, by label. */
  readonly kernels: RegExp;
  readonly reason: string;
  /** The profile by which kernels are selected; default: discrete. */
  readonly profile?: AdapterKind;
  /** The chip; default: rdna2. */
  readonly family?: 'rdna2' | 'gcn5';
  readonly registers?: number;
  /** Waves that a SIMD holds, at least. */
  readonly waves?: number;
  /** Smallest fraction of multiply-adds among all vector instructions of the main loop. */
  readonly fmaShare?: number;
  /** Instructions of the main loop per multiply-add. */
  readonly instructions?: number;
  /** Instructions per load, in the loop with the most loads. */
  readonly perLoad?: number;
  /** The minimum number of loads in flight. */
  readonly inFlight?: number;
  /** Clamped addresses in the main loop. */
  readonly clamps?: number;
  /** Smallest fraction of multiply-adds that are executed while loads of the main loop are in flight. */
  readonly overlap?: number;
  /** Smallest fraction of executed multiply-adds that the problem needs. */
  readonly useful?: number;
  /** Invocations of the launch, at least. */
  readonly invocations?: number;
  /** Launches of the problem. */
  readonly launches?: number;
  /** Bytes that a launch binds. */
  readonly bytes?: number;
}

/** Besides these limits, no pipeline of these problems may spill. */
export const limits: readonly Limit[] = [
  {
    what: 'GEMM',
    problems: ['matMul 1024×1024×1024 square', 'matMul 4096×4096×4096 square'],
    kernels: /matMul/,
    fmaShare: 0.93,
    registers: 128,
    clamps: 0,
    overlap: 1,
    reason: 'no address arithmetic in the unrolled k loop, loads behind the products, and 8 waves',
  },
  {
    what: 'implicit convolution',
    problems: [
      'ResNet-50 3×3 / 2 128 → 128 at 56², batch 32, forward',
      'ResNet-50 3×3 / 2 128 → 128 at 56², batch 32, input gradient',
      'ResNet-50 3×3 / 2 128 → 128 at 56², batch 32, filter gradient',
    ],
    kernels: /conv2d/,
    fmaShare: 0.91,
    registers: 128,
    clamps: 0,
    overlap: 1,
    reason: 'addresses and padding cost some ten instructions for each vector that is loaded',
  },
  {
    what: 'convolution in blocks of 4 × 4',
    problems: [
      'ResNet-50 3×3 / 2 256 → 256 at 28², batch 1, forward',
      'ResNet-50 3×3 / 2 512 → 512 at 14², batch 1, forward',
    ],
    kernels: /conv2d/,
    fmaShare: 0.88,
    registers: 80,
    clamps: 0,
    overlap: 1,
    reason: 'as of large blocks: a block of 4 × 4 has fewer multiply-adds for each vector',
  },
  {
    what: 'input gradient with strides',
    problems: [
      'ResNet-50 3×3 / 2 128 → 128 at 56², batch 1, input gradient',
      'ResNet-50 3×3 / 2 256 → 256 at 28², batch 1, input gradient',
      'ResNet-50 3×3 / 2 512 → 512 at 14², batch 32, input gradient',
    ],
    kernels: /conv2d/,
    fmaShare: 0.89,
    registers: 112,
    clamps: 0,
    overlap: 1,
    launches: 1,
    reason:
      'strides of two are known, so that a k tile finds its tap without quotients in vector instructions',
  },
  {
    what: 'convolution of three channels',
    problems: ['ResNet-50 7×7 / 2 3 → 64 at 224², batch 1, forward'],
    kernels: /patchConvolution/,
    fmaShare: 0.98,
    registers: 104,
    clamps: 0,
    overlap: 1,
    launches: 1,
    reason: 'elements are copied once for all windows, so that the loop reads and multiplies',
  },
  {
    what: 'convolution of three channels, whose loop the compiler unrolls',
    problems: [
      'VGG19 3×3 3 → 64 at 224², batch 1, forward',
      'MobileNetV2 3×3 / 2 3 → 32 at 224², batch 1, forward',
    ],
    kernels: /patchConvolution/,
    registers: 80,
    launches: 1,
    reason: 'as with 7 × 7; a program without loops has no share of its main loop',
  },
  {
    what: 'input gradient of three channels',
    problems: [
      'VGG19 3×3 3 → 64 at 224², batch 1, input gradient',
      'ResNet-50 7×7 / 2 3 → 64 at 224², batch 1, input gradient',
      'MobileNetV2 3×3 / 2 3 → 32 at 224², batch 32, input gradient',
    ],
    kernels: /directConvolution/,
    fmaShare: 0.98,
    registers: 72,
    waves: 10,
    clamps: 0,
    overlap: 1,
    launches: 1,
    reason: 'weights are in scalar registers, and all loads of the next vectors are under multiply-adds',
  },
  {
    what: 'filter gradient of three channels',
    problems: ['ResNet-50 7×7 / 2 3 → 64 at 224², batch 1, filter gradient'],
    kernels: /conv2d/,
    fmaShare: 0.81,
    registers: 96,
    clamps: 0,
    overlap: 1,
    reason: 'each element has an index of its own and two conditions; an invocation loads eight',
  },
  {
    what: 'a tile of few registers',
    problems: ['matMul 64×8192×64 large k'],
    kernels: /matMul/,
    fmaShare: 0.94,
    registers: 72,
    waves: 14,
    clamps: 0,
    overlap: 1,
    reason: 'blocks of 4 × 4 are all that Apple, integrated and mobile profiles select',
  },
  {
    what: 'groups of invocations that share k',
    problems: [
      'MobileNetV2 1×1 576 → 160 at 7², batch 1, forward',
      'EfficientNetB0 1×1 672 → 192 at 7², batch 1, forward',
      'matMul 32×1280×1000 MobileNetV2, batch 32',
      'ResNet-50 1×1 1024 → 256 at 14², batch 1, forward',
    ],
    kernels: /matMul/,
    fmaShare: 0.9,
    registers: 72,
    waves: 14,
    clamps: 0,
    overlap: 1,
    launches: 1,
    reason: 'what shares k within a workgroup needs no launch that adds up partial sums',
  },
  {
    what: 'the depthwise filter gradient of a small image',
    problems: ['EfficientNetB0 5×5 depthwise 1152 at 7², batch 1, filter gradient'],
    kernels: /depthwise/,
    registers: 128,
    launches: 1,
    reason: 'one strip holds all of its columns, so that its sums are the result',
  },
  {
    what: 'layers of few channels',
    problems: [
      'MobileNetV2 1×1 24 → 144 at 56², batch 32, forward',
      'MobileNetV2 1×1 96 → 24 at 56², batch 1, input gradient',
      'MobileNetV2 1×1 32 → 16 at 112², batch 32, filter gradient',
      'EfficientNetB0 1×1 40 → 240 at 28², batch 32, filter gradient',
      'EfficientNetB0 1×1 672 → 192 at 7², batch 1, forward',
    ],
    kernels: /matMul/,
    useful: 0.75,
    registers: 128,
    reason: 'tiles come in multiples of 16, 24, 32 and 48, so that padding stays below a quarter',
  },
  {
    what: 'few rows and matrix–vector',
    problems: [
      'matMul 1×2048×2048 few rows',
      'matMul 1×2048×2048 few rows, B transposed',
      'matMul 2048×2048×1 matrix–vector',
      'matMul 2048×2048×1 matrix–vector, A transposed',
    ],
    kernels: /matMul/,
    registers: 64,
    invocations: 65_536,
    launches: 1,
    reason: 'invocations share k, so that reading the matrix keeps the whole device busy',
  },
  {
    what: 'Apple, integrated, mobile: GEMM and convolution',
    profile: 'apple',
    problems: [
      'matMul 1024×1024×1024 square',
      'matMul 8×2048×2048 few rows, A transposed',
      'MobileNetV2 1×1 32 → 16 at 112², batch 1, forward',
      'EfficientNetB0 1×1 240 → 80 at 14², batch 1, forward',
      'ResNet-50 3×3 / 2 256 → 256 at 28², batch 1, forward',
      'ResNet-50 3×3 / 2 256 → 256 at 28², batch 1, input gradient',
      'ResNet-50 3×3 / 2 256 → 256 at 28², batch 1, filter gradient',
    ],
    kernels: /matMul|conv2d/,
    registers: 72,
    waves: 14,
    reason:
      'Intel and Mali have some 64 registers for an invocation, and all of these hide latency by many waves',
  },
  {
    what: 'Apple, integrated, mobile: convolution of three channels',
    profile: 'apple',
    problems: [
      'VGG19 3×3 3 → 64 at 224², batch 1, forward',
      'VGG19 3×3 3 → 64 at 224², batch 32, input gradient',
    ],
    kernels: /Convolution/,
    registers: 72,
    reason: 'an invocation computes four pixels and four filters, or two pixels of all channels',
  },
  {
    what: 'Apple, integrated, mobile: convolution of three channels, 7 × 7',
    profile: 'apple',
    problems: ['ResNet-50 7×7 / 2 3 → 64 at 224², batch 1, forward'],
    kernels: /patchConvolution/,
    registers: 80,
    reason: 'four windows cover 39 elements of a row',
  },
  {
    what: 'Apple, integrated, mobile: depthwise convolution',
    profile: 'apple',
    problems: [
      'MobileNetV2 3×3 depthwise 32 at 112², batch 1, forward',
      'EfficientNetB0 5×5 depthwise 240 at 28², batch 32, input gradient',
      'EfficientNetB0 5×5 depthwise 240 at 28², batch 1, filter gradient',
    ],
    kernels: /depthwise/,
    registers: 72,
    instructions: 3,
    reason: 'strips of fewer channels, where four would take 208 registers',
  },
  {
    what: 'depthwise convolution',
    problems: [
      'MobileNetV2 3×3 depthwise 32 at 112², batch 1, forward',
      'MobileNetV2 3×3 depthwise 32 at 112², batch 1, input gradient',
      'MobileNetV2 3×3 depthwise 32 at 112², batch 1, filter gradient',
      'EfficientNetB0 5×5 depthwise 240 at 28², batch 32, forward',
      'EfficientNetB0 5×5 depthwise 240 at 28², batch 1, filter gradient',
    ],
    kernels: /depthwise/,
    registers: 128,
    instructions: 2.2,
    reason: 'addresses advance with each row, and no more values than fit in 128 registers',
  },
  {
    what: 'depthwise convolution of stride 2',
    problems: ['MobileNetV2 3×3 / 2 depthwise 96 at 112², batch 1, forward'],
    kernels: /depthwise/,
    registers: 96,
    instructions: 2.5,
    reason: 'one line and one column of values can be outside of an image, and only those are tested',
  },
  {
    what: 'depthwise filter gradient of stride 2',
    problems: ['MobileNetV2 3×3 / 2 depthwise 96 at 112², batch 1, filter gradient'],
    kernels: /depthwise/,
    registers: 128,
    instructions: 3,
    reason: 'three columns rather than four fit in 128 registers, and share less of what is read',
  },
  {
    what: 'depthwise input gradient of stride 2',
    problems: ['MobileNetV2 3×3 / 2 depthwise 96 at 112², batch 1, input gradient'],
    kernels: /depthwise/,
    registers: 96,
    instructions: 3.4,
    reason: 'of its 144 products 64 begin a sum, and have no addition: 1.9 instructions for each product',
  },
  {
    what: 'depthwise convolution of a small image',
    problems: [
      'MobileNetV2 3×3 depthwise 960 at 7², batch 1, forward',
      'EfficientNetB0 5×5 depthwise 240 at 28², batch 1, forward',
      'EfficientNetB0 5×5 depthwise 1152 at 7², batch 1, input gradient',
    ],
    kernels: /depthwise/,
    registers: 96,
    invocations: 8192,
    launches: 1,
    reason: 'blocks without a loop: all loads are in flight at once, where few invocations hide latency',
  },
  {
    what: 'k tiles that divide k, where a large GPU has few waves',
    problems: [
      'EfficientNetB0 1×1 112 → 672 at 14², batch 1, forward',
      'EfficientNetB0 1×1 80 → 480 at 14², batch 1, forward',
      'MobileNetV2 1×1 384 → 96 at 14², batch 1, input gradient',
    ],
    kernels: /matMul/,
    fmaShare: 0.92,
    registers: 128,
    clamps: 0,
    overlap: 1,
    launches: 1,
    reason: 'long k tiles hide the latency of a load behind some 300 multiply-adds, and none is half empty',
  },
  {
    what: 'LSTM and GRU steps',
    problems: [
      'LSTM, 512 units, 16 steps, batch 1',
      'LSTM, 512 units, 16 steps, batch 4',
      'GRU, 512 units, 16 steps, batch 1',
      'GRU, 512 units, 16 steps, batch 4',
    ],
    kernels: /Step.*inline/,
    instructions: 3,
    reason: 'what is read of the recurrent kernel is four units wide, and used for each sample',
  },
  {
    what: 'gradients of LSTM and GRU steps',
    problems: [
      'LSTM, 512 units, 16 steps, batch 1, with gradient',
      'LSTM, 512 units, 16 steps, batch 4, with gradient',
      'GRU, 512 units, 16 steps, batch 1, with gradient',
      'GRU, 512 units, 16 steps, batch 4, with gradient',
    ],
    kernels: /StepGradient.*inline/,
    instructions: 4,
    reason: 'rows of the recurrent kernel are read as they lie, four gates at a time',
  },
  {
    what: 'attention',
    problems: ['dotProductAttention, 12 heads of 64, 1024'],
    kernels: /attention/,
    launches: 1,
    registers: 128,
    bytes: 2 ** 24,
    reason: 'scores stay in workgroup memory: they would take 48 MiB',
  },
  {
    what: 'sums of lines',
    problems: ['sum of [512,768] along 1'],
    kernels: /reduce/,
    inFlight: 4,
    perLoad: 10,
    reason: 'eight loads in a turn hide the latency of memory, and share its counter',
  },
  {
    what: 'sums of columns',
    problems: ['sum of [8,56,56,64] along 0,1,2'],
    kernels: /reduce/,
    inFlight: 4,
    perLoad: 10,
    reason: 'as of lines: rows are apart, but how far is worked out before the loop',
  },
  {
    what: 'softmax of short lines',
    problems: ['softmax [1536,128]'],
    kernels: /softmax/,
    launches: 1,
    registers: 32,
    reason: 'a line is kept in registers, and folded in a subgroup',
  },
  {
    what: 'GCN: no more registers than leave two waves',
    family: 'gcn5',
    problems: [
      'EfficientNetB0 5×5 depthwise 240 at 28², batch 1, filter gradient',
      'dotProductAttention, 12 heads of 64, 1024, with gradient',
      'matMul 1024×1024×1024 square',
    ],
    kernels: /./,
    registers: 128,
    waves: 2,
    reason: 'a SIMD of GCN has 256 registers for each lane: above 128, one wave waits for its own loads',
  },
];
