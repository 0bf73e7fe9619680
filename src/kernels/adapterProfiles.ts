/**
 * @file Everything that kernels know about kinds of adapters, in one table. Functions that select an algorithm read a
 * profile, and nothing else about the adapter; no other file here asks what kind of adapter a device has.
 *
 * The software profile is measured, on SwiftShader (docs/decisions). The values for GPUs are estimates: no GPU was
 * measured, and all GPU profiles share them until one is.
 */
import type { SubgroupMatrixSize } from '../../shaders/gemm/problem.ts';
import { ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import type { AdapterKind } from '../webgpu/adapter.ts';
import type { Device } from '../webgpu/device.ts';

/** What suits a kind of adapter. */
export interface AdapterProfile {
  readonly kind: AdapterKind;
  /** Kernels that compute lines of values: softmax, normalizations, scans. */
  readonly lines: {
    /**
     * Whether the invocations of a workgroup share a line. Software runs them one after another, so that sharing costs
     * barriers and gains nothing.
     */
    readonly shared: boolean;
    /** Values above which a line is too long for one workgroup, where there are few lines. */
    readonly longest: number;
    /** Invocations for which lines are shared among more lanes, or split. */
    readonly busyInvocations: number;
  };
  readonly scan: {
    /** Lines from which each may have one invocation to itself, however long it is. */
    readonly busyInvocations: number;
  };
  readonly reduce: ReduceProfile;
  readonly elementwise: {
    /**
     * Elements, or vectors of them, from which an invocation computes two, and four. Software pays for each invocation;
     * on a GPU, several loads are on their way at once, where enough invocations are left.
     */
    readonly least: { readonly 2: number; readonly 4: number };
    /**
     * Whether those of an invocation are a workgroup apart, so that neighbouring invocations access neighbours. Software
     * gains more from working out the place of neighbours once.
     */
    readonly interleaved: boolean;
    /** Whether compilers may change the order of operations, as those of GPUs with relaxed math do. */
    readonly reassociates: boolean;
  };
  /** Kernels that find each element's place by divisions: pads, slices, gathers. */
  readonly strided: {
    /**
     * Elements that one invocation moves at most. Software pays for the divisions once per invocation; on a GPU,
     * neighbouring invocations should access neighbouring elements.
     */
    readonly elementsPerInvocation: 1 | 8;
  };
  readonly indices: {
    /** Indices that one invocation resolves to rows. */
    readonly indicesPerInvocation: 1 | 8;
    /**
     * Whether indices are validated by a launch of their own. A GPU skips the code that reports a fault where there is
     * none; a software rasterizer executes it every time.
     */
    readonly checkedSeparately: boolean;
  };
  readonly gemm: GemmProfile;
  readonly conv2d: {
    readonly winograd: WinogradProfile;
  };
  readonly depthwise: DepthwiseProfile;
  readonly scatter: {
    /**
     * Comparing each element's row with all indices is cheaper than grouping the indices up to this many steps in all,
     * and up to this many indices.
     */
    readonly direct: { readonly steps: number; readonly indices: number };
    /** Indices up to which each invocation looks through all of them for rows of its own; 0 where grouping is cheaper. */
    readonly owned: number;
    /** The same for workgroups, which share what they find: one launch, where grouping takes many. */
    readonly binned: number;
  };
  /** How indices are grouped by row: in parallel by radix sort, or by one invocation that counts. */
  readonly grouping: 'radix' | 'counting';
  /** How a transpose moves values: through tiles in workgroup memory, or as a strided copy. */
  readonly transpose: 'tiles' | 'copy';
  readonly topK: {
    /** Invocations that keep the adapter busy. */
    readonly busyInvocations: number;
  };
  readonly attention: {
    /**
     * Scores up to which they are kept in memory, so that GEMMs make and read them. A GPU computes them faster than it reads
     * them. In software a GEMM needs no barriers; it isn't used where scores take more than 64 MiB.
     */
    readonly largestScores: number;
  };
  readonly recurrent: {
    /**
     * Multiplications per step up to which the kernel of a step computes its own matmul. A GPU waits longer for a second
     * launch than for a small matmul; in software launches are cheap, and the GEMM uses its vector lanes better.
     */
    readonly inlineMatMul: number;
  };
  readonly optimizer: {
    /**
     * Bytes of the largest variable that is updated together with others. A larger one fills a launch of its own.
     * Software executes every branch by which a launch finds the variable, and gains less.
     */
    readonly largestPacked: number;
    /** Shape of an update: software pays for each invocation and has few cores. */
    readonly update: { readonly workgroup: number; readonly steps: number };
    /** Shape of a sum of squares. */
    readonly norm: { readonly workgroup: number; readonly lanes: number };
  };
}

export type ReduceProfile =
  | {
      /** Each invocation reduces lines of its own, serially. */
      readonly form: 'serial';
      /** Elements of a chunk of a long line: few, which keeps rounding errors low. */
      readonly chunk: number;
      /** Invocations for which a line is split, so that every thread has work. */
      readonly busyInvocations: number;
      /** Invocations of a workgroup: few, so that even a small launch is spread over the threads. */
      readonly workgroup: number;
    }
  | {
      /** The invocations of a workgroup share lines. */
      readonly form: 'lanes';
    };

export interface GemmProfile {
  /** Multiplications up to which a launch costs more than what it computes, so that one small tile serves all sizes. */
  readonly smallWork: number;
  /**
   * Where tiles are kept: each invocation computes a block in its registers, or workgroups share tiles in workgroup
   * memory.
   */
  readonly tiles: 'registers' | 'shared';
  /** Elements of C that an invocation computes at most in a shared tile: large blocks need many registers. */
  readonly largestBlock: 16 | 64;
  /** Compute units, about: for shared tiles, which a unit takes one after another. Splits k where C has fewer tiles. */
  readonly units: number;
  /** Invocations below which k is split into parts that are computed in parallel; for all other forms. */
  readonly busyInvocations: number;
  /** Steps of k that a part has at least: fewer would not pay for its write and read. */
  readonly leastPart: number;
  /**
   * Multiplications up to which a first call runs a tile that compiles fast, while the selected one compiles. 0 where
   * compilation is fast.
   */
  readonly fallbackWork: number;
}

/** Costs of convolutions. The unit is one multiplication in a GEMM. */
export interface WinogradProfile {
  /** Multiplications below which the extra launches and programs aren't worth it. */
  readonly leastWork: number;
  /** Rows and columns that a GEMM is rounded up to. */
  readonly rows: number;
  readonly columns: number;
  /** Cost of a multiplication where no more than `columns` columns are needed: narrow tiles reuse less of what they read. */
  readonly narrow: number;
  /** Cost of reading or writing a number in a transform. */
  readonly access: number;
  /** Bytes that the transformed tiles may take at once; larger images are computed in bands. */
  readonly bandBytes: number;
}

export interface DepthwiseProfile {
  /**
   * Kernels, by size, that are computed in strips by a program made for that size. Others never are: their programs take
   * longer to compile than they save, or more registers than there are.
   */
  readonly strips: Readonly<
    Record<
      number,
      {
        /** Multiplications from which it pays. */
        readonly leastWork: number;
        /** Iterations of a strip, at least: its first ones complete no result. */
        readonly leastIterations: number;
      }
    >
  >;
  /** Registers for the values that an invocation of a strip holds. Addresses take some 12 more. */
  readonly registers: number;
  /** Invocations that keep the adapter busy: work is cut until there are as many. */
  readonly busyInvocations: number;
  /** Invocations below which units idle: strips are then narrower, and as short as reads each row no more than twice. */
  readonly leastInvocations: number;
}

const software: AdapterProfile = {
  kind: 'software',
  lines: { shared: false, longest: 4096, busyInvocations: 256 },
  scan: { busyInvocations: 64 },
  reduce: { form: 'serial', chunk: 256, busyInvocations: 256, workgroup: 32 },
  elementwise: { least: { 2: 2 ** 13, 4: 2 ** 13 }, interleaved: false, reassociates: false },
  strided: { elementsPerInvocation: 8 },
  indices: { indicesPerInvocation: 8, checkedSeparately: true },
  gemm: {
    smallWork: 2 ** 16,
    tiles: 'registers',
    largestBlock: 64,
    units: 2,
    busyInvocations: 64,
    leastPart: 256,
    fallbackWork: 2 ** 26,
  },
  conv2d: {
    winograd: {
      leastWork: 2 ** 24,
      rows: 12,
      columns: 16,
      narrow: 1.25,
      access: 10,
      bandBytes: 2 ** 26,
    },
  },
  // A program for 7 × 7 compiles for half a second.
  depthwise: {
    strips: {
      3: { leastWork: 2 ** 18, leastIterations: 6 },
      5: { leastWork: 2 ** 20, leastIterations: 6 },
      7: { leastWork: 2 ** 22, leastIterations: 6 },
    },
    registers: Number.POSITIVE_INFINITY,
    busyInvocations: 1024,
    leastInvocations: 0,
  },
  scatter: { direct: { steps: 2 ** 13, indices: 2048 }, owned: 2 ** 16, binned: 0 },
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
  elementwise: { least: { 2: 2 ** 17, 4: 2 ** 18 }, interleaved: true, reassociates: true },
  strided: { elementsPerInvocation: 1 },
  indices: { indicesPerInvocation: 1, checkedSeparately: false },
  gemm: {
    smallWork: 2 ** 18,
    tiles: 'shared',
    largestBlock: 64,
    // The geometric mean of small (12) and large GPUs (128 and more).
    units: 48,
    busyInvocations: 2 ** 15,
    leastPart: 128,
    fallbackWork: 0,
  },
  conv2d: {
    winograd: {
      leastWork: 2 ** 28,
      rows: 64,
      columns: 64,
      narrow: 1,
      // Memory moves a number in the time of 60 to 160 multiplications, a cache in a fourth of that.
      access: 60,
      bandBytes: 2 ** 26,
    },
  },
  // With this many iterations, no more than four loads are left for a result.
  depthwise: {
    strips: { 3: { leastWork: 0, leastIterations: 4 }, 5: { leastWork: 0, leastIterations: 8 } },
    // RADV gives RDNA3 132 in all.
    registers: 120,
    busyInvocations: 2 ** 16,
    leastInvocations: 6144,
  },
  scatter: { direct: { steps: 2 ** 21, indices: 512 }, owned: 0, binned: 2 ** 17 },
  grouping: 'radix',
  transpose: 'tiles',
  topK: { busyInvocations: 2 ** 15 },
  attention: { largestScores: 0 },
  // The recurrent kernel is then read from the cache often enough.
  recurrent: { inlineMatMul: 2 ** 24 },
  optimizer: {
    largestPacked: 2 ** 20,
    update: { workgroup: 256, steps: 1 },
    norm: { workgroup: 256, lanes: 256 },
  },
};

/**
 * GPUs that give an invocation some 64 to 128 registers before they spill or run few waves: Apple's, Intel's in SIMD16,
 * Mali. Small blocks and depthwise strips take 72 at most.
 */
const fewRegisters: Pick<AdapterProfile, 'gemm' | 'depthwise'> = {
  gemm: { ...discrete.gemm, largestBlock: 16, units: 16, busyInvocations: 2 ** 13 },
  depthwise: { ...discrete.depthwise, registers: 62 },
};

export const adapterProfiles: Readonly<Record<AdapterKind, AdapterProfile>> = {
  software,
  discrete,
  apple: { ...discrete, ...fewRegisters, kind: 'apple' },
  integrated: { ...discrete, ...fewRegisters, kind: 'integrated' },
  mobile: { ...discrete, ...fewRegisters, kind: 'mobile' },
};

/** The kind of adapter that `init` is asked for. Errors: ValueError for what is none. */
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

/** A profile with what the device itself allows. */
export interface DeviceProfile extends AdapterProfile {
  /** Whether the feature `subgroups` is enabled. */
  readonly subgroups: boolean;
  /** Size of the subgroup matrices that float16 matmul may use; null where unsupported, or not asked for. */
  readonly subgroupMatrix: SubgroupMatrixSize | null;
  readonly workgroupInvocations: number;
  readonly workgroupBytes: number;
}

/** The profile of `device`, as if its adapter were of kind `kind`. */
export function createProfile(
  { adapter, gpu, limits, subgroupMatrix }: Device,
  kind: AdapterKind = adapter.kind,
): DeviceProfile {
  return {
    ...adapterProfiles[kind],
    subgroups: gpu.features.has('subgroups'),
    subgroupMatrix,
    workgroupInvocations: limits.maxComputeInvocationsPerWorkgroup,
    workgroupBytes: limits.maxComputeWorkgroupStorageSize,
  };
}

/** The profile by which kernels are selected for `device`. It is made once, or set by `init` or a test. */
export function profileOf(device: Device): DeviceProfile {
  device.profile ??= createProfile(device);
  // The layer of the device can't name the type: profiles belong to the kernels. Nothing else is ever put there.
  return device.profile as DeviceProfile;
}
