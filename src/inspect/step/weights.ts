/** @file The weights of a step: values, gradients, updates, and why a gradient is missing. */
import type {
  ReportedCall,
  ReportedDisconnection,
  ReportedTensor,
  ReportedWeight,
  ValueStatistics,
} from './reportData.ts';
import type { CaptureReport } from '../../autodiff/compile.ts';
import type { Device } from '../../webgpu/device.ts';
import type { ProfileReport } from '../report.ts';
import type { AllocationLog } from './allocationLog.ts';
import type { StepRecorder } from './stepRecorder.ts';
import type { UnobservedWork } from './unobserved.ts';
import type { PendingStatistics, StatisticsCollector } from './valueStatistics.ts';
import type { WatchedWeight } from './weightWatch.ts';
import { GradientTape } from '../../autodiff/tape.ts';
import type { PathExplanation } from '../../autodiff/pathExplanation.ts';
import type { GradientRequest } from './observed.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';

/** A call between the loss and a weight, and the norm of the gradient there. */
interface PathPoint {
  readonly call: number;
  readonly norm: number | null;
}

/** For each tensor that the loss depends on, the shortest path of forward calls that leads to it, from the loss on. */
export function lossPaths(
  calls: readonly ReportedCall[],
  tensors: readonly ReportedTensor[],
  loss: number | null,
): (tensor: number | null) => PathPoint[] {
  /** By tensor: the call through which the search reached it, and the output of that call. */
  const cameBy = new Map<number, { call: ReportedCall; output: number } | null>();
  if (loss !== null) cameBy.set(loss, null);
  for (const tensor of cameBy.keys()) {
    const maker = tensors[tensor]?.maker ?? null;
    const call = maker === null ? undefined : calls[maker];
    if (!call || call.backward) continue;
    for (const input of call.inputs)
      if (input !== null && !cameBy.has(input)) cameBy.set(input, { call, output: tensor });
  }
  return (tensor) => {
    const path: PathPoint[] = [];
    for (let at = tensor === null ? null : cameBy.get(tensor); at; at = cameBy.get(at.output))
      path.unshift({ call: at.call.id, norm: tensors[at.output]?.gradient?.norm ?? null });
    return path;
  };
}

export interface StepRecord {
  readonly name: string;
  readonly device: Device;
  readonly profiled: ProfileReport<unknown>;
  readonly recorder: StepRecorder;
  readonly statistics: StatisticsCollector;
  readonly weights: readonly WatchedWeight[];
  readonly unobserved: UnobservedWork;
  readonly log: AllocationLog;
  readonly bytesBefore: number;
  readonly launchesBefore: number;
  readonly errors: readonly Error[];
  readonly captures: CaptureReport[] | null;
}

export function reportWeights(
  { recorder, weights }: StepRecord,
  valuesOf: (pending: PendingStatistics) => ValueStatistics,
  indexOf: (tensorId: number) => number | null,
  pathTo: (tensor: number | null) => PathPoint[],
): ReportedWeight[] {
  const requests = requestsBySource(recorder.requests);
  const reported = weights.map(({ variable, before, update, expectedChange }): ReportedWeight => {
    const request = requests.get(variable.id);
    const tensor = indexOf(variable.id);
    return {
      tensor,
      name: variable.path,
      shape: variable.shape,
      trainable: variable.trainable,
      values: valuesOf(before),
      update: update && valuesOf(update),
      expectedChange: expectedChange && recorder.requests.length === 1 ? valuesOf(expectedChange).mean : null,
      path: pathTo(tensor),
      ...gradientOf(request, variable, valuesOf),
    };
  });
  // Gradients may be taken with respect to any tensor, such as an input.
  for (const [id, request] of requests) {
    const source = request.request.sources[request.at];
    if (!source || source instanceof Variable || reported.some(({ tensor }) => tensor === indexOf(id)))
      continue;
    const tensor = indexOf(id);
    reported.push({
      tensor,
      name: source.name ?? `source ${request.at + 1}`,
      shape: source.shape,
      trainable: false,
      values: null,
      update: null,
      expectedChange: null,
      path: pathTo(tensor),
      ...gradientOf(request, source, valuesOf),
    });
  }
  return reported;
}

interface SourceRequest {
  readonly request: GradientRequest;
  readonly at: number;
}

/** By the id of a source: the last request for its gradient. */
function requestsBySource(requests: readonly GradientRequest[]): Map<number, SourceRequest> {
  const found = new Map<number, SourceRequest>();
  for (const request of requests)
    request.sources.forEach((source, at) => {
      const known = found.get(source.id);
      // Null on one tape and a value on another: it has a gradient.
      if (!known || known.request.isNull[known.at]) found.set(source.id, { request, at });
    });
  return found;
}

function gradientOf(
  found: SourceRequest | undefined,
  source: Tensor,
  valuesOf: (pending: PendingStatistics) => ValueStatistics,
): Pick<ReportedWeight, 'gradient' | 'gradientValues' | 'disconnection'> {
  if (!found) return { gradient: 'not asked for', gradientValues: null, disconnection: null };
  const { request, at } = found;
  if (request.isNull[at]) {
    return {
      gradient: 'disconnected',
      gradientValues: null,
      disconnection: disconnectionOf(request, source),
    };
  }
  const pending = request.gradients[at];
  return { gradient: 'computed', gradientValues: pending ? valuesOf(pending) : null, disconnection: null };
}

/** Returns why `source` has no gradient; null if the tape can't tell. */
function disconnectionOf({ tape, targets }: GradientRequest, source: Tensor): ReportedDisconnection | null {
  const [target] = targets;
  if (!(tape instanceof GradientTape) || !target) return null;
  const { disconnectedAt }: PathExplanation = tape.explain(target, source);
  return disconnectedAt && { ...disconnectedAt, where: disconnectedAt.where ?? null };
}
