/**
 * @file Records the launches of any library: wraps WebGPU's functions, and joins each pipeline with the layer's report on it
 * (layer.c). Pipelines are created one after another, so that the layer's numbers follow their order.
 */
import fs from 'node:fs';
import path from 'node:path';
import { type Program, parseProgram } from './isa.ts';

/** A pipeline, as the compiler reports it. */
export interface CompiledPipeline {
  readonly label: string;
  /** Invocations of a workgroup. */
  readonly workgroup: number;
  readonly subgroup: number;
  /** Vector registers of an invocation. */
  readonly registers: number;
  /** Waves of the pipeline that a SIMD can hold. */
  readonly waves: number;
  /** Bytes of workgroup memory. */
  readonly lds: number;
  readonly spills: number;
  readonly scratch: number;
  readonly program: Program;
}

export interface RecordedLaunch {
  readonly pipeline: CompiledPipeline;
  readonly workgroups: number;
  /** Bytes of its bound buffers, and of those that it may write. */
  readonly bytes: number;
  readonly writable: number;
}

export interface Recorder {
  /** Launches since the last call. */
  take(): RecordedLaunch[];
}

/** Wraps WebGPU; `folder` is where the layer writes. Call it once, before any device is opened. */
export function recordLaunches(folder: string): Recorder {
  const pipelines = recordPipelines(folder);
  return recordDispatches(pipelines);
}

function recordPipelines(folder: string): WeakMap<GPUComputePipeline, CompiledPipeline> {
  const { prototype } = GPUDevice;
  const { createShaderModule, createComputePipeline } = prototype;
  const sources = new WeakMap<GPUShaderModule, string>();
  const compiled = new WeakMap<GPUComputePipeline, CompiledPipeline>();
  /** Dawn compiles a program only once per device. */
  const known = new Map<string, CompiledPipeline>();

  prototype.createShaderModule = function (descriptor) {
    const module = createShaderModule.call(this, descriptor);
    sources.set(module, descriptor.code);
    return module;
  };
  prototype.createComputePipeline = function (descriptor) {
    const { module, entryPoint, constants } = descriptor.compute;
    const label = descriptor.label || module.label;
    const before = countReports(folder);
    const pipeline = createComputePipeline.call(this, descriptor);
    const key = JSON.stringify([sources.get(module), entryPoint, constants]);
    const report = countReports(folder) > before ? readReport(folder, before, label) : known.get(key);
    if (!report) return pipeline;
    known.set(key, report);
    compiled.set(pipeline, report);
    return pipeline;
  };
  prototype.createComputePipelineAsync = async function (descriptor) {
    return prototype.createComputePipeline.call(this, descriptor);
  };
  return compiled;
}

const reportOf = (folder: string, number: number) =>
  path.join(folder, `${String(number).padStart(5, '0')}.txt`);

/** Reports are numbered from 0, so that the next is looked for only where the last was. */
const countReports = (() => {
  let count = 0;
  return (folder: string) => {
    while (fs.existsSync(reportOf(folder, count))) count++;
    return count;
  };
})();

function readReport(folder: string, number: number, label: string): CompiledPipeline {
  return parseReport(fs.readFileSync(reportOf(folder, number), 'utf8'), label);
}

/** Reads a report of the layer. */
export function parseReport(text: string, label: string): CompiledPipeline {
  const end = text.indexOf('\n\n');
  const statistics = new Map(
    text
      .slice(0, end)
      .split('\n')
      .map((line) => line.split('\t') as [string, string]),
  );
  const value = (name: string) => Number(statistics.get(name) ?? 0);
  return {
    label,
    workgroup: value('workgroup'),
    subgroup: value('subgroup'),
    registers: value('VGPRs'),
    waves: value('Subgroups per SIMD'),
    lds: value('LDS size'),
    spills: value('Spilled VGPRs') + value('Spilled SGPRs'),
    scratch: value('Scratch size'),
    program: parseProgram(text.slice(end)),
  };
}

/** Bytes of the buffers in a bind group. */
type GroupBytes = Pick<RecordedLaunch, 'bytes' | 'writable'>;

/** The state of a compute pass: its pipeline and its bind groups. */
interface PassState {
  pipeline?: GPUComputePipeline;
  readonly groups: Map<number, GroupBytes>;
}

function recordDispatches(pipelines: WeakMap<GPUComputePipeline, CompiledPipeline>): Recorder {
  let launches: RecordedLaunch[] = [];
  const bytesOf = recordBindGroups();
  const { prototype } = GPUComputePassEncoder;
  const { setPipeline, setBindGroup, dispatchWorkgroups } = prototype;
  const states = new WeakMap<GPUComputePassEncoder, PassState>();
  const stateOf = (pass: GPUComputePassEncoder) => {
    const state: PassState = states.get(pass) ?? { groups: new Map() };
    states.set(pass, state);
    return state;
  };
  prototype.setPipeline = function (pipeline) {
    stateOf(this).pipeline = pipeline;
    setPipeline.call(this, pipeline);
  };
  prototype.setBindGroup = function (
    this: GPUComputePassEncoder,
    index: number,
    group: GPUBindGroup,
    ...rest: never[]
  ) {
    stateOf(this).groups.set(index, bytesOf.get(group) ?? { bytes: 0, writable: 0 });
    (setBindGroup as (...args: unknown[]) => void).call(this, index, group, ...rest);
  } as typeof setBindGroup;
  prototype.dispatchWorkgroups = function (x, y = 1, z = 1) {
    const state = stateOf(this);
    const pipeline = state.pipeline && pipelines.get(state.pipeline);
    const sum = (key: keyof GroupBytes) => sumOf([...state.groups.values()].map((group) => group[key]));
    if (pipeline)
      launches.push({ pipeline, workgroups: x * y * z, bytes: sum('bytes'), writable: sum('writable') });
    dispatchWorkgroups.call(this, x, y, z);
  };
  return {
    take() {
      const taken = launches;
      launches = [];
      return taken;
    },
  };
}

const sumOf = (sizes: readonly number[]) => sizes.reduce((sum, n) => sum + n, 0);

/** Bytes of the buffers in each bind group. Buffers count as writable if the layout comes from a pipeline, which doesn't tell. */
function recordBindGroups(): WeakMap<GPUBindGroup, GroupBytes> {
  const bytes = new WeakMap<GPUBindGroup, GroupBytes>();
  const readOnly = recordLayouts();
  const { prototype } = GPUDevice;
  const { createBindGroup } = prototype;
  prototype.createBindGroup = function (descriptor) {
    const group = createBindGroup.call(this, descriptor);
    const bindings = readOnly.get(descriptor.layout);
    const sizes = [...descriptor.entries].map(({ binding, resource }) => ({
      binding,
      size: sizeOf(resource),
    }));
    bytes.set(group, {
      bytes: sumOf(sizes.map(({ size }) => size)),
      writable: sumOf(sizes.map(({ binding, size }) => (bindings?.has(binding) ? 0 : size))),
    });
    return group;
  };
  return bytes;
}

function sizeOf(resource: GPUBindingResource): number {
  if (resource instanceof GPUBuffer) return resource.size;
  if (!('buffer' in resource)) return 0;
  return resource.size ?? resource.buffer.size - (resource.offset ?? 0);
}

/** The bindings of each layout that are read only. */
function recordLayouts(): WeakMap<GPUBindGroupLayout, ReadonlySet<number>> {
  const layouts = new WeakMap<GPUBindGroupLayout, ReadonlySet<number>>();
  const { prototype } = GPUDevice;
  const { createBindGroupLayout } = prototype;
  prototype.createBindGroupLayout = function (descriptor) {
    const layout = createBindGroupLayout.call(this, descriptor);
    const readOnly = [...descriptor.entries].filter(({ buffer }) => buffer && buffer.type !== 'storage');
    layouts.set(layout, new Set(readOnly.map(({ binding }) => binding)));
    return layout;
  };
  return layouts;
}
