/** @file Assembles a step report from what was recorded: reads the statistics, and joins launches with calls. */
import { version } from '../../core/version.ts';
import type { ProfiledLaunch } from '../launches.ts';
import { totalOf } from '../rows.ts';
import type { Allocation } from './allocationLog.ts';
import { adapterName } from './adapterName.ts';
import { findingsOf } from './findings/index.ts';
import { lossPaths, reportWeights, type StepRecord } from './weights.ts';
import { readBuffers } from './readBuffers.ts';
import type {
  FeatureMaps,
  ReportedAllocation,
  ReportedLaunch,
  ReportedLayer,
  ReportedMemory,
  ReportedTensor,
  StepReportData,
} from './reportData.ts';
import type { ObservedCall, ObservedTensor } from './observed.ts';
import type { StepRecorder } from './stepRecorder.ts';
import type { Node } from '../../history/node.ts';

/** Reads the values on the device, and creates the report. */
export async function assemble(record: StepRecord): Promise<StepReportData> {
  const { recorder, statistics, unobserved, profiled } = record;
  const valuesOf = await statistics.read();
  const { maps, series, bytes } = await readPictures(record);
  const indexOf = new Map(recorder.tensors.map((tensor, i) => [tensor, i]));
  const layers = new LayerTable();
  const launches = launchesByCall(record);
  const leads = callsToLoss(recorder);
  const callOf = new Map(
    recorder.calls.flatMap((call) => (call.node ? [[call.node, call.id] as const] : [])),
  );
  const calls = recorder.calls.map((call) => ({
    id: call.id,
    op: call.op,
    layer: layers.idOf(call.parent),
    backward: call.gradientOf && {
      op: call.gradientOf.operation.name,
      call: callOf.get(call.gradientOf) ?? null,
    },
    leadsToLoss: call.gradientOf !== null || leads.has(call),
    inputs: call.inputs.map((input) => input && (indexOf.get(input) as number)),
    outputs: call.outputs.map((output) => indexOf.get(output) as number),
    options: optionText(call.options),
    callSite: call.callSite ?? null,
    launches: launches.byCall.get(call) ?? [],
  }));
  const tensors = recorder.tensors.map((tensor, id): ReportedTensor => {
    const maxima = tensor.unitMaxima && valuesOf(tensor.unitMaxima);
    const spread = tensor.rowSpread && valuesOf(tensor.rowSpread);
    return {
      id,
      name: tensor.name ?? null,
      shape: tensor.shape,
      dtype: tensor.dtype,
      bytes: tensor.bytes,
      role: tensor.role,
      maker: tensor.maker?.id ?? null,
      values: tensor.values && valuesOf(tensor.values),
      gradient: tensor.gradient && valuesOf(tensor.gradient),
      deadUnits: maxima && { dead: maxima.zeros, units: maxima.count },
      sameRows: spread && spread.zeros === spread.count,
      gradientOverTime: series.get(tensor) ?? null,
    };
  });
  const target = recorder.requests[0]?.targets[0];
  const lossTensor = target && recorder.find(target.id);
  const lossValues = lossTensor?.values && valuesOf(lossTensor.values);
  const paths = lossPaths(calls, tensors, lossTensor ? (indexOf.get(lossTensor) as number) : null);
  const idOf = (tensorId: number) => {
    const observed = recorder.find(tensorId);
    return observed ? (indexOf.get(observed) as number) : null;
  };
  const read = new Set(calls.filter(({ leadsToLoss }) => leadsToLoss).flatMap(({ inputs }) => inputs));
  // Variables of metrics are not weights.
  const weights = reportWeights(record, valuesOf, idOf, paths).filter(
    ({ trainable, gradient, tensor }) => trainable || gradient !== 'not asked for' || read.has(tensor),
  );
  const squares = weights.map(({ gradientValues }) => (gradientValues?.norm ?? 0) ** 2);
  const computed = weights.some(({ gradient }) => gradient === 'computed');
  const data = {
    format: 'retrograd step report',
    version: 1,
    library: version,
    name: record.name,
    adapter: adapterName(profiled.adapter),
    timing: profiled.timing,
    resolution: profiled.resolution,
    total: { calls: calls.length, ...launches.total },
    cost: {
      launches: unobserved.launches,
      reads: statistics.bytes + bytes > 0 ? 2 : 0,
      readBytes: statistics.bytes + bytes,
    },
    loss: lossValues && lossValues.infinities + lossValues.nans === 0 ? sumOf(lossValues) : null,
    gradientNorm: computed ? finiteOrNull(Math.sqrt(squares.reduce((a, b) => a + b, 0))) : null,
    findings: [],
    layers: layers.reported,
    calls,
    outside: launches.outside,
    tensors,
    weights,
    memory: reportMemory(record, indexOf),
    featureMaps: maps(indexOf, layers),
    captures: record.captures,
  } satisfies StepReportData;
  return { ...data, findings: findingsOf(data, record.errors) };
}

/** A target with several elements is differentiated as their sum. */
function sumOf({ mean, count }: { mean: number | null; count: number }): number | null {
  return mean === null ? null : finiteOrNull(mean * count);
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** Joins launches with the calls that made them, by their order; those of the inspection are left out. */
function launchesByCall({ profiled, recorder, unobserved, launchesBefore }: StepRecord) {
  const byCall = new Map<ObservedCall, ReportedLaunch[]>();
  const outside: ReportedLaunch[] = [];
  const step: ProfiledLaunch[] = [];
  let next = 0;
  profiled.events.forEach((event, i) => {
    const number = launchesBefore + i;
    if (unobserved.isOwn(number)) return;
    step.push(event);
    while (next < recorder.calls.length && (recorder.calls[next] as ObservedCall).launchesBy <= number)
      next++;
    const call = recorder.calls[next];
    const launch = reportLaunch(event);
    // Launches outside of ops, such as an optimizer's, are attributed to no call.
    if (!call || event.calls.length === 0) outside.push(launch);
    else byCall.set(call, [...(byCall.get(call) ?? []), launch]);
  });
  return { byCall, outside, total: totalOf(step) };
}

function reportLaunch(event: ProfiledLaunch): ReportedLaunch {
  const { kernel, options, workgroups, begin, end, bytes, flops } = event;
  const milliseconds = Math.max(0, end - begin) / 1000;
  return { kernel, variant: variantText(options), workgroups, milliseconds, bytes, flops };
}

/** Returns the forward calls that a differentiated target was computed from. */
function callsToLoss(recorder: StepRecorder): ReadonlySet<ObservedCall> {
  const found = new Set<ObservedCall>();
  const open: (ObservedTensor | null | undefined)[] = recorder.requests.flatMap(({ targets }) =>
    targets.map(({ id }) => recorder.find(id)),
  );
  // Without a tape, everything leads to the result.
  if (open.length === 0) return new Set(recorder.calls);
  while (open.length > 0) {
    const call = open.pop()?.maker;
    if (!call || found.has(call)) continue;
    found.add(call);
    open.push(...call.inputs);
  }
  return found;
}

function reportMemory(
  { log, bytesBefore, recorder }: StepRecord,
  indexOf: ReadonlyMap<ObservedTensor, number>,
): ReportedMemory {
  const tensorOf = new Map<Allocation, ObservedTensor>();
  for (const tensor of recorder.tensors) {
    // A view shares the buffer of its base tensor: the first one owns it.
    if (tensor.allocation && !tensorOf.has(tensor.allocation)) tensorOf.set(tensor.allocation, tensor);
  }
  let peak = bytesBefore;
  let peakAt = 0;
  let peakChange = -1;
  for (const [i, { at, bytes }] of log.changes.entries()) {
    if (bytesBefore + bytes <= peak) continue;
    peak = bytesBefore + bytes;
    peakAt = at;
    peakChange = i;
  }
  const firstBackward = recorder.calls.find(({ gradientOf }) => gradientOf)?.id ?? recorder.calls.length;
  const allocations = log.allocations.map((allocation): ReportedAllocation => {
    const tensor = tensorOf.get(allocation);
    const { label, bytes, from, to } = allocation;
    const id = tensor === undefined ? null : (indexOf.get(tensor) ?? null);
    const atPeak =
      allocation.allocatedBy <= peakChange && (allocation.freedBy ?? Number.POSITIVE_INFINITY) > peakChange;
    const reason = reasonOf(allocation, tensor, firstBackward);
    return { label, bytes, tensor: id, from, to, atPeak, reason };
  });
  const curve = log.changes.map(({ at, bytes }) => [at, bytesBefore + bytes] as const);
  return { before: bytesBefore, peak, peakAt, curve: thinned(curve), allocations };
}

function reasonOf(
  { isUpload, from, to }: Allocation,
  tensor: ObservedTensor | undefined,
  firstBackward: number,
): ReportedAllocation['reason'] {
  if (isUpload) return 'upload';
  if (to === null) return 'result';
  if (!tensor) return 'temporary';
  if (tensor.role === 'gradient') return 'gradient';
  return from < firstBackward && to > firstBackward ? 'saved for the gradient' : 'activation';
}

/** Returns the last and the highest level at each number of calls. */
function thinned(curve: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const kept: (readonly [number, number])[] = [];
  let start = 0;
  for (let i = 0; i < curve.length; i++) {
    if (curve[i + 1]?.[0] === curve[i]?.[0]) continue;
    const group = curve.slice(start, i + 1);
    const [at, last] = group.at(-1) as readonly [number, number];
    const highest = Math.max(...group.map(([, bytes]) => bytes));
    if (highest > last) kept.push([at, highest]);
    kept.push([at, last]);
    start = i + 1;
  }
  return kept;
}

/** Feature maps, and norms of gradients over time, which are tensors on the device. */
async function readPictures({ recorder, device }: StepRecord) {
  const taken = [...new Map(recorder.maps.map((map) => [map.call.parent ?? map.call, map])).values()];
  const sequences = recorder.tensors.filter(({ squaresOverTime }) => squaresOverTime);
  const onDevice = [
    ...taken.map(({ pixels }) => pixels),
    ...sequences.map(({ squaresOverTime }) => squaresOverTime as NonNullable<typeof squaresOverTime>),
  ];
  const read = await readBuffers(
    device,
    onDevice.map((tensor) => ({ storage: tensor.storage, bytes: tensor.bytes })),
  );
  const floats = read.map((bytes) => new Float32Array(bytes));
  const series = new Map(
    sequences.map((tensor, i) => [
      tensor,
      Array.from(floats[taken.length + i] as Float32Array, (squares) =>
        Number.isFinite(squares) ? Math.sqrt(squares) : Number.MAX_VALUE,
      ),
    ]),
  );
  const maps = (indexOf: ReadonlyMap<ObservedTensor, number>, layers: LayerTable): FeatureMaps[] =>
    taken.flatMap(({ tensor, call, pixels }, i) => {
      const observed = recorder.find(tensor);
      const [, height = 0, width = 0, channels = 0] = pixels.shape;
      if (!observed) return [];
      const values = floats[i] as Float32Array;
      const pictures = Array.from({ length: channels }, (_, channel) =>
        greyLevels(values, channel, channels),
      );
      return [
        {
          tensor: indexOf.get(observed) as number,
          layer: layers.idOf(call.parent),
          width,
          height,
          maps: pictures,
        },
      ];
    });
  const bytes = onDevice.reduce((total, tensor) => total + tensor.bytes, 0);
  return { maps, series, bytes };
}

/** One channel, scaled from its darkest to its brightest value, in base64. */
function greyLevels(values: Float32Array, channel: number, channels: number): string {
  const picked = Array.from(
    { length: values.length / channels },
    (_, i) => values[i * channels + channel] ?? 0,
  );
  const finite = picked.filter(Number.isFinite);
  const min = Math.min(...finite);
  const span = Math.max(...finite) - min || 1;
  const levels = picked.map((value) =>
    Number.isFinite(value) ? Math.round((255 * (value - min)) / span) : 0,
  );
  return btoa(String.fromCharCode(...levels));
}

class LayerTable {
  readonly reported: ReportedLayer[] = [];
  readonly #ids = new Map<Node, number>();
  readonly #calls = new Map<object, number>();

  /** Returns the number of a layer call; null outside of layers. Enclosing calls have lower numbers. */
  idOf(node: Node | null): number | null {
    if (!node) return null;
    const known = this.#ids.get(node);
    if (known !== undefined) return known;
    const parent = this.idOf(node.parent);
    const { operation, callSite } = node;
    const id = this.reported.length;
    const call = (this.#calls.get(operation) ?? 0) + 1;
    const around = parent === null ? '' : `${this.reported[parent]?.path}/`;
    this.#calls.set(operation, call);
    this.#ids.set(node, id);
    this.reported.push({
      id,
      parent,
      name: operation.name,
      className: operation.className,
      call,
      path: `${around}${operation.name}`,
      callSite: callSite ?? null,
    });
    return id;
  }
}

/** `strides: 2, padding: same`. */
function optionText(options: object): string {
  return Object.entries(options)
    .filter(([, value]) => value !== undefined && typeof value !== 'function')
    .map(([name, value]) => `${name}: ${valueText(value)}`)
    .join(', ');
}

/** Returns the relevant options of a kernel: those that are false, null or empty are left out. */
function variantText(options: object): string {
  return Object.entries(options)
    .filter(([, value]) => value !== false && value !== null && value !== undefined && !isEmpty(value))
    .map(([name, value]) => (value === true ? name : `${name}: ${valueText(value)}`))
    .join(', ');
}

const isEmpty = (value: unknown) => value === '' || (Array.isArray(value) && value.length === 0);

const longest = 160;

function valueText(value: unknown): string {
  const text = typeof value === 'object' ? (JSON.stringify(value) ?? '') : String(value);
  const plain = text.replaceAll('"', '');
  return plain.length > longest ? `${plain.slice(0, longest - 1)}…` : plain;
}
