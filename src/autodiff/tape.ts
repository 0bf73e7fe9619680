/**
 * @file GradientTape: records executed calls and runs their gradients in reverse. Semantics and errors are TensorFlow's.
 *
 * In addition to the records with values it keeps a lightweight trace of every call (ids and nodes), so that `explain` can say
 * where a gradient is disconnected.
 */
import { requireFunction } from '../core/arguments.ts';
import { isFloating } from '../core/dtype.ts';
import { TapeError } from '../core/errors.ts';
import { checkOptions, rejectExtraArguments } from '../core/options.ts';
import { requireBoolean } from '../core/shape.ts';
import { formatSpec } from '../core/spec.ts';
import type { KerasHistory } from '../history/node.ts';
import type { RecordedCall } from '../ops/define/recorders.ts';
import { disposing } from '../tensor/scope.ts';
import { Tensor } from '../tensor/tensor.ts';
import { Variable } from '../tensor/variable.ts';
import { explainPath } from './explain.ts';
import type { Leaf, PathExplanation, TracedCall } from './pathExplanation.ts';
import { batchJacobianRows, jacobianRows } from './jacobian.ts';
import { Tape } from './recordedCalls.ts';
import {
  flatSources,
  type Gradient,
  type GradientOptions,
  listOf,
  requireOneList,
  requireTensors,
  type UnconnectedGradients,
} from './request.ts';

/** Options of `GradientTape`. */
export interface TapeOptions {
  /** Whether `gradient` may be called more than once. Default false: values are freed as they are used. */
  persistent?: boolean;
  /** Whether trainable variables are watched at their first use. Default true. */
  watchAccessedVariables?: boolean;
}

/**
 * Records the calls of ops on the tensors it watches, and computes gradients from them. It starts recording when created,
 * and watches trainable variables automatically. Semantics and errors are TensorFlow's.
 */
export class GradientTape extends Tape {
  readonly #watchVariables: boolean;
  #watched = new Map<number, Tensor>();
  #trace: TracedCall[] = [];
  #leaves = new Map<number, Leaf>();

  constructor(options: TapeOptions = {}) {
    checkOptions('GradientTape', options, ['persistent', 'watchAccessedVariables']);
    const { persistent = false, watchAccessedVariables = true } = options;
    requireBoolean('GradientTape', 'persistent', persistent);
    requireBoolean('GradientTape', 'watchAccessedVariables', watchAccessedVariables);
    super(persistent);
    this.#watchVariables = watchAccessedVariables;
  }

  /**
   * Runs `body` with a new tape, which is closed at its end: for engines and tools without `using`.
   *
   *     const [dw] = GradientTape.run((tape) => tape.gradient(mean(square(matMul(x, w))), [w]));
   *
   * Errors: TapeError for a `body` that is async; those of `body`.
   */
  static run<T>(body: (tape: GradientTape) => T, options: TapeOptions = {}, ...extra: never[]): T {
    rejectExtraArguments('GradientTape.run', extra, ['body', 'options']);
    requireFunction('GradientTape.run', 'body', body);
    return disposing(new GradientTape(options), (tape) => {
      const result = body(tape);
      if (!(result instanceof Promise)) return result;
      throw new TapeError({
        op: 'GradientTape.run',
        rule: 'the tape is closed when the function returns, so the function cannot be async.',
        received: 'a function that returned a Promise',
        hint: 'return the gradients, and await their values outside.',
      });
    });
  }

  /** Tensors and variables that this tape watches. */
  get watched(): readonly Tensor[] {
    return [...this.#watched.values()];
  }

  /**
   * Origins of tensors that entered recorded calls from outside.
   * @internal
   */
  get leaves(): ReadonlyMap<number, Leaf> {
    return this.#leaves;
  }

  isWatched(id: number): boolean {
    return this.#watched.has(id);
  }

  /**
   * Returns whether this tape saw the call that a history names, or the calls inside it.
   * @internal
   */
  hasRecorded({ node }: KerasHistory): boolean {
    return this.#trace.some(({ node: seen }) => seen === node || seen.parent === node);
  }

  /** Calls seen so far, newest last. */
  get trace(): readonly TracedCall[] {
    return this.#trace;
  }

  override watch(tensors: Tensor | readonly Tensor[], ...extra: never[]): void {
    rejectExtraArguments('watch', extra, ['[tensor, …]']);
    super.watch(tensors);
    // Kept for their metadata; a disposed tensor stays watched by id.
    for (const tensor of listOf('watch', tensors)) this.#watched.set(tensor.id, tensor);
  }

  /** @internal */
  override follows(tensor: Tensor): boolean {
    return this.#watchesAtUse(tensor) || super.follows(tensor);
  }

  #watchesAtUse(tensor: Tensor): boolean {
    return this.#watchVariables && tensor instanceof Variable && tensor.trainable && isFloating(tensor.dtype);
  }

  /** @internal */
  override record(call: RecordedCall): readonly (number | null)[] {
    const { op, inputs, outputs, node } = call;
    for (const input of inputs) if (input && this.#watchesAtUse(input)) this.watch(input);
    const gradientIds = super.record(call);
    const inputIds = inputs.map((input) => input?.id ?? null);
    const outputIds = outputs.map((output) => output.id);
    this.#trace.push({ op, node, inputIds, outputIds, gradientIds });
    for (const input of inputs) if (input) this.#noteLeaf(input);
    return gradientIds;
  }

  /** Notes the origin of a tensor made outside; calls that this tape recorded are in its trace. */
  #noteLeaf(input: Tensor): void {
    const { origin, name, id } = input;
    if (origin.kind === 'recorded' && origin.history.node.recording === this.recording) return;
    this.#leaves.set(id, { spec: formatSpec(input), name, origin });
  }

  override reset(): void {
    super.reset();
    this.#watched = new Map();
    this.#trace = [];
    this.#leaves = new Map();
  }

  /**
   * Gradients of the sum of `target` (or of all targets) with respect to `sources`, float32 in their shapes: an array for an
   * array, a record for a record. A source that isn't connected gets null (`explain(target, source)` says why), or zeros with
   * `unconnectedGradients: 'zero'`.
   * Errors: TapeError for the second call on a tape that isn't persistent, and for an unknown `unconnectedGradients`;
   * ShapeError for output gradients that don't fit.
   */
  gradient<U extends UnconnectedGradients = 'none'>(
    target: Tensor | readonly Tensor[],
    source: Tensor,
    options?: GradientOptions<U>,
  ): Gradient<U>;
  gradient<const S extends readonly Tensor[], U extends UnconnectedGradients = 'none'>(
    target: Tensor | readonly Tensor[],
    sources: S,
    options?: GradientOptions<U>,
  ): { -readonly [K in keyof S]: Gradient<U> };
  gradient<K extends string, U extends UnconnectedGradients = 'none'>(
    target: Tensor | readonly Tensor[],
    sources: Readonly<{ [key in K]: Tensor }>,
    options?: GradientOptions<U>,
  ): { [key in K]: Gradient<U> };
  gradient(
    target: Tensor | readonly Tensor[],
    sources: Tensor | readonly Tensor[] | Readonly<globalThis.Record<string, Tensor>>,
    options: GradientOptions = {},
    ...extra: never[]
  ): unknown {
    requireOneList('gradient', 'target', options, extra);
    const filled = this.gradients(listOf('gradient', target), flatSources(sources), options);
    if (sources instanceof Tensor) return filled[0];
    if (Array.isArray(sources)) return filled;
    return Object.fromEntries(Object.keys(sources).map((key, i) => [key, filled[i]]));
  }

  /**
   * The Jacobian of `target` in the shape [...target.shape, ...source.shape]; null if they aren't connected. The tape
   * must be persistent if the target has more than one element.
   */
  jacobian<U extends UnconnectedGradients = 'none'>(
    target: Tensor,
    source: Tensor,
    options?: GradientOptions<U>,
  ): Gradient<U>;
  jacobian(
    target: Tensor,
    source: Tensor,
    options: Pick<GradientOptions, 'unconnectedGradients'> = {},
    ...extra: never[]
  ): Gradient {
    rejectExtraArguments('jacobian', extra, ['target', 'source', 'options']);
    checkOptions('jacobian', options, ['unconnectedGradients']);
    requireTensors('target and source', [target, source], 'jacobian');
    const { unconnectedGradients = 'none' } = options;
    const backward = (cotangent: Tensor) =>
      this.gradient(target, source, { outputGradients: cotangent, unconnectedGradients });
    return jacobianRows(backward, target, source);
  }

  /** Jacobians of each example: target [b, ...t], source [b, ...s] → [b, ...t, ...s]. Errors: ShapeError. */
  batchJacobian<U extends UnconnectedGradients = 'none'>(
    target: Tensor,
    source: Tensor,
    options?: GradientOptions<U>,
  ): Gradient<U>;
  batchJacobian(
    target: Tensor,
    source: Tensor,
    options: Pick<GradientOptions, 'unconnectedGradients'> = {},
    ...extra: never[]
  ): Gradient {
    rejectExtraArguments('batchJacobian', extra, ['target', 'source', 'options']);
    checkOptions('batchJacobian', options, ['unconnectedGradients']);
    requireTensors('target and source', [target, source], 'batchJacobian');
    const { unconnectedGradients = 'none' } = options;
    const backward = (cotangent: Tensor) =>
      this.gradient(target, source, { outputGradients: cotangent, unconnectedGradients });
    return batchJacobianRows(backward, target, source);
  }

  /**
   * Returns whether a gradient flows from `target` to `source`, and along which calls; or at which call it is disconnected,
   * why, and how to fix it. Also works after `gradient`.
   */
  explain(target: Tensor, source: Tensor, ...extra: never[]): PathExplanation {
    rejectExtraArguments('explain', extra, ['target', 'source']);
    requireTensors('target and source', [target, source], 'explain');
    return explainPath(this, target, source);
  }
}
