/** @file The result of `tape.explain(target, source)`, and the interface of a tape that it uses. */
import type { Node } from '../history/node.ts';
import type { Origin } from '../history/origin.ts';
import type { OpDefinition } from '../ops/define/define.ts';

/** Why a gradient is disconnected. */
export type DisconnectionCause =
  /** An operation that has no gradient: argMax, a comparison, rounding to integers. */
  | 'notDifferentiable'
  /** Values went through integers or bools. */
  | 'integers'
  /** stopGradient. */
  | 'detached'
  /** Values were read back to the host and uploaded again. */
  | 'readBack'
  /** An operation ran while this tape didn't record. */
  | 'unrecorded'
  /** Recorded on another tape. */
  | 'foreign'
  /** Values were copied into a variable. */
  | 'variable'
  /** The tape doesn't watch the source. */
  | 'unwatched'
  /** The target wasn't made from the source, as far as its history is known. */
  | 'independent';

/** One call on the path of a gradient, in the order of the forward computation. */
export interface PathStep {
  operation: string;
  /** Spec of the output that the path goes through. */
  spec: string;
  callSite: string | undefined;
}

/** The result of `tape.explain`. */
export interface PathExplanation {
  connected: boolean;
  /** The calls from source to target; if disconnected, those up to that point. */
  path: PathStep[];
  /** Null where connected. */
  disconnectedAt: {
    cause: DisconnectionCause;
    /** The last operation that the source's gradient path reaches, or the source itself. */
    last: string;
    /** The first operation beyond the disconnection. */
    first: string;
    where: string | undefined;
    why: string;
    hint: string;
  } | null;
  text: string;
}

/** A call without its values, for `explain`. */
export interface TracedCall {
  readonly op: OpDefinition;
  readonly node: Node;
  readonly inputIds: readonly (number | null)[];
  readonly outputIds: readonly number[];
  /** Ids of the inputs to which this call passes a gradient; null for others. */
  readonly gradientIds: readonly (number | null)[];
}

/** The part of a tape that the explanation uses. */
export interface ExplainedTape {
  readonly recording: number;
  readonly trace: readonly TracedCall[];
  /** Origins of tensors that entered the tape's calls from outside. */
  readonly leaves: ReadonlyMap<number, Leaf>;
  isWatched(id: number): boolean;
}

export interface Leaf {
  readonly spec: string;
  readonly name: string | undefined;
  readonly origin: Origin;
}
