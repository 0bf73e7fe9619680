/**
 * @file What the compiler's figures may not fall behind: each limit with its reason. Figures are exact, so a limit is the
 * figure of today, or a bar that was set beforehand. test/bench/codegen.test.ts compares them on RDNA2.
 */

export interface Limit {
  readonly what: string;
  /** Names of the problems that it holds for. */
  readonly problems: readonly string[];
  /** Those of their kernels, by label. */
  readonly kernels: RegExp;
  readonly reason: string;
  readonly registers?: number;
  /** Waves that a SIMD holds, at least. */
  readonly waves?: number;
  /** Multiply-adds over all vector instructions of the main loop, at least. */
  readonly fmaShare?: number;
  /** Clamped addresses in the main loop. */
  readonly clamps?: number;
  /** Multiply-adds that are executed while loads of the main loop are in flight, at least, as a share of all. */
  readonly overlap?: number;
  /** The share of executed multiply-adds that the problem asks for, at least. */
  readonly useful?: number;
  /** Invocations of the launch, at least. */
  readonly invocations?: number;
  /** Launches of the problem. */
  readonly launches?: number;
}

export const limits: readonly Limit[] = [
  {
    what: 'GEMM',
    problems: ['matMul 1024×1024×1024 square', 'matMul 4096×4096×4096 square'],
    kernels: /matMul/,
    fmaShare: 0.88,
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
    fmaShare: 0.85,
    registers: 128,
    clamps: 0,
    overlap: 1,
    reason: 'addresses and padding cost a few instructions for each four lines of a k tile',
  },
  {
    what: 'a tile of few registers',
    problems: ['matMul 64×8192×64 large k'],
    kernels: /matMul/,
    registers: 72,
    waves: 14,
    clamps: 0,
    overlap: 1,
    reason: 'blocks of 4 × 4 are all that Apple, integrated and mobile profiles select',
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
    reason: 'invocations share k, so that reading the matrix keeps the whole device busy',
  },
];
