/**
 * @file GradientTape: records executed calls, and walks them backwards. Semantics and errors are TensorFlow's.
 *
 * The tape keeps values alive only as each op's `save` demands, and a non-persistent tape frees each at its last use.
 * Beside the records with values it keeps a light trace of every call (ids and nodes), so that `explain` can say where
 * a gradient was cut.
 */
import { isFloating } from '../core/dtype.ts';
import { TapeError } from '../core/errors.ts';
import { describe } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import { chargedToGradient, isCharging } from '../gpu/charge.ts';
import { withDevice } from '../gpu/device.ts';
import { currentParent, insideGradient } from '../history/frames.ts';
import type { KerasHistory, Node } from '../history/node.ts';
import type { OpDefinition } from '../ops/define.ts';
import { pathOf } from '../ops/dispatch.ts';
import {
  activeRecorders,
  nextRecording,
  type RecordedCall,
  type Recorder,
  startRecorder,
  stopRecorder,
  withRecorders,
} from '../ops/recording.ts';
import { fill } from '../ops/creation.ts';
import { identity } from '../ops/identity.ts';
import { tidy } from '../tensor/scope.ts';
import { alias, Tensor } from '../tensor/tensor.ts';
import { Variable } from '../tensor/variable.ts';
import { Cotangents } from './cotangents.ts';
import { batchJacobianRows, jacobianRows } from './jacobian.ts';
import { explainPath, type Leaf, type PathExplanation } from './explain.ts';
import { flatSources, type GradientOptions, requireTensors, seedTargets } from './request.ts';

export interface TapeOptions {
  /** Whether `gradient` may be called more than once. Default false: values are freed as they are used. */
  persistent?: boolean;
  /** Whether trainable variables are watched at their first use. Default true. */
  watchAccessedVariables?: boolean;
}

/** A call with the values that its gradient reads. */
interface Record {
  op: OpDefinition;
  node: Node;
  options: object;
  inputIds: readonly (number | null)[];
  outputIds: readonly number[];
  inputSpecs: readonly TensorSpec[];
  outputSpecs: readonly TensorSpec[];
  savedInputs: readonly (Tensor | undefined)[];
  savedOutputs: readonly (Tensor | undefined)[];
}

/** A call without its values, for `explain`. */
export interface TracedCall {
  readonly op: OpDefinition;
  readonly node: Node;
  readonly inputIds: readonly (number | null)[];
  readonly outputIds: readonly number[];
  /** Whether the gradient passes through this call. */
  readonly connected: boolean;
}

export class GradientTape implements Recorder {
  readonly recording = nextRecording();
  readonly persistent: boolean;
  readonly #watchVariables: boolean;
  /** Ids of tensors that depend on a watched one through differentiable calls, with the watched ones themselves. */
  #connected = new Set<number>();
  #watched = new Map<number, Tensor>();
  #records: Record[] = [];
  #trace: TracedCall[] = [];
  #leaves = new Map<number, Leaf>();
  #spent = false;

  constructor(options: TapeOptions = {}) {
    this.persistent = options.persistent ?? false;
    this.#watchVariables = options.watchAccessedVariables ?? true;
    startRecorder(this);
  }

  get isRecording(): boolean {
    return activeRecorders().includes(this);
  }

  /** Tensors and variables that this tape watches. */
  get watched(): readonly Tensor[] {
    return [...this.#watched.values()];
  }

  /** Provenances of tensors that entered recorded calls from outside. */
  get leaves(): ReadonlyMap<number, Leaf> {
    return this.#leaves;
  }

  isWatched(id: number): boolean {
    return this.#watched.has(id);
  }

  /** Whether this tape saw the call that a history names, or the calls inside it. */
  hasRecorded({ node }: KerasHistory): boolean {
    return this.#trace.some(({ node: seen }) => seen === node || seen.parent === node);
  }

  /** Calls seen so far, newest last. */
  get trace(): readonly TracedCall[] {
    return this.#trace;
  }

  /** Follows `tensors` from here on. Errors: TapeError for tensors that aren't floating. */
  watch(tensors: Tensor | readonly Tensor[]): void {
    for (const tensor of [tensors].flat() as Tensor[]) {
      if (!(tensor instanceof Tensor) || !isFloating(tensor.dtype)) {
        throw new TapeError({
          op: 'watch',
          rule: 'a tape watches floating-point tensors.',
          received: tensor instanceof Tensor ? formatSpec(tensor) : describe(tensor),
          mend: "cast to 'float32' first, and compute with the result.",
        });
      }
      this.#connected.add(tensor.id);
      // Held for its metadata; a disposed tensor stays watched by id.
      this.#watched.set(tensor.id, tensor);
    }
  }

  record({ op, inputs, outputs, options, node }: RecordedCall): void {
    if (this.#watchVariables) {
      for (const input of inputs)
        if (input instanceof Variable && input.trainable && isFloating(input.dtype)) this.watch(input);
    }
    const inputIds = inputs.map((input) => input?.id ?? null);
    const outputIds = outputs.map((output) => output.id);
    const depends = inputIds.some(
      (id, i) => id !== null && this.#connected.has(id) && isFloating((inputs[i] as Tensor).dtype),
    );
    const connected = depends && op.backward !== null && outputs.some((output) => isFloating(output.dtype));
    this.#trace.push({ op, node, inputIds, outputIds, connected });
    for (const input of inputs) if (input) this.#noteLeaf(input);
    if (!connected) return;
    for (const output of outputs) if (isFloating(output.dtype)) this.#connected.add(output.id);
    const { inputs: readInputs = inputs.map((_, i) => i), outputs: readOutputs = [] } = op.save ?? {};
    this.#records.push({
      op,
      node,
      options,
      inputIds,
      outputIds,
      inputSpecs: inputs.map((input) =>
        input ? { shape: input.shape, dtype: input.dtype } : (input as never),
      ),
      outputSpecs: outputs.map(({ shape, dtype }) => ({ shape, dtype })),
      savedInputs: inputs.map((input, i) => (input && readInputs.includes(i) ? alias(input) : undefined)),
      savedOutputs: outputs.map((output, i) => (readOutputs.includes(i) ? alias(output) : undefined)),
    });
  }

  /** Keeps the provenance of what other hands made; what this tape recorded is in its trace. */
  #noteLeaf(input: Tensor): void {
    const { provenance, name, id } = input;
    if (provenance.cause === 'recorded' && provenance.history.node.recording === this.recording) return;
    this.#leaves.set(id, { spec: formatSpec(input), name, provenance });
  }

  /** Runs `body` unrecorded by this tape. */
  stopRecording<T>(body: () => T): T {
    return withRecorders(
      activeRecorders().filter((recorder) => recorder !== this),
      body,
    );
  }

  /** Forgets everything recorded and watched, and records anew. */
  reset(): void {
    this.#free();
    this.#connected = new Set();
    this.#watched = new Map();
    this.#trace = [];
    this.#leaves = new Map();
    this.#spent = false;
    if (!this.isRecording) startRecorder(this);
  }

  /** Ends the recording and frees what was saved. A persistent tape needs it, by `using` or by hand. */
  dispose(): void {
    stopRecorder(this);
    this.#free();
    this.#spent = true;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /**
   * Gradients of the sum of `target` (or of all targets) with respect to `sources`, in their shapes: for an array an
   * array, for a record a record. Null where a source isn't connected: `explain(target, source)` says why.
   * Errors: TapeError for the second call on a tape that isn't persistent, and for an unknown `unconnectedGradients`;
   * ShapeError for output gradients that don't fit.
   */
  gradient(target: Tensor | readonly Tensor[], source: Tensor, options?: GradientOptions): Tensor | null;
  gradient(
    target: Tensor | readonly Tensor[],
    sources: readonly Tensor[],
    options?: GradientOptions,
  ): (Tensor | null)[];
  gradient<K extends string>(
    target: Tensor | readonly Tensor[],
    sources: Readonly<{ [key in K]: Tensor }>,
    options?: GradientOptions,
  ): { [key in K]: Tensor | null };
  gradient(
    target: Tensor | readonly Tensor[],
    sources: Tensor | readonly Tensor[] | Readonly<globalThis.Record<string, Tensor>>,
    options: GradientOptions = {},
  ): unknown {
    const { unconnectedGradients = 'none' } = options;
    if (unconnectedGradients !== 'none' && unconnectedGradients !== 'zero') {
      throw new TapeError({
        op: 'gradient',
        rule: "`unconnectedGradients` must be 'none' or 'zero'.",
        received: describe(unconnectedGradients),
        mend: "leave it out for null, or pass 'zero' for zeros.",
      });
    }
    this.#requireUsable();
    if (!this.persistent) stopRecorder(this);
    const list = flatSources(sources);
    const targets = [target].flat() as Tensor[];
    requireTensors('targets', targets);
    requireTensors('sources', list);
    const { device } = targets[0] as Tensor;
    const gradients = withDevice(device, () => tidy(() => this.#walk(targets, list, options)));
    if (!this.persistent) {
      this.#free();
      this.#spent = true;
    }
    const filled = gradients.map((gradient, i) => {
      if (gradient || unconnectedGradients === 'none') return gradient;
      const { shape, dtype } = list[i] as Tensor;
      return withDevice(device, () => fill(shape, 0, { dtype }));
    });
    if (sources instanceof Tensor) return filled[0];
    if (Array.isArray(sources)) return filled;
    return Object.fromEntries(Object.keys(sources).map((key, i) => [key, filled[i]]));
  }

  /**
   * The Jacobian of `target` in the shape [...target.shape, ...source.shape]; null where they aren't connected. The tape
   * must be persistent where the target has more than one element.
   */
  jacobian(
    target: Tensor,
    source: Tensor,
    { unconnectedGradients = 'none' }: GradientOptions = {},
  ): Tensor | null {
    const walk = (cotangent: Tensor) =>
      this.gradient(target, source, { outputGradients: cotangent, unconnectedGradients });
    return jacobianRows(walk, target, source);
  }

  /** Jacobians of each example: target [b, ...t], source [b, ...s] → [b, ...t, ...s]. Errors: ShapeError. */
  batchJacobian(
    target: Tensor,
    source: Tensor,
    { unconnectedGradients = 'none' }: GradientOptions = {},
  ): Tensor | null {
    const walk = (cotangent: Tensor) =>
      this.gradient(target, source, { outputGradients: cotangent, unconnectedGradients });
    return batchJacobianRows(walk, target, source);
  }

  /**
   * Whether a gradient flows from `target` to `source`, along which calls, or at which call it is cut, why, and how to
   * mend that. Works after `gradient`, too.
   */
  explain(target: Tensor, source: Tensor): PathExplanation {
    return explainPath(this, target, source);
  }

  #requireUsable(): void {
    if (!this.#spent) return;
    throw new TapeError({
      op: 'gradient',
      rule: 'a tape that is not persistent computes one set of gradients, and a disposed one none.',
      received: 'a call on a tape that was used up',
      mend: 'ask for all sources in one call, or make it by new GradientTape({ persistent: true }).',
    });
  }

  #walk(targets: readonly Tensor[], sources: readonly Tensor[], options: GradientOptions): (Tensor | null)[] {
    const records = [...this.#records];
    const reached = this.#reachedFrom(sources, records);
    const cotangents = new Cotangents();
    seedTargets(cotangents, targets, reached, options.outputGradients);
    const wanted = new Set(sources.map((source) => source.id));
    for (const record of records.reverse()) {
      if (record.outputIds.some((id) => cotangents.has(id))) this.#step(record, cotangents, reached, wanted);
      if (!this.persistent) freeRecord(record);
    }
    const given = new Set<Tensor>(targets);
    for (const gradient of [options.outputGradients ?? []].flat() as (Tensor | null)[])
      if (gradient) given.add(gradient);
    return sources.map((source) => {
      const gradient = cotangents.get(source.id);
      if (!gradient) return null;
      // Each source gets a tensor of its own, so that disposing one leaves the others.
      const own = given.has(gradient) ? identity(gradient) : gradient;
      given.add(own);
      return own;
    });
  }

  /** Ids that depend on one of `sources`, with theirs. */
  #reachedFrom(sources: readonly Tensor[], records: readonly Record[]): Set<number> {
    const reached = new Set(
      sources.filter((source) => this.#connected.has(source.id)).map((source) => source.id),
    );
    for (const { inputIds, outputIds, outputSpecs } of records) {
      if (!inputIds.some((id) => id !== null && reached.has(id))) continue;
      for (const [i, id] of outputIds.entries())
        if (isFloating((outputSpecs[i] as TensorSpec).dtype)) reached.add(id);
    }
    return reached;
  }

  #step(
    record: Record,
    cotangents: Cotangents,
    reached: ReadonlySet<number>,
    wanted: ReadonlySet<number>,
  ): void {
    const { op, node, options, inputIds, outputIds, inputSpecs, outputSpecs, savedInputs, savedOutputs } =
      record;
    const needs = inputIds.map(
      (id, i) => id !== null && reached.has(id) && isFloating((inputSpecs[i] as TensorSpec).dtype),
    );
    if (needs.includes(true) && op.backward) {
      const { backward } = op;
      charged(node, () => {
        const gradients = tidy(() => {
          const incoming = outputIds.map((id, i) => {
            const spec = outputSpecs[i] as TensorSpec;
            const isZero = isFloating(spec.dtype) && !op.takesNull;
            return cotangents.get(id) ?? (isZero ? fill(spec.shape, 0) : (null as never));
          });
          const saved = {
            inputs: savedInputs as Tensor[],
            outputs: savedOutputs as Tensor[],
            inputSpecs,
            outputSpecs,
            needs,
          };
          return insideGradient(node, () => backward(incoming, saved, options));
        });
        gradients.forEach((gradient, i) => {
          if (gradient && needs[i]) cotangents.add(inputIds[i] as number, gradient);
        });
      });
    }
    for (const id of outputIds) if (!wanted.has(id)) cotangents.drop(id);
  }

  #free(): void {
    for (const record of this.#records) freeRecord(record);
    this.#records = [];
  }
}

/** Charges the launches of `body` to the gradient of `node`, where an account is kept. */
function charged(node: Node, body: () => void): void {
  if (!isCharging()) {
    body();
    return;
  }
  const call = { op: node.operation.name, layer: pathOf(node.parent) };
  chargedToGradient(call, currentParent(), body);
}

function freeRecord(record: Record): void {
  for (const saved of record.savedInputs) saved?.dispose();
  for (const saved of record.savedOutputs) saved?.dispose();
}
