/**
 * @file One call of an op while its forward runs, and the errors for its faults when they are reported.
 */
import { IndexOutOfRangeError } from '../../core/errors.ts';
import { sizeOf, unravel } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { FaultReport } from '../../webgpu/faults.ts';
import { callSite } from '../../history/callSite.ts';
import { currentParent } from '../../history/frames.ts';
import type { Node } from '../../history/node.ts';

/** The check of the indices of a call inside vmap, which is written for one example. */
export interface ExampleCheck {
  readonly call: Call;
  /** The report of one example. */
  readonly fault: IndexFault;
  /** Whether each example has its own indices. */
  readonly isMapped: boolean;
}

let exampleCheck: ExampleCheck | null = null;

/** Runs `body`, whose calls compute that of `check` for all examples: they report its faults. */
export function reportingFor<T>(check: ExampleCheck | null, body: () => T): T {
  const before = exampleCheck;
  exampleCheck = check ?? before;
  try {
    return body();
  } finally {
    exampleCheck = before;
  }
}

/** The composite op whose formula is being computed, the outermost of several. */
let composite: string | null = null;

/** Runs the formula of the composite op `name`: faults of its calls name it, because the caller knows no other op. */
export function inComposite<T>(name: string, body: () => T): T {
  const before = composite;
  composite = before ?? name;
  try {
    return body();
  } finally {
    composite = before;
  }
}

/** One call while its forward runs. */
export class Call<O extends object = object> {
  /** Set once the call is recorded; faults that are reported later can name it. */
  node: Node | null = null;
  /** What this call computes for all examples of a vmap. */
  readonly #example = exampleCheck;
  /** The layer call inside which this call runs. */
  readonly parent: Node | null = currentParent();
  readonly #composite = composite;

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
  indexFault(indices: TensorSpec, indexed: (position: readonly number[]) => IndexedAxis): IndexFault {
    const { shape, dtype } = indices;
    const count = sizeOf(shape);
    const example = this.#example;
    if (example) return { count, raise: (...fault) => this.#raiseFor(example, ...fault) };
    const site = callSite();
    return {
      count,
      raise: (flat, bits, examples) => {
        const position = unravel(flat, shape);
        const index = dtype === 'uint32' ? bits : bits | 0;
        return this.indexError(position, index, indexed(position), site, examples);
      },
    };
  }

  /** The batch is the first axis of the indices, or all examples share them. */
  #raiseFor(
    { call, fault, isMapped }: ExampleCheck,
    flat: number,
    bits: number,
    inner: readonly number[] = [],
  ): IndexOutOfRangeError {
    call.node ??= this.node;
    const examples = isMapped ? [Math.floor(flat / fault.count), ...inner] : inner;
    return fault.raise(flat % fault.count, bits, examples);
  }

  /** The error for one index outside its range, with the history of the call. */
  indexError(
    position: number[],
    index: number,
    indexed: IndexedAxis,
    site = callSite(),
    examples: readonly number[] = [],
  ): IndexOutOfRangeError {
    const { name, of, axis, limit, hint } = indexed;
    const layer = this.parent?.operation.name;
    const made = layer
      ? `made by layer '${layer}' (call ${(this.parent?.index ?? 0) + 1})`
      : `made by op '${this.op}'${this.#composite === null ? '' : ` in '${this.#composite}'`}`;
    return new IndexOutOfRangeError({
      op: this.op,
      rule: `index ${index} at position [${position.join(', ')}] of \`${name}\` is outside [0, ${limit}), the range of axis ${axis} of ${of}.\n  ${made}${inExample(examples)}${site ? `, recorded at ${site}` : ''}`,
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

/** Names the example in which a fault is: the outer map's first. */
function inExample(examples: readonly number[]): string {
  if (examples.length === 0) return '';
  if (examples.length === 1) return `, in example ${examples[0]} of vmap`;
  return `, in example [${examples.join(', ')}] of nested vmaps`;
}

/** Describes a fault of an index tensor. */
export interface IndexFault extends FaultReport {
  /** `examples`: in which examples of vmaps that run now it is. */
  raise(flat: number, bits: number, examples?: readonly number[]): IndexOutOfRangeError;
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
