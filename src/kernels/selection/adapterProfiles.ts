/**
 * @file Everything that kernels know about kinds of adapters, in one table. Functions that select an algorithm read only a
 * profile; only deviceProfile.ts asks what kind of adapter a device has.
 *
 * The software profile is measured, on SwiftShader (docs/decisions). Of the values for GPUs, the costs of convolutions, the units of
 * a GEMM and the elements of an invocation on discrete ones were fitted to an NVIDIA H100, on 26 and 27 November 2026
 * (docs/decisions/winograd.md, gemm.md, reductions-on-gpus.md); others are estimates, which all GPU profiles share.
 */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import type { AdapterKind } from '../../webgpu/adapter.ts';
import type { AdapterProfile } from './adapterProfile.ts';
import { maxIterations } from '../launch/iterationLimit.ts';

const software: AdapterProfile = {
  kind: 'software',
  lines: { shared: false, longest: 4096, busyInvocations: 256 },
  scan: { busyInvocations: 64 },
  reduce: { form: 'serial', chunk: 512, busyInvocations: 256, workgroup: 32 },
  elementwise: {
    minElements: { 2: 2 ** 10, 4: 2 ** 10 },
    minCommon: 2 ** 7,
    interleaved: false,
    reassociates: false,
    follows: false,
  },
  fill: { uploadedElements: 2 ** 16 },
  strided: { elementsPerInvocation: 8 },
  indices: { indicesPerInvocation: 8, checkedSeparately: 512 },
  gemm: {
    smallWork: { matMul: 2 ** 13, conv2d: 2 ** 16 },
    tiles: 'registers',
    largestBlock: 64,
    units: 2,
    maxUnits: 2,
    busyInvocations: 64,
    minPart: 256,
    fallbackWork: 2 ** 26,
  },
  conv2d: {
    direct: false,
    blocks: true,
    multipliesTaps: true,
    winograd: {
      minWork: 2 ** 24,
      rows: 12,
      columns: 16,
      narrow: 1.25,
      access: 10,
      bandBytes: 2 ** 26,
      together: false,
    },
  },
  // A program for 7 × 7 takes half a second to compile.
  depthwise: {
    strips: {
      3: { minWork: 2 ** 18, minIterations: 6 },
      5: { minWork: 2 ** 20, minIterations: 6 },
      7: { minWork: 2 ** 22, minIterations: 6 },
    },
    registers: Number.POSITIVE_INFINITY,
    busyInvocations: 1024,
    minInvocations: 0,
  },
  scatter: { direct: { steps: 2 ** 8, indices: 2048 }, owned: maxIterations, binned: 0 },
  grouping: 'counting',
  transpose: 'copy',
  topK: { busyInvocations: 512 },
  attention: { largestScores: 2 ** 24 },
  recurrent: { inlineMatMul: 0 },
  optimizer: {
    largestPacked: 2 ** 14,
    update: { workgroup: 64, steps: 8 },
    norm: { workgroup: 64, lanes: 1 },
  },
};

const discrete: AdapterProfile = {
  kind: 'discrete',
  lines: { shared: true, longest: 65536, busyInvocations: 2 ** 16 },
  scan: { busyInvocations: 2 ** 15 },
  reduce: { form: 'lanes' },
  elementwise: {
    minElements: { 2: 2 ** 17, 4: 2 ** 19 },
    minCommon: Number.POSITIVE_INFINITY,
    interleaved: true,
    reassociates: true,
    follows: true,
  },
  fill: { uploadedElements: 0 },
  strided: { elementsPerInvocation: 1 },
  indices: { indicesPerInvocation: 1, checkedSeparately: Number.POSITIVE_INFINITY },
  gemm: {
    smallWork: { matMul: 2 ** 18, conv2d: 2 ** 18 },
    tiles: 'shared',
    largestBlock: 64,
    // Fitted to times of an H100, of 132 multiprocessors. An RX 6800 has 60.
    units: 80,
    maxUnits: 128,
    busyInvocations: 2 ** 15,
    minPart: 128,
    fallbackWork: 0,
  },
  conv2d: {
    direct: true,
    blocks: false,
    multipliesTaps: false,
    winograd: {
      minWork: 2 ** 26,
      rows: 64,
      columns: 64,
      narrow: 1,
      // Measured on an H100, which selects equally well from 8 to 24. The cache of a large GPU holds most of a band, and moves a
      // number in a quarter of the time that memory takes.
      access: 24,
      bandBytes: 2 ** 26,
      together: true,
    },
  },
  // With this many iterations, there are at most four loads per result.
  depthwise: {
    strips: { 3: { minWork: 0, minIterations: 4 }, 5: { minWork: 0, minIterations: 8 } },
    // RADV gives 132 in total on RDNA3.
    registers: 120,
    busyInvocations: 2 ** 16,
    minInvocations: 4096,
  },
  scatter: { direct: { steps: 2 ** 21, indices: 512 }, owned: 0, binned: 2 ** 17 },
  grouping: 'radix',
  transpose: 'tiles',
  topK: { busyInvocations: 2 ** 15 },
  attention: { largestScores: 0 },
  // Up to there, the recurrent kernel is mostly read from the cache.
  recurrent: { inlineMatMul: 2 ** 24 },
  optimizer: {
    largestPacked: 2 ** 20,
    update: { workgroup: 256, steps: 1 },
    norm: { workgroup: 256, lanes: 256 },
  },
};

/**
 * GPUs that spill registers or run few waves beyond some 64 to 128 registers per invocation: Apple's, Intel's in SIMD16,
 * Mali. Small blocks and depthwise strips take at most 72.
 */
const fewRegisters: Pick<AdapterProfile, 'gemm' | 'conv2d' | 'depthwise'> = {
  gemm: { ...discrete.gemm, largestBlock: 16, units: 16, maxUnits: 43, busyInvocations: 2 ** 13 },
  // Not measured. Their caches are smaller than a band, so transforms take the time of memory.
  conv2d: {
    ...discrete.conv2d,
    winograd: { ...discrete.conv2d.winograd, minWork: 2 ** 28, access: 64 },
  },
  depthwise: { ...discrete.depthwise, registers: 62 },
};

export const adapterProfiles: Readonly<Record<AdapterKind, AdapterProfile>> = {
  software,
  discrete,
  apple: { ...discrete, ...fewRegisters, kind: 'apple' },
  integrated: { ...discrete, ...fewRegisters, kind: 'integrated' },
  mobile: { ...discrete, ...fewRegisters, kind: 'mobile' },
};

/** Checks the option `adapterProfile` of `init`. Errors: ValueError for anything but a kind of adapter. */
export function requireKind(kind: unknown): void {
  const kinds = Object.keys(adapterProfiles);
  if (typeof kind === 'string' && kinds.includes(kind)) return;
  throw new ValueError({
    op: 'init',
    rule: `\`adapterProfile\` is one of ${kinds.join(', ')}.`,
    received: describe(kind),
    hint: 'leave it out to have it detected.',
  });
}
