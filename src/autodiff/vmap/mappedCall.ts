/** @file MappedCall: a call of an op inside vmap, as batching rules see it. */
import type { Shape } from '../../core/shape.ts';
import type { TensorSpec } from '../../core/spec.ts';
import { applyOp, type OpDefinition } from '../../ops/define/define.ts';
import { outputsOf, type Plan, type Results } from '../../ops/define/definition.ts';
import { reshape } from '../../ops/arrangement/reshape.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Level } from './batchedTensor.ts';

/** Computes the results of an op for all examples, with the batch as first axis. */
export type BatchingRule = (call: MappedCall) => Results;

/** The options of a call by name. Each rule knows the options of its op. */
export type Options = Readonly<Record<string, unknown>>;

export class MappedCall {
  readonly size: number;
  readonly options: Options;

  constructor(
    readonly level: Level,
    readonly op: OpDefinition,
    /** The operands for one example. */
    readonly inputs: readonly (Tensor | null)[],
    /** The op's plan for one example. */
    readonly plan: Plan,
    options: object,
  ) {
    this.size = level.size;
    this.options = options as Options;
  }

  isMapped(i: number): boolean {
    return this.level.isMapped(this.inputs[i] ?? null);
  }

  /** Returns the shape of operand `i` for one example; [] where it is left out. */
  shape(i: number): Shape {
    return this.inputs[i]?.shape ?? [];
  }

  rank(i: number): number {
    return this.shape(i).length;
  }

  /** The shape of the result for one example. */
  get result(): Shape {
    return this.#resultShape(0);
  }

  /** Returns the shape of result `i` for all examples. */
  resultOfAll(i = 0): Shape {
    return [this.size, ...this.#resultShape(i)];
  }

  #resultShape(i: number): Shape {
    return (outputsOf(this.plan)[i] as TensorSpec).shape;
  }

  /** Operand `i` for all examples, [batch, ...shape], if it is mapped; otherwise unchanged. */
  whole(i: number): Tensor | null {
    const input = this.inputs[i] ?? null;
    return this.level.isMapped(input) ? input.physical : input;
  }

  /** Operand `i` for all examples; repeated if it isn't mapped. */
  spread(i: number): Tensor {
    return this.level.spread(this.inputs[i] as Tensor);
  }

  /** Returns all operands for all examples, repeated if not mapped; null if left out. */
  spreadAll(): (Tensor | null)[] {
    return this.inputs.map((input) => input && this.level.spread(input));
  }

  /** Operand `i` with axes of size 1 inserted after the batch axis, so that it broadcasts with examples of `rank` axes. */
  raised(i: number, rank: number): Tensor | null {
    const input = this.inputs[i] ?? null;
    if (!this.level.isMapped(input)) return input;
    if (input.rank === rank) return input.physical;
    const ones = new Array<number>(rank - input.rank).fill(1);
    return reshape(input.physical, { shape: [this.size, ...ones, ...input.shape] });
  }

  /** Runs the op. */
  run(inputs: readonly (Tensor | null)[], options: object = this.options): Results {
    return applyOp(this.op, inputs, options) as Results;
  }

  /** Runs the op, which has one result. */
  one(inputs: readonly (Tensor | null)[], options: object = this.options): Tensor {
    return this.run(inputs, options) as Tensor;
  }

  /** Returns the values for all examples of `results`, which ops computed from mapped operands. */
  ofAll(results: readonly Tensor[]): readonly Tensor[] {
    return results.map((result) => this.level.spread(result));
  }
}

/** For ops with a formula: the ops of the formula have rules. */
export const byFormula: BatchingRule = ({ op, inputs, plan, options, level }) => {
  const result = op.formula?.(inputs, plan, options) as Results;
  return Array.isArray(result) ? result.map((x: Tensor) => level.spread(x)) : level.spread(result as Tensor);
};
