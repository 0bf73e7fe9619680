/** @file The records of a step recorder about calls, tensors and gradients. */
import type { Node } from '../../history/node.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Allocation } from './allocationLog.ts';
import type { TensorRole } from './reportData.ts';
import type { PendingStatistics } from './valueStatistics.ts';

/** A tensor of the step. */
export interface ObservedTensor {
  readonly id: number;
  readonly name: string | undefined;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly bytes: number;
  readonly role: TensorRole;
  readonly maker: ObservedCall | null;
  readonly values: PendingStatistics | null;
  readonly allocation: Allocation | undefined;
  gradient: PendingStatistics | null;
  /** For a relu: the maxima of its units. */
  unitMaxima: PendingStatistics | null;
  /** For data: the maximum minus the minimum of each column, over the rows. */
  rowSpread: PendingStatistics | null;
  /** Squared norms of the gradient by time step. */
  squaresOverTime: Tensor | null;
}

/** A call of an op. */
export interface ObservedCall {
  readonly id: number;
  readonly op: string;
  readonly node: Node | null;
  readonly parent: Node | null;
  /** The call whose gradient it computes. */
  readonly gradientOf: Node | null;
  readonly inputs: readonly (ObservedTensor | null)[];
  outputs: readonly ObservedTensor[];
  readonly options: object;
  readonly callSite: string | undefined;
  /** Launches made before the end of the call, as the stream counts them. */
  readonly launchesBy: number;
}

/** A request for gradients from a tape. */
export interface GradientRequest {
  readonly tape: object;
  readonly targets: readonly Tensor[];
  readonly sources: readonly Tensor[];
  readonly isNull: readonly boolean[];
  readonly gradients: readonly (PendingStatistics | null)[];
}
