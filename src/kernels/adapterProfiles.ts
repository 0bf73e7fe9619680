/**
 * @file Everything that kernels know about kinds of adapters, in one table. Functions that select an algorithm read only a
 * profile; no other file here asks what kind of adapter a device has.
 *
 * The software profile is measured, on SwiftShader (docs/decisions). Of the values for GPUs, the costs of convolutions and the
 * units of a GEMM on discrete ones were fitted to an NVIDIA H100, on 26 November 2026 (docs/decisions/winograd.md, gemm.md);
 * others are estimates, which all GPU profiles share.
 */
import type { SubgroupMatrixSize } from '../../shaders/gemm/problem.ts';
import { ValueError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import type { AdapterKind } from '../webgpu/adapter.ts';
import type { Device } from '../webgpu/device.ts';
import { maxIterations } from './iterationLimit.ts';

/** The thresholds and variants that suit a kind of adapter. */
export interface AdapterProfile {
  readonly kind: AdapterKind;
  /** Kernels that compute lines of values: softmax, normalizations, scans. */
  readonly lines: {
    /**
     * Whether the invocations of a workgroup share a line. Software runs them one after another, so sharing costs barriers
     * and gains nothing.
     */
    readonly shared: boolean;
    /** Values above which a line is too long for one workgroup, if there are few lines. */
    readonly longest: number;
    /** Lines are shared among more lanes, or split, until there are this many invocations. */
    readonly busyInvocations: number;
  };
  readonly scan: {
    /** From this many lines on, each may be computed by a single invocation, however long it is. */
    readonly busyInvocations: number;
  };
  readonly reduce: ReduceProfile;
  readonly elementwise: {
    /**
     * The minimum number of elements (or vectors) for which an invocation computes two, or four. Software pays for each
     * invocation, but compiles longer programs more slowly; on a GPU, several loads are in flight, if enough invocations are
     * left.
     */
    readonly minElements: { readonly 2: number; readonly 4: number };
    /**
     * The same for functions with rare, expensive arguments, which are then computed separately (shaders/commonElementwise.ts).
     * A GPU skips the code for these.
     */
    readonly minCommon: number;
    /**
     * Whether the elements of an invocation are a workgroup apart, so that accesses of adjacent invocations are coalesced.
     * Software gains more from computing the position of adjacent elements once.
     */
    readonly interleaved: boolean;
    /** Whether compilers may reorder operations, as those of GPUs with relaxed math do. */
    readonly reassociates: boolean;
  };
  readonly fill: {
    /**
     * Up to this many elements, eager fills are written from the host. A software adapter copies memory faster than it runs
     * an invocation, and then needs no pipeline for the first tensors of a page.
     */
    readonly uploadedElements: number;
  };
  /** Kernels that compute each element's position by divisions: pads, slices, gathers. */
  readonly strided: {
    /**
     * The maximum number of elements that one invocation moves. Software pays for the divisions once per invocation; on a GPU,
     * adjacent invocations should access adjacent elements.
     */
    readonly elementsPerInvocation: 1 | 8;
  };
  readonly indices: {
    /** Indices that one invocation resolves to rows. */
    readonly indicesPerInvocation: 1 | 8;
    /**
     * From this many reads of indices on, they are validated by a separate launch. A GPU skips the code that reports a fault if
     * there is none; a software adapter executes it at each read, and some 500 of these take as long as a launch.
     */
    readonly checkedSeparately: number;
  };
  readonly gemm: GemmProfile;
  readonly conv2d: {
    /**
     * Whether convolutions of few channels are summed directly, from values in workgroup memory. Software pays for barriers, and
     * gathers element by element what a GPU reads for all lanes together.
     */
    readonly direct: boolean;
    readonly winograd: WinogradProfile;
  };
  readonly depthwise: DepthwiseProfile;
  readonly scatter: {
    /**
     * Comparing each element's row with all indices is cheaper than grouping the indices, up to this many steps in total
     * and this many indices.
     */
    readonly direct: { readonly steps: number; readonly indices: number };
    /** An invocation sums at most this many indices into a table of its own, in one loop; 0 if grouping is always cheaper. */
    readonly owned: number;
    /** The same for workgroups, whose invocations share what they find: one launch, while grouping takes many. */
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
     * Up to this many scores, they are kept in memory, written and read by GEMMs. A GPU computes them faster than it reads
     * them. In software a GEMM needs no barriers; it isn't used if scores take more than 64 MiB.
     */
    readonly largestScores: number;
  };
  readonly recurrent: {
    /**
     * Up to this many multiplications per step, the kernel of a step computes its own matmul. On a GPU a second launch takes
     * longer than a small matmul; in software launches are cheap, and the GEMM uses the vector lanes better.
     */
    readonly inlineMatMul: number;
  };
  readonly optimizer: {
    /**
     * Bytes of the largest variable that is updated together with others. A larger one keeps a separate launch busy.
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
      /** Each invocation reduces whole lines serially. */
      readonly form: 'serial';
      /** Elements of a chunk of a long line: few, to keep rounding errors small. */
      readonly chunk: number;
      /** Lines are split until there are this many invocations, so that every thread has work. */
      readonly busyInvocations: number;
      /** Invocations of a workgroup: few, so that even a small launch is distributed over the threads. */
      readonly workgroup: number;
    }
  | {
      /** The invocations of a workgroup share lines. */
      readonly form: 'lanes';
    };

export interface GemmProfile {
  /**
   * Up to this many multiplications of a matmul, or of a convolution, launching costs more than computing, so one small tile
   * serves all sizes. Programs of convolutions are longer: a software adapter compiles others only for more work.
   */
  readonly smallWork: { readonly matMul: number; readonly conv2d: number };
  /**
   * Where tiles are kept: each invocation computes a block in registers, or workgroups share tiles in workgroup memory.
   */
  readonly tiles: 'registers' | 'shared';
  /** The maximum number of elements of C that an invocation computes in a shared tile: large blocks need many registers. */
  readonly largestBlock: 16 | 64;
  /** Approximate number of compute units: k is split if C has fewer shared tiles. */
  readonly units: number;
  /** Units of a large GPU that has the profile. */
  readonly maxUnits: number;
  /** For other tiles: with fewer invocations than this, k is split into parts that are computed in parallel. */
  readonly busyInvocations: number;
  /** The minimum number of steps of k in a part: fewer wouldn't pay for writing and reading the partial sum. */
  readonly minPart: number;
  /**
   * Up to this many multiplications, the first call runs a tile that compiles fast while the selected one compiles. 0 if
   * compilation is fast.
   */
  readonly fallbackWork: number;
}

/** Costs of convolutions. The unit is one multiplication in a GEMM. */
export interface WinogradProfile {
  /** The minimum number of multiplications for which the extra launches and programs save time. */
  readonly minWork: number;
  /** Rows and columns of a GEMM are rounded up to a multiple of this. */
  readonly rows: number;
  readonly columns: number;
  /** Cost of a multiplication with at most `columns` columns: narrow tiles reuse less of what they read. */
  readonly narrow: number;
  /** Cost of reading or writing a number in a transform. */
  readonly access: number;
  /** The maximum number of bytes of transformed tiles; larger images are computed in bands. */
  readonly bandBytes: number;
  /** Whether kernel and image are transformed in one launch. Software executes both sides of its condition. */
  readonly together: boolean;
}

export interface DepthwiseProfile {
  /**
   * Kernel sizes that are computed in strips, by a program specialized for the size. For other sizes, programs would take
   * longer to compile than they save, or more registers than there are.
   */
  readonly strips: Readonly<
    Record<
      number,
      {
        /** The minimum number of multiplications for which it saves time. */
        readonly minWork: number;
        /** The minimum number of iterations of a strip: its first ones complete no result. */
        readonly minIterations: number;
      }
    >
  >;
  /** The maximum number of registers for values in an invocation of a strip. Addresses take some 12 more. */
  readonly registers: number;
  /** Invocations that keep the adapter busy: work is split until there are this many. */
  readonly busyInvocations: number;
  /** With fewer invocations than this, units idle: strips are then narrower, and as short as possible with two reads per row. */
  readonly minInvocations: number;
}

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
    minElements: { 2: 2 ** 17, 4: 2 ** 18 },
    minCommon: Number.POSITIVE_INFINITY,
    interleaved: true,
    reassociates: true,
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

/** A profile together with properties of the device. */
export interface DeviceProfile extends AdapterProfile {
  /** Whether the feature `subgroups` is enabled. */
  readonly subgroups: boolean;
  /** Size of the subgroup matrices that float16 matmul may use; null if unsupported or not requested. */
  readonly subgroupMatrix: SubgroupMatrixSize | null;
  readonly workgroupInvocations: number;
  readonly workgroupBytes: number;
}

/** Returns the profile of `device`, as if its adapter were of kind `kind`. */
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

/** Returns the profile by which kernels are selected for `device`. It is made once, or set by `init` or a test. */
export function profileOf(device: Device): DeviceProfile {
  device.profile ??= createProfile(device);
  // The device's layer can't name the type, since profiles belong to the kernels. It is only ever set to a DeviceProfile.
  return device.profile as DeviceProfile;
}
