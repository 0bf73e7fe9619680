/**
 * @file Compiled kernels. A pipeline is cached by its kernel and compile-time options, never by a shape.
 */
import { faultLibrary } from '../../shaders/lib/fault.ts';
import { DeviceError } from '../core/errors.ts';
import {
  type Bindings,
  bindingsOf,
  isReadOnly,
  type Kernel,
  type KernelOptions,
  moduleSource,
} from './kernel.ts';
import type { ErrorWatch } from './watch.ts';

export interface Pipeline {
  readonly label: string;
  readonly gpu: GPUComputePipeline;
  readonly bindGroupLayout: GPUBindGroupLayout;
  /** Equal for pipelines with equal layouts, which share bind groups. */
  readonly layoutId: number;
  readonly bindingNames: readonly string[];
}

interface BindingLayout {
  readonly id: number;
  readonly gpu: GPUBindGroupLayout;
}

/** A pipeline that is being compiled. Its `gpu` isn't to be used. */
interface Pending {
  readonly pipeline: Pipeline;
  readonly ready: Promise<void>;
}

/** What compiles to a pipeline. */
interface Sources {
  readonly module: GPUShaderModule;
  readonly descriptor: GPUComputePipelineDescriptor;
}

export class PipelineCache {
  /** By kernel, not by name: an app may call a kernel as the library calls one of its own. */
  readonly #pipelines = new Map<Kernel, Map<string, Pipeline>>();
  readonly #pending = new Map<Kernel, Map<string, Pending>>();
  readonly #layouts = new Map<string, BindingLayout>();
  #size = 0;

  constructor(
    private readonly device: GPUDevice,
    private readonly watch: ErrorWatch,
  ) {}

  get size(): number {
    return this.#size;
  }

  /** The pipeline of `kernel` under `options`, compiled now if it is new. */
  get(kernel: Kernel, options: KernelOptions): Pipeline {
    const key = JSON.stringify(options);
    const known = this.#pipelines.get(kernel)?.get(key);
    if (known) return known;
    const described = this.#describe(kernel, options);
    let sources: Sources | undefined;
    const gpu = this.watch.during(
      'validation',
      () => {
        sources = this.#sources(kernel, options, key, described);
        return this.device.createComputePipeline(sources.descriptor);
      },
      (error) => explainFailure(kernel, sources?.module, error),
    );
    return this.#add(kernel, key, { ...described, gpu });
  }

  /**
   * Compiles the pipeline of `kernel` under `options` beside other work, if it is new; `told` hears of the promise, which
   * rejects with a DeviceError for WGSL that doesn't compile. What is returned says what the launch binds; it can't run.
   */
  prepare(kernel: Kernel, options: KernelOptions, told: (ready: Promise<void>) => void): Pipeline {
    const key = JSON.stringify(options);
    const known = this.#pipelines.get(kernel)?.get(key);
    if (known) return known;
    const pending = this.#pending.get(kernel)?.get(key) ?? this.#begin(kernel, options, key);
    told(pending.ready);
    return pending.pipeline;
  }

  #begin(kernel: Kernel, options: KernelOptions, key: string): Pending {
    const described = this.#describe(kernel, options);
    // The rejected promise tells of it, too: the scope only keeps the error from the page.
    this.device.pushErrorScope('validation');
    const { module, descriptor } = this.#sources(kernel, options, key, described);
    const compiling = this.device.createComputePipelineAsync(descriptor);
    this.device.popErrorScope().catch(() => null);
    const variants = variantsOf(this.#pending, kernel);
    const ready = compiling
      .then(
        (gpu) => {
          // A launch may have needed it meanwhile.
          if (!this.#pipelines.get(kernel)?.has(key)) this.#add(kernel, key, { ...described, gpu });
        },
        async (error: GPUError) => {
          throw await explainFailure(kernel, module, error);
        },
      )
      .finally(() => variants.delete(key));
    const pending = { pipeline: { ...described, gpu: null as never }, ready };
    variants.set(key, pending);
    return pending;
  }

  #add(kernel: Kernel, key: string, pipeline: Pipeline): Pipeline {
    variantsOf(this.#pipelines, kernel).set(key, pipeline);
    this.#size++;
    return pipeline;
  }

  /** What is known of a pipeline before it is compiled. */
  #describe(kernel: Kernel, options: KernelOptions): Omit<Pipeline, 'gpu'> {
    const bindings = bindingsOf(kernel, options);
    const { id, gpu } = this.#bindGroupLayout(kernel, bindings);
    return { label: kernel.name, bindGroupLayout: gpu, layoutId: id, bindingNames: Object.keys(bindings) };
  }

  #sources(
    kernel: Kernel,
    options: KernelOptions,
    key: string,
    { bindGroupLayout }: Omit<Pipeline, 'gpu'>,
  ): Sources {
    const label = `retrograd ${kernel.name} ${key}`;
    const code = moduleSource(kernel, options, faultLibrary);
    const module = this.device.createShaderModule({ label, code });
    const layout = this.device.createPipelineLayout({
      label: `retrograd ${kernel.name}`,
      bindGroupLayouts: [bindGroupLayout],
    });
    return { module, descriptor: { label, layout, compute: { module, entryPoint: 'main' } } };
  }

  /** Layouts are shared by all kernels with the same kinds of bindings, so that bind groups are too. */
  #bindGroupLayout(kernel: Kernel, bindings: Bindings): BindingLayout {
    const kinds: GPUBufferBindingLayout[] = Object.values(bindings).map((type) => ({
      type: isReadOnly(type) ? 'read-only-storage' : 'storage',
    }));
    const hasParams = kernel.layout.fields.length > 0;
    const key = JSON.stringify([kinds, hasParams, kernel.faults]);
    const known = this.#layouts.get(key);
    if (known) return known;
    const entries = kinds.map((buffer, binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer }));
    const params = kinds.length;
    if (hasParams) {
      entries.push({
        binding: params,
        visibility: GPUShaderStage.COMPUTE,
        buffer: { type: 'uniform', hasDynamicOffset: true },
      });
    }
    if (kernel.faults) {
      entries.push({ binding: params + 1, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'storage' } });
    }
    const gpu = this.device.createBindGroupLayout({ label: `retrograd ${kernel.name}`, entries });
    const layout = { id: this.#layouts.size, gpu };
    this.#layouts.set(key, layout);
    return layout;
  }
}

function variantsOf<T>(table: Map<Kernel, Map<string, T>>, kernel: Kernel): Map<string, T> {
  const known = table.get(kernel);
  if (known) return known;
  const variants = new Map<string, T>();
  table.set(kernel, variants);
  return variants;
}

async function explainFailure(
  kernel: Kernel,
  module: GPUShaderModule | undefined,
  error: { readonly message: string },
): Promise<DeviceError> {
  const { messages = [] } = (await module?.getCompilationInfo()) ?? {};
  const lines = messages.map((m) => `${m.lineNum}:${m.linePos} ${m.message}`);
  return new DeviceError({
    op: kernel.name,
    rule: 'a kernel must compile to a valid pipeline.',
    received: lines.join('\n    ') || error.message,
    mend: 'correct the WGSL; line numbers count the generated declarations at its head.',
  });
}
