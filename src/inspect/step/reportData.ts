/** @file The content of a step report, as plain JSON. NaN and infinities, which JSON lacks, are null. */
import type { CaptureReport } from '../../autodiff/compile.ts';

/** The values of one tensor. */
export interface ValueStatistics {
  readonly count: number;
  /** Minimum of the finite values; null if there are none. */
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  /** The Euclidean norm of the finite values. */
  readonly norm: number | null;
  readonly zeros: number;
  readonly infinities: number;
  readonly nans: number;
  /** Flat index of the first NaN or infinity; null if there is none. */
  readonly firstNonFinite: number | null;
  /** How many finite values lie in each of equal intervals from `min` to `max`. */
  readonly histogram: readonly number[];
}

/** One launch of a kernel. */
export interface ReportedLaunch {
  readonly kernel: string;
  /** The kernel variant: its options other than false and null. */
  readonly variant: string;
  readonly workgroups: number;
  readonly milliseconds: number;
  readonly bytes: number;
  readonly flops: number | null;
}

/** A layer's call. */
export interface ReportedLayer {
  /** Its index in `layers`; the same holds for calls and tensors. */
  readonly id: number;
  /** The layer call around it; null for the outermost. */
  readonly parent: number | null;
  readonly name: string;
  readonly className: string;
  /** Number of this call among the layer's calls, from 1. */
  readonly call: number;
  /** Names from the outermost layer on, joined by slashes. */
  readonly path: string;
  readonly callSite: string | null;
}

/** A call of an op. */
export interface ReportedCall {
  readonly id: number;
  readonly op: string;
  /** The layer call that it was made in; for gradients, that of the call whose gradient they compute. */
  readonly layer: number | null;
  /** The op and the call whose gradient it computes; null for forward calls. */
  readonly backward: { readonly op: string; readonly call: number | null } | null;
  /** Whether a loss that a tape differentiated depends on it. Always true for backward calls. */
  readonly leadsToLoss: boolean;
  /** Ids of tensors; null for omitted operands. */
  readonly inputs: readonly (number | null)[];
  readonly outputs: readonly number[];
  readonly options: string;
  /** File and line of the code outside the library that made the call. */
  readonly callSite: string | null;
  readonly launches: readonly ReportedLaunch[];
}

/** The role of a tensor in the step. */
export type TensorRole = 'input' | 'weight' | 'activation' | 'gradient';

/** A tensor of the step. */
export interface ReportedTensor {
  readonly id: number;
  readonly name: string | null;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bytes: number;
  readonly role: TensorRole;
  /** The call that computed it; null if it existed before. */
  readonly maker: number | null;
  readonly values: ValueStatistics | null;
  /** The gradient of the loss with respect to it; null if none was computed. */
  readonly gradient: ValueStatistics | null;
  /** For a relu's output: the number of units (indices of the last axis) that are zero everywhere, and of all units. */
  readonly deadUnits: { readonly dead: number; readonly units: number } | null;
  /** For data: whether all rows (indices of the first axis) are equal; null for a single row, and for others. */
  readonly sameRows: boolean | null;
  /** Norms of the gradient at each time step, for a recurrent op. */
  readonly gradientOverTime: readonly number[] | null;
}

/** A weight of the step. */
export interface ReportedWeight {
  readonly tensor: number | null;
  readonly name: string;
  readonly shape: readonly number[];
  readonly trainable: boolean;
  /** Whether a gradient with respect to it was computed; 'disconnected' if it was requested and is null. */
  readonly gradient: 'computed' | 'disconnected' | 'not asked for';
  readonly values: ValueStatistics | null;
  readonly gradientValues: ValueStatistics | null;
  /** Values after the step minus those before; null if they weren't compared. */
  readonly update: ValueStatistics | null;
  /**
   * The gradient times the update, summed: how much the update changes the loss, to first order. Null if there was no update,
   * or several tapes.
   */
  readonly expectedChange: number | null;
  /** Why the gradient is disconnected, as in `tape.explain`. */
  readonly disconnection: ReportedDisconnection | null;
  /** Calls from the loss to the weight, with the norm of the gradient of their outputs. */
  readonly path: readonly { readonly call: number; readonly norm: number | null }[];
}

/** Where and why a gradient is disconnected. */
export interface ReportedDisconnection {
  readonly cause: string;
  readonly last: string;
  readonly first: string;
  readonly where: string | null;
  readonly why: string;
  readonly hint: string;
}

/** A buffer that the step allocated. */
export interface ReportedAllocation {
  /** The op that allocated it, or a name. */
  readonly label: string;
  readonly bytes: number;
  /** The tensor in it, if it is one of the report. */
  readonly tensor: number | null;
  /** Number of calls before it was allocated, and before it was freed; null if it outlived the step. */
  readonly from: number;
  readonly to: number | null;
  /** Whether it was allocated when memory use was at its peak, which may be within a call. */
  readonly atPeak: boolean;
  /** What it was allocated for. */
  readonly reason: 'activation' | 'saved for the gradient' | 'gradient' | 'temporary' | 'result' | 'upload';
}

/** Memory over the step. */
export interface ReportedMemory {
  /** Bytes allocated before the step: weights, states of the optimizer, data. */
  readonly before: number;
  readonly peak: number;
  /** Number of calls made when memory was at its peak. */
  readonly peakAt: number;
  /** Bytes allocated after each change, as [calls made, bytes]. */
  readonly curve: readonly (readonly [number, number])[];
  readonly allocations: readonly ReportedAllocation[];
}

/** Channels of an activation as greyscale pictures. */
export interface FeatureMaps {
  readonly tensor: number;
  readonly layer: number | null;
  readonly width: number;
  readonly height: number;
  /** The maps in base64: a byte for each pixel, row by row. */
  readonly maps: readonly string[];
}

/** How much a finding matters: the step doesn't learn, it learns badly, or it deserves attention. */
export type Severity = 'error' | 'warning' | 'note';

/** An observation about the step. */
export interface Finding {
  readonly kind:
    | 'fault'
    | 'failure'
    | 'non-finite'
    | 'loss'
    | 'disconnected'
    | 'zero gradient'
    | 'dead units'
    | 'saturated units'
    | 'inference mode'
    | 'vanishing gradient'
    | 'exploding gradient'
    | 'same units'
    | 'update'
    | 'input'
    | 'replay'
    | 'curve';
  readonly severity: Severity;
  /** One sentence. */
  readonly title: string;
  /** The cause and the consequences. */
  readonly text: string;
  /** What to do. */
  readonly hint: string;
  readonly callSite: string | null;
  readonly layer: string | null;
  readonly call: number | null;
  /** Names of the affected weights. */
  readonly weights: readonly string[];
}

/** A step report as JSON. */
export interface StepReportData {
  readonly format: 'retrograd step report';
  readonly version: 1;
  readonly library: string;
  readonly name: string;
  readonly adapter: string;
  /** How launches were timed, and the resolution of the clock in microseconds. */
  readonly timing: 'timestamps' | 'wall';
  readonly resolution: number;
  readonly total: {
    readonly calls: number;
    readonly launches: number;
    readonly milliseconds: number;
    readonly bytes: number;
    readonly flops: number | null;
  };
  /** The cost that the inspection itself added to the step. */
  readonly cost: { readonly launches: number; readonly reads: number; readonly readBytes: number };
  /** The value of the loss; null if no tape computed a gradient, or if it isn't finite. */
  readonly loss: number | null;
  /** The norm of all gradients of weights together; null if there are none. */
  readonly gradientNorm: number | null;
  readonly findings: readonly Finding[];
  readonly layers: readonly ReportedLayer[];
  readonly calls: readonly ReportedCall[];
  /** Launches outside of ops: those of an optimizer. */
  readonly outside: readonly ReportedLaunch[];
  readonly tensors: readonly ReportedTensor[];
  readonly weights: readonly ReportedWeight[];
  readonly memory: ReportedMemory;
  readonly featureMaps: readonly FeatureMaps[];
  /** How a compiled function was captured before; null for others. The inspected call itself ran its JavaScript. */
  readonly captures: readonly CaptureReport[] | null;
}
