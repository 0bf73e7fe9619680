/**
 * @file Origins: the reason why a tensor has a history, or has none. Every tensor has an Origin from its creation on.
 */
import type { KerasHistory, Node } from './node.ts';

export type Origin =
  /** Made by an operation whose call was recorded. */
  | { readonly kind: 'recorded'; readonly history: KerasHistory }
  /** Made from host data by the named function; `readBackFrom` if the data came from a tensor's `data()`. */
  | {
      readonly kind: 'fresh';
      readonly by: string;
      readonly readBackFrom?: SourceTensor | undefined;
      readonly callSite?: string | undefined;
    }
  /** Made by an operation while nothing recorded; `inputs` are the ids of the operation's inputs. */
  | {
      readonly kind: 'unrecorded';
      readonly op: string;
      /** Set once, by the call that made the tensor. */
      inputs?: readonly number[] | undefined;
      readonly callSite?: string | undefined;
    }
  /** Detached on purpose by the named function. */
  | {
      readonly kind: 'detached';
      readonly by: string;
      readonly from: SourceTensor;
      readonly callSite?: string | undefined;
    }
  /** A variable: always a leaf. `from` is the tensor last assigned to it. */
  | { readonly kind: 'variable'; readonly from?: SourceTensor | undefined }
  /** Read from a file. */
  | { readonly kind: 'loaded'; readonly from: string };

/**
 * The tensor that another one was made from, where the gradient is disconnected. The node is held weakly: a value that
 * makes a round trip through the host at every step must not keep the histories of all earlier steps alive.
 */
export interface SourceTensor {
  /** The identity that tapes know the tensor by. */
  readonly id: number;
  readonly spec: string;
  readonly name: string | undefined;
  /** Name of the operation that made it. */
  readonly operation: string | undefined;
  readonly node: WeakRef<Node> | undefined;
}

export function historyOf(origin: Origin): KerasHistory | null {
  return origin.kind === 'recorded' ? origin.history : null;
}
