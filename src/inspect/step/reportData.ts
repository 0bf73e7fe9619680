/** @file What a step report says, as plain JSON. Numbers that JSON lacks (NaN, infinities) are null. */
import type { CaptureReport } from '../../autodiff/compile.ts';

/** The values of one tensor. */
export interface ValueStatistics {
  readonly count: number;
  /** Of the finite values; null where there is none. */
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  /** The Euclidean norm of the finite values. */
  readonly norm: number | null;
  readonly zeros: number;
  readonly infinities: number;
  readonly nans: number;
  /** Flat index of the first NaN or infinity; null where there is none. */
  readonly firstNonFinite: number | null;
  /** How many finite values lie in each of equal intervals from `min` to `max`. */
  readonly histogram: readonly number[];
}

/** One launch of a kernel. */
export interface ReportedLaunch {
  readonly kernel: string;
  /** Which variant: the options of the kernel that differ from false and null. */
  readonly variant: string;
  readonly workgroups: number;
  readonly milliseconds: number;
  readonly bytes: number;
  readonly flops: number | null;
}

/** A layer's call. */
export interface ReportedLayer {
  /** Its place in `layers`, as for calls and tensors. */
  readonly id: number;
  /** The layer call around it; null for the outermost. */
  readonly parent: number | null;
  readonly name: string;
  readonly className: string;
  /** Which call of the layer it is, from 1. */
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
  /** Whether it computes a gradient, and of which op. */
  readonly backward: { readonly op: string; readonly call: number | null } | null;
  /** Whether a loss that a tape differentiated depends on it. Always true for backward calls. */
  readonly leadsToLoss: boolean;
  /** Tensors; null for operands that were left out. */
  readonly inputs: readonly (number | null)[];
  readonly outputs: readonly number[];
  readonly options: string;
  /** File and line of the code outside the library that made the call. */
  readonly callSite: string | null;
  readonly launches: readonly ReportedLaunch[];
}

/** What a tensor is in the step. */
export type TensorRole = 'input' | 'weight' | 'activation' | 'gradient';

/** A tensor of the step. */
export interface ReportedTensor {
  readonly id: number;
  readonly name: string | null;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bytes: number;
  readonly role: TensorRole;
  /** The call that made it; null where it was there before. */
  readonly maker: number | null;
  readonly values: ValueStatistics | null;
  /** The gradient of the loss with respect to it, where one was computed. */
  readonly gradient: ValueStatistics | null;
  /** Of a relu's output: the units (indices of the last axis) that are zero everywhere, and all. */
  readonly deadUnits: { readonly dead: number; readonly units: number } | null;
  /** Norms of the gradient at each step of time, for a recurrent op. */
  readonly gradientOverTime: readonly number[] | null;
}

/** A weight of the step. */
export interface ReportedWeight {
  readonly tensor: number | null;
  readonly name: string;
  readonly shape: readonly number[];
  readonly trainable: boolean;
  /** Whether a gradient with respect to it was computed; 'disconnected' where it was asked for and is null. */
  readonly gradient: 'computed' | 'disconnected' | 'not asked for';
  readonly values: ValueStatistics | null;
  readonly gradientValues: ValueStatistics | null;
  /** Values after the step less those before; null where they weren't compared. */
  readonly update: ValueStatistics | null;
  /** Why the gradient is disconnected, as `tape.explain` says it. */
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
  /** What it is: the op that allocated it, or a name. */
  readonly label: string;
  readonly bytes: number;
  /** The tensor in it, if it is one of the report. */
  readonly tensor: number | null;
  /** Calls made before it was allocated, and before it was freed; null where it outlived the step. */
  readonly from: number;
  readonly to: number | null;
  /** Why it was held. */
  readonly reason: 'activation' | 'saved for the gradient' | 'gradient' | 'temporary' | 'result' | 'upload';
}

/** Memory over the step. */
export interface ReportedMemory {
  /** Bytes held before the step: weights, states of the optimizer, data. */
  readonly before: number;
  readonly peak: number;
  /** Calls made when memory was at its peak. */
  readonly peakAt: number;
  /** Bytes held after each change, as [calls made, bytes]. */
  readonly curve: readonly (readonly [number, number])[];
  readonly allocations: readonly ReportedAllocation[];
}

/** Channels of an activation as pictures of grey levels. */
export interface FeatureMaps {
  readonly tensor: number;
  readonly layer: number | null;
  readonly width: number;
  readonly height: number;
  /** Of the maps, in base64: a byte for each pixel, row by row. */
  readonly maps: readonly string[];
}

/** How much a finding matters: the step doesn't learn, it learns badly, or it is worth a look. */
export type Severity = 'error' | 'warning' | 'note';

/** Something that the step shows, in words. */
export interface Finding {
  readonly kind:
    | 'fault'
    | 'failure'
    | 'non-finite'
    | 'loss'
    | 'disconnected'
    | 'zero gradient'
    | 'dead units'
    | 'vanishing gradient'
    | 'exploding gradient'
    | 'same units'
    | 'update'
    | 'input'
    | 'replay';
  readonly severity: Severity;
  /** One sentence. */
  readonly title: string;
  /** Why it is so, and what follows. */
  readonly text: string;
  /** What to do. */
  readonly hint: string;
  readonly callSite: string | null;
  readonly layer: string | null;
  readonly call: number | null;
  /** Names of the weights that it concerns. */
  readonly weights: readonly string[];
}

/** A step report as JSON. */
export interface StepReportData {
  readonly format: 'retrograd step report';
  readonly version: 1;
  readonly library: string;
  readonly name: string;
  readonly adapter: string;
  /** How launches were timed, and in which steps the clock counts, in microseconds. */
  readonly timing: 'timestamps' | 'wall';
  readonly resolution: number;
  readonly total: {
    readonly calls: number;
    readonly launches: number;
    readonly milliseconds: number;
    readonly bytes: number;
    readonly flops: number | null;
  };
  /** What the inspection itself added to the step. */
  readonly cost: { readonly launches: number; readonly reads: number; readonly readBytes: number };
  /** The value of the loss; null where no tape computed a gradient, or it isn't finite. */
  readonly loss: number | null;
  /** The norm of all gradients of weights together; null where there is none. */
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
