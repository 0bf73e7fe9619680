/**
 * @file Joins reductions of captured work that leave a GPU idle, such as the sums of columns that are gradients of biases and norms: one
 * launch computes several.
 */
import { joinedReduce, type JoinedReduceOptions } from '../../../shaders/joinedReduce.ts';
import { elementsOf, type ReduceOptions } from '../../../shaders/reduce.ts';
import {
  type Command,
  joinAttributions,
  type PreparedLaunch,
  rangesOf,
  rangesWrittenBy,
} from '../../webgpu/command.ts';
import type { Device } from '../../webgpu/device.ts';
import { type Bindings, defineKernel, type Kernel } from '../../webgpu/kernel.ts';
import type { ParamFields } from '../../webgpu/params.ts';
import { Storage } from '../../webgpu/storage.ts';
import { gpuKernels } from '../loading/gpuKernels.ts';
import { profileOf } from '../selection/deviceProfile.ts';
import { reduceBindings, reduceParams, reducePass } from './reduce.ts';

const reduceKernel = reducePass as unknown as Kernel;

/** The maximum number of reductions in a launch. */
const maxParts = 4;

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, n) => sum + n, 0);

const numbered = <T>(record: Readonly<Record<string, T>>, part: number): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [`${name}_${part}`, value]));

const { side: _, ...read } = reduceParams;
/** `end` is the first workgroup behind those of a part. */
const paramsOf = (part: number): ParamFields => numbered({ ...read, end: 'u32' }, part);

const joinedKernel = defineKernel({
  name: 'joined reduce',
  bindings: ({ parts }: JoinedReduceOptions): Bindings =>
    Object.assign(
      {},
      ...parts.map((part, i) => numbered({ x: `read ${elementsOf(part)}`, ...reduceBindings(part) }, i)),
    ),
  params: Object.assign({}, ...Array.from({ length: maxParts }, (_, i) => paramsOf(i))) as ParamFields,
  reads: ({ parts }) => parts.flatMap((_, i) => Object.keys(paramsOf(i))),
  source: (options) => joinedReduce(options, options.parts.map(gpuKernels().laneParts)),
});

/** The maximum number of commands between the first reduction of a launch and the last: what they read stays in memory for so long. */
const longestWay = 16;
/** The maximum number of bytes that a reduction reads: more of them takes longer than a launch, and is more to keep in memory. */
const maxBytes = 2 ** 24;
const maxWorkgroups = 65535;

/** Returns the commands with reductions joined at the place of the last of them. */
export function joinReductions(device: Device, commands: readonly Command[]): Command[] {
  const { reduce, lines } = profileOf(device);
  if (reduce.form !== 'lanes') return [...commands];
  const { maxStorageBuffersPerShaderStage, maxComputeWorkgroupStorageSize } = device.limits;
  const joined: (Command | null)[] = [...commands];
  let open: PreparedLaunch[] = [];
  let positions: number[] = [];

  const isJoinable = (command: Command): command is PreparedLaunch => {
    if (command.kind !== 'launch' || command.kernel !== reduceKernel) return false;
    const { order, workgroup } = optionsOf(command);
    const [x, y, z] = command.grid;
    return (
      order === 'columns' &&
      y * z === 1 &&
      x * workgroup < lines.busyInvocations &&
      sumOf(command.ranges.map(({ bytes }) => bytes)) <= maxBytes &&
      command.ranges.every((range) => range instanceof Storage)
    );
  };
  const fits = (all: readonly PreparedLaunch[]) =>
    all.length <= maxParts &&
    new Set(all.map((launch) => optionsOf(launch).workgroup)).size === 1 &&
    sumOf(all.map(({ ranges }) => ranges.length)) <= maxStorageBuffersPerShaderStage &&
    workgroupsOf(all) <= maxWorkgroups &&
    sumOf(all.map((launch) => sharedBytes(optionsOf(launch)))) <= maxComputeWorkgroupStorageSize;
  /** Whether the open reductions can't be computed after `command`. */
  const precede = (command: Command) => {
    const [used, written] = [rangesOf(command), rangesWrittenBy(command)];
    return open.some(
      (launch) =>
        rangesWrittenBy(launch).some((range) => used.includes(range)) ||
        launch.ranges.some((range) => written.includes(range)),
    );
  };
  const close = () => {
    if (open.length > 1) {
      for (const position of positions) joined[position] = null;
      joined[positions.at(-1) as number] = joinedLaunch(device, open);
    }
    [open, positions] = [[], []];
  };

  commands.forEach((command, position) => {
    const isNew = isJoinable(command);
    const isFar = position - (positions[0] ?? position) > longestWay;
    if (isFar || precede(command) || (isNew && !fits([...open, command]))) close();
    if (!isNew) return;
    open.push(command);
    positions.push(position);
  });
  close();
  return joined.filter((command) => command !== null);
}

const workgroupsOf = (launches: readonly PreparedLaunch[]) => sumOf(launches.map(({ grid }) => grid[0]));

function optionsOf({ options }: PreparedLaunch): ReduceOptions {
  return options as unknown as ReduceOptions;
}

/** Bytes of workgroup memory of a reduction, at most. */
function sharedBytes({ workgroup, width, linesPerLoop, accumulator }: ReduceOptions): number {
  return 4 * workgroup * Math.max(width, linesPerLoop) * Number(/^vec(\d)/.exec(accumulator)?.[1] ?? 1);
}

function joinedLaunch(device: Device, launches: readonly PreparedLaunch[]): PreparedLaunch {
  const kernel = joinedKernel as unknown as Kernel;
  const options: JoinedReduceOptions = { parts: launches.map(optionsOf) };
  const pipeline = device.executor.pipelineOf(kernel, options);
  const ends = launches.map((_, i) => workgroupsOf(launches.slice(0, i + 1)));
  const params = launches.map((launch, i) => numbered({ ...launch.params, end: ends[i] as number }, i));
  return {
    ...(launches[0] as PreparedLaunch),
    kernel,
    options,
    pipeline,
    ranges: launches.flatMap(({ ranges }) => ranges),
    layout: pipeline.layout,
    params: Object.assign({}, ...params),
    grid: [workgroupsOf(launches), 1, 1],
    work: sumOf(launches.map(({ work }) => work)),
    attribution: joinAttributions(launches.map(({ attribution }) => attribution)),
  };
}
