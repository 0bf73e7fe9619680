/**
 * @file StepRecorder: records what a step does, from the dispatch and the tape. Statistics of values are computed immediately,
 * because most values are freed before the step ends.
 */
import { isFloating } from '../../core/dtype.ts';
import { sizeOf } from '../../core/shape.ts';
import type { GradientObserver } from '../../autodiff/gradientObserver.ts';
import { callSite } from '../../history/callSite.ts';
import { currentGradient } from '../../history/frames.ts';
import type { Node } from '../../history/node.ts';
import { square } from '../../ops/elementwise/unary.ts';
import type { Call } from '../../ops/define/call.ts';
import { sub } from '../../ops/elementwise/arithmetic.ts';
import { max, min } from '../../ops/reductions/extrema.ts';
import type { OutputSearch } from '../../ops/define/outputSearch.ts';
import { sum } from '../../ops/reductions/sum.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import type { Device } from '../../webgpu/device.ts';
import type { AllocationLog } from './allocationLog.ts';
import type {
  FeatureMapTaker,
  GradientRequest,
  ObservedCall,
  ObservedTensor,
  TakenMaps,
} from './observed.ts';
import type { TensorRole } from './reportData.ts';
import type { UnobservedWork } from './unobserved.ts';
import type { PendingStatistics, StatisticsCollector } from './valueStatistics.ts';
import type { WeightWatch } from './weightWatch.ts';

/** Returns whether an op ends in a relu: for negative inputs, value and derivative are zero. */
function isRelu(op: string, options: object): boolean {
  const { activation } = options as { activation?: unknown };
  return isReluName(op) || isReluName(activation);
}

function isReluName(name: unknown): boolean {
  return name === 'relu' || name === 'relu6';
}

/** The parts that the recorder uses. */
export interface RecorderParts {
  readonly device: Device;
  readonly unobserved: UnobservedWork;
  readonly statistics: StatisticsCollector;
  readonly maps: FeatureMapTaker;
  readonly weights: WeightWatch;
  readonly allocations: () => AllocationLog;
}

/** Ops that run all steps of a recurrent layer; their first input is [batch, time, …]. */
const recurrentOps: ReadonlySet<string> = new Set(['lstmSteps', 'gruSteps']);

export class StepRecorder implements OutputSearch, GradientObserver {
  readonly calls: ObservedCall[] = [];
  readonly requests: GradientRequest[] = [];
  readonly maps: TakenMaps[] = [];
  readonly #tensors = new Map<number, ObservedTensor>();
  /** Whether a tape is computing gradients. */
  #isWalking = false;

  constructor(private readonly parts: RecorderParts) {}

  get tensors(): readonly ObservedTensor[] {
    return [...this.#tensors.values()];
  }

  find(id: number): ObservedTensor | undefined {
    return this.#tensors.get(id);
  }

  outputs(call: Call, inputs: readonly (Tensor | null)[], outputs: readonly Tensor[]): void {
    const { stream } = this.parts.device;
    const launchesBy = stream.statistics.launches;
    const read = inputs.map((input) => input && this.#leaf(input));
    const gradientOf = currentGradient() ?? this.#sumOf(read);
    const observed: ObservedCall = {
      id: this.calls.length,
      op: call.op,
      node: call.node,
      parent: call.parent ?? gradientOf?.parent ?? null,
      gradientOf,
      inputs: read,
      outputs: [],
      options: call.options,
      // A stack trace is slow, so that of the recorded node is used if there is one.
      callSite: gradientOf ? gradientOf.callSite : (call.node?.callSite ?? callSite()),
      launchesBy,
    };
    this.calls.push(observed);
    const role = gradientOf ? 'gradient' : 'activation';
    observed.outputs = outputs.map((output) => this.#observe(output, role, observed));
    if (recurrentOps.has(call.op) && read[0]) read[0].isSequence = true;
    if (gradientOf) return;
    const [first] = outputs;
    if (!first) return;
    if (isRelu(call.op, call.options)) this.#watchUnits(first);
    const taken = this.parts.maps.take(first, observed);
    if (taken) this.maps.push(taken);
  }

  /** Ignored: data of `fit` show up as inputs of calls. */
  data(): void {}

  cotangents(_node: Node, outputIds: readonly number[], cotangents: readonly (Tensor | undefined)[]): void {
    this.#isWalking = true;
    outputIds.forEach((id, i) => {
      const cotangent = cotangents[i];
      const observed = this.#tensors.get(id);
      if (!cotangent || !observed) return;
      observed.gradient = this.#statisticsOf(cotangent);
      if (!observed.isSequence || cotangent.rank !== 3) return;
      observed.squaresOverTime?.dispose();
      observed.squaresOverTime = this.parts.unobserved.run(() => sum(square(cotangent), { axis: [0, 2] }));
    });
  }

  gradients(
    tape: object,
    targets: readonly Tensor[],
    sources: readonly Tensor[],
    gradients: readonly (Tensor | null)[],
  ): void {
    this.#isWalking = false;
    const pending = gradients.map((gradient) => gradient && this.#statisticsOf(gradient));
    for (const target of targets) this.#leaf(target);
    sources.forEach((source, i) => {
      this.#leaf(source).gradient = pending[i] ?? null;
      const gradient = gradients[i];
      if (gradient && source instanceof Variable) this.parts.weights.noteGradient(source, gradient);
    });
    const isNull = gradients.map((gradient) => gradient === null);
    this.requests.push({ tape, targets, sources, isNull, gradients: pending });
  }

  /** For a sum of gradients that a tape computes between calls: the call to whose gradient it belongs. Null for other calls. */
  #sumOf(inputs: readonly (ObservedTensor | null)[]): Node | null {
    const isSum = this.#isWalking && inputs.every((input) => input?.role === 'gradient');
    return isSum ? (inputs.at(-1)?.maker?.gradientOf ?? null) : null;
  }

  dispose(): void {
    for (const { squaresOverTime } of this.#tensors.values()) squaresOverTime?.dispose();
    for (const { pixels } of this.maps) pixels.dispose();
  }

  /** Returns the record of a tensor that is read: one of the step, or an external one. */
  #leaf(tensor: Tensor): ObservedTensor {
    const known = this.#tensors.get(tensor.id);
    if (known) return known;
    if (tensor instanceof Variable) this.parts.weights.watch(tensor);
    return this.#observe(tensor, tensor instanceof Variable ? 'weight' : 'input', null);
  }

  #observe(tensor: Tensor, role: TensorRole, maker: ObservedCall | null): ObservedTensor {
    const { id, name, shape, dtype, bytes } = tensor;
    const observed = {
      id,
      name,
      shape,
      dtype,
      bytes,
      role,
      maker,
      values: this.#statisticsOf(tensor),
      allocation: tensor.disposed ? undefined : this.parts.allocations().of(tensor.storage),
      gradient: null,
      unitMaxima: null,
      rowSpread: role === 'input' ? this.#spreadOf(tensor) : null,
      isSequence: false,
      squaresOverTime: null,
    };
    // An op that returns its input creates no new tensor.
    if (!this.#tensors.has(id)) this.#tensors.set(id, observed);
    return this.#tensors.get(id) as ObservedTensor;
  }

  #statisticsOf(tensor: Tensor): PendingStatistics | null {
    if (tensor.disposed) return null;
    const { unobserved, statistics } = this.parts;
    return unobserved.run(() => statistics.of(tensor, { isMutable: tensor instanceof Variable }));
  }

  /** Returns how far the rows of data are apart, by column. */
  #spreadOf(tensor: Tensor): PendingStatistics | null {
    const { shape, dtype } = tensor;
    const isNumber = isFloating(dtype) || dtype === 'int32';
    if (tensor.disposed || !isNumber || (shape[0] ?? 0) < 2 || sizeOf(shape) === 0) return null;
    const { unobserved, statistics } = this.parts;
    return unobserved.run(() => statistics.of(sub(max(tensor, { axis: 0 }), min(tensor, { axis: 0 }))));
  }

  /** Watches for dead units: those that are zero for every sample and position in this step. */
  #watchUnits(output: Tensor): void {
    const observed = this.#tensors.get(output.id);
    const axes = output.shape.slice(0, -1).map((_, axis) => axis);
    if (!observed || axes.length === 0 || sizeOf(output.shape) === 0 || !isFloating(output.dtype)) return;
    const { unobserved, statistics } = this.parts;
    observed.unitMaxima = unobserved.run(() => statistics.of(max(output, { axis: axes })));
  }
}
