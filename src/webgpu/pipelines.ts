/**
 * @file Compiled kernels. A pipeline is cached by its kernel and compile-time options, never by a shape.
 */
import { faultLibrary } from '../../shaders/lib/fault.ts';
import { DeviceError } from '../core/errors.ts';
import { ShaderStage } from './flags.ts';
import {
  type Bindings,
  bindingsOf,
  isReadOnly,
  type Kernel,
  type KernelOptions,
  keyOf,
  layoutOf,
  moduleSource,
} from './kernel.ts';
import type { ParamLayout } from './params.ts';
import type { ErrorWatch } from './watch.ts';

export interface Pipeline {
  readonly label: string;
  readonly gpu: GPUComputePipeline;
  readonly bindingNames: readonly string[];
  /** Shared by pipelines with the same kinds of bindings. */
  readonly bindings: BindingLayout;
  /** The layout of its parameters. */
  readonly layout: ParamLayout;
}

/** The kinds of bindings of a launch. */
export interface BindingLayout {
  readonly gpu: GPUBindGroupLayout;
  /** Which of the buffers a launch writes. */
  readonly writes: readonly boolean[];
  /** The stream's cached bind groups, by a key of the ranges they bind. */
  readonly groups: Map<number | string, GPUBindGroup>;
}

/** The inputs of a pipeline's compilation. */
export interface Sources {
  readonly module: GPUShaderModule;
  readonly descriptor: GPUComputePipelineDescriptor;
}

/** What `device.onCompile` receives. */
export interface CompileProgress {
  /** Pipelines compiled so far, and those begun so far. Equal when none is being compiled. */
  readonly done: number;
  readonly total: number;
  /** The name of the kernel whose pipeline begins to compile, or is compiled. */
  readonly kernel: string;
}

export class PipelineCache {
  /** By kernel, not by name: an app's kernel may have the same name as one of the library's. */
  readonly #pipelines = new Map<Kernel, Map<string, Pipeline>>();
  readonly #layouts = new Map<string, BindingLayout>();
  #size = 0;
  #begun = 0;
  #ended = 0;
  /** Called with a variant that doesn't compile; returns what is launched from then on, or null if there is no other variant. */
  onFailure: ((kernel: Kernel, options: KernelOptions) => Promise<string | null>) | null = null;

  constructor(
    readonly device: GPUDevice,
    private readonly watch: ErrorWatch,
    private readonly onProgress: (progress: CompileProgress) => void,
  ) {}

  /** Runs `compile`, which compiles a pipeline of `kernel`, between two reports of progress. */
  async reporting(kernel: Kernel, compile: () => Promise<void>): Promise<void> {
    this.#report(kernel, ++this.#begun);
    await compile().finally(() => this.#report(kernel, this.#begun, ++this.#ended));
  }

  #report({ name }: Kernel, total: number, done = this.#ended): void {
    this.onProgress({ done, total, kernel: name });
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the pipeline of `kernel` under `options`, compiled now if it is new. `key` is their JSON. */
  get(kernel: Kernel, options: KernelOptions, key = keyOf(kernel, options)): Pipeline {
    const known = this.find(kernel, key);
    if (known) return known;
    const described = this.describe(kernel, options);
    this.#report(kernel, ++this.#begun);
    let sources: Sources | undefined;
    const gpu = this.watch.during(
      'validation',
      () => {
        sources = this.sources(kernel, options, key, described);
        return this.device.createComputePipeline(sources.descriptor);
      },
      (error) => this.explainFailure(kernel, options, sources?.module, error),
    );
    this.#report(kernel, this.#begun, ++this.#ended);
    return this.add(kernel, key, { ...described, gpu });
  }

  /** Returns the pipeline compiled for the options whose JSON is `key`. */
  find(kernel: Kernel, key: string): Pipeline | undefined {
    return this.#pipelines.get(kernel)?.get(key);
  }

  add(kernel: Kernel, key: string, pipeline: Pipeline): Pipeline {
    const variants = this.#pipelines.get(kernel) ?? new Map<string, Pipeline>();
    this.#pipelines.set(kernel, variants.set(key, pipeline));
    this.#size++;
    return pipeline;
  }

  /** Discards the bind groups of the stream. */
  clearBindGroups(): void {
    for (const { groups } of this.#layouts.values()) groups.clear();
  }

  /** Returns everything about a pipeline that is known before it is compiled. */
  describe(kernel: Kernel, options: KernelOptions): Omit<Pipeline, 'gpu'> {
    const bindings = bindingsOf(kernel, options);
    const layout = layoutOf(kernel, options);
    return {
      label: kernel.name,
      bindingNames: Object.keys(bindings),
      bindings: this.#bindingLayout(kernel, bindings, layout),
      layout,
    };
  }

  sources(kernel: Kernel, options: KernelOptions, key: string, { bindings }: Omit<Pipeline, 'gpu'>): Sources {
    const label = `retrograd ${kernel.name} ${key}`;
    const code = moduleSource(kernel, options, faultLibrary);
    const module = this.device.createShaderModule({ label, code });
    const layout = this.device.createPipelineLayout({
      label: `retrograd ${kernel.name}`,
      bindGroupLayouts: [bindings.gpu],
    });
    return { module, descriptor: { label, layout, compute: { module, entryPoint: 'main' } } };
  }

  /** Shared by all kernels with the same kinds of bindings and parameter bytes, so that they can share bind groups. */
  #bindingLayout(kernel: Kernel, bindings: Bindings, { fields, bytes }: ParamLayout): BindingLayout {
    const kinds: GPUBufferBindingLayout[] = Object.values(bindings).map((type) => ({
      type: isReadOnly(type) ? 'read-only-storage' : 'storage',
    }));
    const hasParams = fields.length > 0;
    const key = JSON.stringify([kinds, hasParams && bytes, kernel.faults]);
    const known = this.#layouts.get(key);
    if (known) return known;
    const entries = kinds.map((buffer, binding) => ({ binding, visibility: ShaderStage.COMPUTE, buffer }));
    const params = kinds.length;
    if (hasParams) {
      entries.push({
        binding: params,
        visibility: ShaderStage.COMPUTE,
        buffer: { type: 'uniform', hasDynamicOffset: true },
      });
    }
    if (kernel.faults) {
      entries.push({ binding: params + 1, visibility: ShaderStage.COMPUTE, buffer: { type: 'storage' } });
    }
    const gpu = this.device.createBindGroupLayout({ label: `retrograd ${kernel.name}`, entries });
    const writes = kinds.map(({ type }) => type === 'storage');
    const made = { gpu, writes, groups: new Map() };
    this.#layouts.set(key, made);
    return made;
  }

  /** Returns the error of a variant that doesn't compile. From then on the device selects another one, if there is any. */
  async explainFailure(
    kernel: Kernel,
    options: KernelOptions,
    module: GPUShaderModule | undefined,
    error: { readonly message: string },
  ): Promise<DeviceError> {
    const [info, instead] = await Promise.all([
      module?.getCompilationInfo(),
      this.onFailure?.(kernel, options) ?? null,
    ]);
    const lines = (info?.messages ?? []).map((m) => `${m.lineNum}:${m.linePos} ${m.message}`);
    const variant = Object.keys(options).length > 0 ? `\n    in the variant ${JSON.stringify(options)}` : '';
    return new DeviceError({
      op: kernel.name,
      rule: 'a kernel must compile to a valid pipeline.',
      received: `${lines.join('\n    ') || error.message}${variant}`,
      hint: instead
        ? `call again: ${instead}.`
        : 'correct the WGSL; line numbers count the generated declarations at its head.',
    });
  }
}
