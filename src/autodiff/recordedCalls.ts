/**
 * @file The part of a tape that every gradient needs: it records executed calls and runs their gradients in reverse. Values
 * are kept alive only as each op's `save` demands, and a tape that isn't persistent frees each at its last use.
 */
import { isFloating } from '../core/dtype.ts';
import { TapeError } from '../core/errors.ts';
import { checkOptions } from '../core/options.ts';
import { describe } from '../core/shape.ts';
import { formatSpec, type TensorSpec } from '../core/spec.ts';
import { withDevice } from '../webgpu/current.ts';
import type { Check } from '../webgpu/faultTracker.ts';
import { insideGradient } from '../history/frames.ts';
import type { Node } from '../history/node.ts';
import { fill } from '../ops/creation/creation.ts';
import { type OpDefinition, type Plan, readByGradient } from '../ops/define/definition.ts';
import { identity } from '../ops/arrangement/identity.ts';
import { currentExecutor } from '../execution/currentExecutor.ts';
import { attributeBackward } from '../ops/define/attribution.ts';
import {
  activeRecorders,
  isSymbolic,
  nextRecording,
  type RecordedCall,
  withRecorders,
} from '../ops/define/recorders.ts';
import { tidy } from '../tensor/scope.ts';
import { alias, Tensor } from '../tensor/tensor.ts';
import { Cotangents, type DeferredCall } from './cotangents.ts';
import { gradientObserver } from './gradientObserver.ts';
import { type GradientOptions, gradientOptionNames, listOf, requireTensors, seedTargets } from './request.ts';
import { checkGradients } from './checkGradients.ts';
import type { FunctionDefinition } from './recordFunction.ts';
import { TapeRecorder } from './tapeRecorder.ts';

/** A call with the values that its gradient reads. */
interface Record {
  op: OpDefinition;
  node: Node;
  options: object;
  plan: Plan;
  /** The ids of inputs that were watched, or depended on such; null for others, which get no gradient. */
  inputIds: readonly (number | null)[];
  outputIds: readonly number[];
  inputSpecs: readonly (TensorSpec | null)[];
  outputSpecs: readonly TensorSpec[];
  savedInputs: readonly (Tensor | null | undefined)[];
  savedOutputs: readonly (Tensor | undefined)[];
  kept: readonly Tensor[];
  checks: readonly Check[];
}

/** A call of which the cotangents are known. Its gradient is computed later, and reads no saved values. */
interface DeferredRecord extends DeferredCall {
  readonly record: Record;
  readonly plan: Plan;
}

export class Tape {
  readonly recording = nextRecording();
  readonly #recorder = new TapeRecorder(this, this.recording);
  /** Ids of floats that depend on a watched one through differentiable calls, with the watched ones themselves. */
  #connected = new Set<number>();
  #records: Record[] = [];
  /** Calls of connected tensors that pass no gradient on. */
  #disconnections: Node[] = [];
  #spent = false;

  /** Starts to record, until the tape is closed or dropped. A `persistent` tape keeps what it saved after a gradient. */
  constructor(readonly persistent = false) {}

  get isRecording(): boolean {
    return activeRecorders().includes(this.#recorder);
  }

  /** Watches `tensors` from now on. Errors: TapeError for tensors that aren't floating. */
  watch(tensors: Tensor | readonly Tensor[]): void {
    for (const tensor of listOf('watch', tensors)) {
      if (!(tensor instanceof Tensor) || !isFloating(tensor.dtype)) {
        if (isSymbolic(tensor)) requireTensors('what is watched', [tensor], 'watch');
        throw new TapeError({
          op: 'watch',
          rule: 'a tape watches floating-point tensors.',
          received: tensor instanceof Tensor ? formatSpec(tensor) : describe(tensor),
          hint: "cast it to 'float32' first.",
        });
      }
      this.#connected.add(tensor.id);
    }
  }

  /**
   * Records a call. Returns the ids of the inputs to which it passes a gradient, null for others.
   * @internal
   */
  record({ op, inputs, outputs, options, plan, node, checks }: RecordedCall): readonly (number | null)[] {
    const needs = inputs.map((input) => input !== null && this.#connected.has(input.id));
    const depends = needs.includes(true);
    const connected = depends && op.backward !== null && outputs.some((output) => isFloating(output.dtype));
    if (!connected) {
      if (depends) this.#disconnections.push(node);
      return [];
    }
    for (const output of outputs) if (isFloating(output.dtype)) this.#connected.add(output.id);
    const inputIds = inputs.map((input, i) => (input && needs[i] ? input.id : null));
    const reads = readByGradient(op, needs, plan);
    this.#records.push({
      op,
      node,
      options,
      plan,
      inputIds,
      outputIds: outputs.map((output) => output.id),
      inputSpecs: inputs.map((input) => input && { shape: input.shape, dtype: input.dtype }),
      outputSpecs: outputs.map(({ shape, dtype }) => ({ shape, dtype })),
      savedInputs: inputs.map((input, i) => (reads.input(i) ? input && alias(input) : undefined)),
      savedOutputs: outputs.map((output, i) => (reads.output(i) ? alias(output) : undefined)),
      kept: (op as FunctionDefinition).keep?.map(alias) ?? [],
      checks,
    });
    return inputIds;
  }

  /**
   * Whether gradients may flow to `tensor`: it is watched, or depends on a watched one.
   * @internal
   */
  follows({ id }: Tensor): boolean {
    return this.#connected.has(id);
  }

  /** Calls at which gradients of watched tensors end: they have no gradient, or integer results. */
  get disconnections(): readonly Node[] {
    return this.#disconnections;
  }

  /** Runs `body` unrecorded by this tape. */
  stopRecording<T>(body: () => T): T {
    return withRecorders(
      activeRecorders().filter((recorder) => recorder !== this.#recorder),
      body,
    );
  }

  /** Discards everything recorded and watched, and starts recording again. */
  reset(): void {
    this.#free();
    this.#connected = new Set();
    this.#spent = false;
    if (!this.isRecording) this.#recorder.open(this);
  }

  /**
   * Ends the recording, but keeps what was saved for later gradients.
   * @internal
   */
  endRecording(): void {
    this.#recorder.close();
  }

  /** Ends the recording and frees what was saved. Required for a persistent tape, by `using` or by an explicit call. */
  dispose(): void {
    this.#recorder.close();
    this.#free();
    this.#spent = true;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Gradients of the sum of `targets` with respect to each source. Errors: those of `GradientTape.gradient`. */
  gradients(
    targets: readonly Tensor[],
    sources: readonly Tensor[],
    options: GradientOptions = {},
  ): (Tensor | null)[] {
    checkOptions('gradient', options, gradientOptionNames);
    const { unconnectedGradients = 'none' } = options;
    if (unconnectedGradients !== 'none' && unconnectedGradients !== 'zero') {
      throw new TapeError({
        op: 'gradient',
        rule: "`unconnectedGradients` must be 'none' or 'zero'.",
        received: describe(unconnectedGradients),
        hint: "leave it out for null, or pass 'zero' for zeros.",
      });
    }
    this.#requireUsable();
    if (!this.persistent) this.#recorder.stop();
    requireTensors('targets', targets);
    requireTensors('sources', sources);
    this.#recorder.checkSources(sources);
    const { device } = targets[0] as Tensor;
    const gradients = withDevice(device, () => tidy(() => this.#backward(targets, sources, options)));
    gradientObserver()?.gradients(this, targets, sources, gradients);
    if (!this.persistent) {
      this.#recorder.close();
      this.#free();
      this.#spent = true;
    }
    return gradients.map((gradient, i) => {
      if (gradient || unconnectedGradients === 'none') return gradient;
      const { shape, dtype } = sources[i] as Tensor;
      return withDevice(device, () => fill(shape, 0, { dtype }));
    });
  }

  #requireUsable(): void {
    if (!this.#spent) return;
    throw new TapeError({
      op: 'gradient',
      rule: 'a tape computes one set of gradients, unless it is persistent; a disposed tape computes none.',
      received: 'a call on a tape that was used up',
      hint: 'pass all sources in one call, or use new GradientTape({ persistent: true }).',
    });
  }

  #backward(
    targets: readonly Tensor[],
    sources: readonly Tensor[],
    options: GradientOptions,
  ): (Tensor | null)[] {
    const records = [...this.#records];
    const reached = this.#reachedFrom(sources, records);
    const cotangents: TapeCotangents = new Cotangents((calls) => differentiateJoined(calls, cotangents));
    seedTargets(cotangents, targets, reached, options.outputGradients);
    const wanted = new Set(sources.map((source) => source.id));
    for (const record of records.reverse()) {
      if (record.outputIds.some((id) => cotangents.has(id))) this.#step(record, cotangents, reached, wanted);
      if (!this.persistent) freeRecord(record);
    }
    const given = new Set<Tensor | null>([...targets, ...cotangents.borrowed]);
    return sources.map((source) => {
      const gradient = cotangents.get(source.id);
      if (!gradient) return null;
      // Each source gets its own tensor, so that disposing of one doesn't affect the others.
      const own = given.has(gradient) ? identity(gradient) : gradient;
      given.add(own);
      return own;
    });
  }

  /** Returns the ids of `sources` and of the floats that depend on any of them. */
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
    cotangents: TapeCotangents,
    reached: ReadonlySet<number>,
    wanted: ReadonlySet<number>,
  ): void {
    const { op, node, plan, inputIds, outputIds, inputSpecs } = record;
    const needs = inputIds.map((id) => id !== null && reached.has(id));
    // What is deferred is computed here, outside of the scopes of this call.
    const incoming = outputIds.map((id) => cotangents.get(id));
    if (needs.includes(true)) {
      gradientObserver()?.cotangents(node, outputIds, incoming);
      const known = incoming.map((cotangent) => cotangent ?? null);
      if (op.joinedBackward) {
        const input = inputSpecs[0] as TensorSpec;
        cotangents.defer(inputIds[0] as number, op.joinedBackward, {
          record,
          plan,
          input,
          cotangents: known,
        });
      } else differentiate(record, known, needs, cotangents);
    }
    for (const id of outputIds) if (!wanted.has(id)) cotangents.drop(id);
  }

  #free(): void {
    for (const record of this.#records) freeRecord(record);
    this.#records = [];
    this.#disconnections = [];
  }
}

type TapeCotangents = Cotangents<DeferredRecord>;

/** Adds the gradients of a call to the cotangents of its inputs. `known` are its own cotangents. */
function differentiate(
  record: Record,
  known: readonly (Tensor | null)[],
  needs: readonly boolean[],
  cotangents: TapeCotangents,
): void {
  const { op, node, options, plan, inputSpecs, outputSpecs, savedInputs, savedOutputs, kept } = record;
  // Calls of ops without a gradient aren't recorded.
  const backward = op.backward as NonNullable<typeof op.backward>;
  addGradients(record, record.checks, needs, cotangents, () => {
    const incoming = known.map((cotangent, i) => {
      const spec = outputSpecs[i] as TensorSpec;
      const isZero = isFloating(spec.dtype) && !op.takesNull;
      return cotangent ?? (isZero ? fill(spec.shape, 0) : null);
    });
    // Written out: Node 20 takes 12 µs for a spread that other properties follow.
    const saved = {
      inputs: savedInputs,
      outputs: savedOutputs,
      kept,
      inputSpecs,
      outputSpecs,
      needs,
      plan,
      options,
    };
    return insideGradient(node, () => backward(incoming as Tensor[], saved));
  });
}

/** Adds the gradient of several calls of one tensor to its cotangent. */
function differentiateJoined(calls: readonly DeferredRecord[], cotangents: TapeCotangents): void {
  const [{ record, input, cotangents: known }] = calls as [DeferredRecord];
  if (calls.length === 1) {
    differentiate(record, known, [true], cotangents);
    return;
  }
  const join = record.op.joinedBackward as NonNullable<OpDefinition['joinedBackward']>;
  const checks = calls.flatMap((call) => call.record.checks);
  addGradients(record, checks, [true], cotangents, () =>
    insideGradient(record.node, () => [join(calls, input)]),
  );
}

/** Runs `compute`, and adds the gradients that it returns to the cotangents of the inputs of `record`. */
function addGradients(
  { op, node, inputIds, inputSpecs }: Record,
  checks: readonly Check[],
  needs: readonly boolean[],
  cotangents: TapeCotangents,
  compute: () => unknown,
): void {
  const add = () => {
    const gradients: unknown = tidy(compute as () => Tensor[]);
    checkGradients(op.name, gradients, inputSpecs, needs);
    gradients.forEach((gradient, i) => {
      if (!gradient || !needs[i]) return;
      // Rows read with an out-of-range index have no gradient, whether or not their values were used.
      gradient.device.echoChecks(checks, gradient.physicalStorage);
      cotangents.add(inputIds[i] as number, gradient);
    });
  };
  const profiler = currentExecutor()?.profiler;
  if (profiler) attributeBackward(profiler, node, add);
  else add();
}

function freeRecord(record: Record): void {
  for (const saved of record.savedInputs) saved?.dispose();
  for (const saved of record.savedOutputs) saved?.dispose();
  for (const kept of record.kept) kept.dispose();
}
