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

/** A buffer that a launch binds. */
export interface BoundBuffer {
  /** The number of the buffer, by which its uses in several launches are recognized. */
  readonly id: number;
  readonly bytes: number;
  /** Whether the launch may write it. */
  readonly isWritten: boolean;
}

export interface RecordedLaunch {
  readonly pipeline: CompiledPipeline;
  readonly workgroups: number;
  readonly buffers: readonly BoundBuffer[];
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
  return recordDispatches(recordPipelines(folder));
}

interface Pipelines {
  readonly compiled: WeakMap<GPUComputePipeline, CompiledPipeline>;
  /** The WGSL of modules and pipelines. */
  readonly sources: WeakMap<GPUShaderModule | GPUComputePipeline, string>;
}

function recordPipelines(folder: string): Pipelines {
  const { prototype } = GPUDevice;
  const { createShaderModule, createComputePipeline } = prototype;
  const sources: Pipelines['sources'] = new WeakMap();
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
    const source = sources.get(module) ?? '';
    sources.set(pipeline, source);
    const key = JSON.stringify([source, entryPoint, constants]);
    const report = countReports(folder) > before ? readReport(folder, before, label) : known.get(key);
    if (!report) return pipeline;
    known.set(key, report);
    compiled.set(pipeline, report);
    return pipeline;
  };
  prototype.createComputePipelineAsync = async function (descriptor) {
    return prototype.createComputePipeline.call(this, descriptor);
  };
  return { compiled, sources };
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

/** The state of a compute pass: its pipeline, and the buffers of its bind groups. */
interface PassState {
  pipeline?: GPUComputePipeline;
  readonly groups: Map<number, readonly BoundBuffer[]>;
}

function recordDispatches({ compiled, sources }: Pipelines): Recorder {
  let launches: RecordedLaunch[] = [];
  const buffersOf = recordBindGroups(sources);
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
    stateOf(this).groups.set(index, buffersOf.get(group) ?? []);
    (setBindGroup as (...args: unknown[]) => void).call(this, index, group, ...rest);
  } as typeof setBindGroup;
  prototype.dispatchWorkgroups = function (x, y = 1, z = 1) {
    const state = stateOf(this);
    const pipeline = state.pipeline && compiled.get(state.pipeline);
    if (pipeline) launches.push(launchOf(pipeline, x * y * z, [...state.groups.values()].flat()));
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

function launchOf(
  pipeline: CompiledPipeline,
  workgroups: number,
  buffers: readonly BoundBuffer[],
): RecordedLaunch {
  const bytesOf = (some: readonly BoundBuffer[]) => some.reduce((sum, { bytes }) => sum + bytes, 0);
  const writable = bytesOf(buffers.filter(({ isWritten }) => isWritten));
  return { pipeline, workgroups, buffers, bytes: bytesOf(buffers), writable };
}

/** The buffers of each bind group. Each counts as written unless its layout says that it is read only. */
function recordBindGroups(sources: Pipelines['sources']): WeakMap<GPUBindGroup, readonly BoundBuffer[]> {
  const found = new WeakMap<GPUBindGroup, readonly BoundBuffer[]>();
  const ids = new WeakMap<GPUBuffer, number>();
  let count = 0;
  const idOf = (buffer: GPUBuffer) => {
    if (!ids.has(buffer)) ids.set(buffer, count++);
    return ids.get(buffer) as number;
  };
  const readOnly = recordLayouts(sources);
  const { prototype } = GPUDevice;
  const { createBindGroup } = prototype;
  prototype.createBindGroup = function (descriptor) {
    const group = createBindGroup.call(this, descriptor);
    const bindings = readOnly.get(descriptor.layout);
    const buffers = [...descriptor.entries].flatMap(({ binding, resource }) => {
      const bound = boundBuffer(resource);
      return bound
        ? [{ id: idOf(bound.buffer), bytes: bound.bytes, isWritten: !bindings?.has(binding) }]
        : [];
    });
    found.set(group, buffers);
    return group;
  };
  return found;
}

function boundBuffer(resource: GPUBindingResource): { buffer: GPUBuffer; bytes: number } | null {
  if (resource instanceof GPUBuffer) return { buffer: resource, bytes: resource.size };
  if (!('buffer' in resource)) return null;
  const { buffer, offset = 0, size = buffer.size - offset } = resource;
  return { buffer, bytes: size };
}

/** The bindings of each layout that are read only. A layout that is taken from a pipeline follows from the program. */
function recordLayouts(sources: Pipelines['sources']): WeakMap<GPUBindGroupLayout, ReadonlySet<number>> {
  const layouts = new WeakMap<GPUBindGroupLayout, ReadonlySet<number>>();
  const { prototype } = GPUDevice;
  const { createBindGroupLayout } = prototype;
  const { getBindGroupLayout } = GPUComputePipeline.prototype;
  prototype.createBindGroupLayout = function (descriptor) {
    const layout = createBindGroupLayout.call(this, descriptor);
    const readOnly = [...descriptor.entries].filter(({ buffer }) => buffer && buffer.type !== 'storage');
    layouts.set(layout, new Set(readOnly.map(({ binding }) => binding)));
    return layout;
  };
  GPUComputePipeline.prototype.getBindGroupLayout = function (group) {
    const layout = getBindGroupLayout.call(this, group);
    layouts.set(layout, readOnlyBindings(sources.get(this) ?? '', group));
    return layout;
  };
  return layouts;
}

/** Returns the bindings of a group that a program declares without write access. */
export function readOnlyBindings(wgsl: string, group: number): ReadonlySet<number> {
  const declarations = wgsl.matchAll(/@group\((\d+)\)\s*@binding\((\d+)\)\s*var<([^>]*)>/g);
  const inGroup = [...declarations].filter(([, of]) => Number(of) === group);
  const readOnly = inGroup.filter(([, , , access]) => !/write/.test(access as string));
  return new Set(readOnly.map(([, , binding]) => Number(binding)));
}
