/**
 * @file What a kind of adapter decides: thresholds and variants of kernels. The values are in adapterProfiles.ts.
 */
import type { AdapterKind } from '../../webgpu/adapter.ts';

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
    /** Whether the steps of a chain may be computed where another kernel stores what they read. Not measured on software adapters. */
    readonly follows: boolean;
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
    /**
     * Whether convolutions of few channels are computed in blocks of adjacent results. On software adapters, where the columns of a
     * GEMM are vectors that padding would fill. Not measured on GPUs.
     */
    readonly blocks: boolean;
    /**
     * Whether the products of an image's only channel are computed where they are summed, by several pixels per invocation. Software
     * pays for each launch that writes what the next one reads, a GPU for what invocations read twice.
     */
    readonly multipliesTaps: boolean;
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
