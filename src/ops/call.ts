/**
 * @file One call of an op while its forward runs, and the errors for its faults when they are reported.
 */
import { IndexOutOfRangeError } from '../core/errors.ts';
import { sizeOf, unravel } from '../core/shape.ts';
import type { TensorSpec } from '../core/spec.ts';
import type { FaultReport } from '../webgpu/faults.ts';
import { callSite } from '../history/callSite.ts';
import { currentParent } from '../history/frames.ts';
import type { Node } from '../history/node.ts';

/** One call while its forward runs. */
export class Call<O extends object = object> {
  /** Set once the call is recorded; faults that are reported later can name it. */
  node: Node | null = null;
  /** The layer call inside which this call runs. */
  readonly parent: Node | null = currentParent();

  constructor(
    readonly op: string,
    readonly outputs: readonly TensorSpec[],
    /** The operands as the caller passed them: host values can be checked immediately. */
    readonly operands: readonly unknown[],
    readonly options: O,
  ) {}

  /**
   * Describes faults of an index tensor in this call. `indexed` says what the index at a position points into.
   */
  indexFault(indices: TensorSpec, indexed: (position: readonly number[]) => IndexedAxis): FaultReport {
    const { shape, dtype } = indices;
    const site = callSite();
    return {
      count: sizeOf(shape),
      raise: (flat, bits) => {
        const position = unravel(flat, shape);
        return this.indexError(position, dtype === 'uint32' ? bits : bits | 0, indexed(position), site);
      },
    };
  }

  /** The error for one index outside its range, with the history of the call. */
  indexError(
    position: number[],
    index: number,
    indexed: IndexedAxis,
    site = callSite(),
  ): IndexOutOfRangeError {
    const { name, of, axis, limit, hint } = indexed;
    const layer = this.parent?.operation.name;
    const made = layer
      ? `made by layer '${layer}' (call ${(this.parent?.index ?? 0) + 1})`
      : `made by op '${this.op}'`;
    return new IndexOutOfRangeError({
      op: this.op,
      rule: `index ${index} at position [${position.join(', ')}] of \`${name}\` is outside [0, ${limit}), the range of axis ${axis} of ${of}.\n  ${made}${site ? `, recorded at ${site}` : ''}`,
      hint,
      position,
      index,
      limit,
      axis,
      layer,
      history: this.node,
    });
  }
}

/** The axis that an index points into, for error messages. */
export interface IndexedAxis {
  /** Name of the index input. */
  name: string;
  /** The indexed tensor, such as "`x` float32[10, 64]". */
  of: string;
  axis: number;
  /** Size of that axis. */
  limit: number;
  hint: string;
}
