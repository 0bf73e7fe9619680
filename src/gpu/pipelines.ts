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

export class PipelineCache {
  /** By kernel, not by name: an app may call a kernel as the library calls one of its own. */
  readonly #pipelines = new Map<Kernel, Map<string, Pipeline>>();
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
    let variants = this.#pipelines.get(kernel);
    if (!variants) {
      variants = new Map();
      this.#pipelines.set(kernel, variants);
    }
    const key = JSON.stringify(options);
    const known = variants.get(key);
    if (known) return known;
    const pipeline = this.#compile(kernel, options, `${kernel.name} ${key}`);
    variants.set(key, pipeline);
    this.#size++;
    return pipeline;
  }

  #compile(kernel: Kernel, options: KernelOptions, label: string): Pipeline {
    const bindings = bindingsOf(kernel, options);
    const layout = this.#bindGroupLayout(kernel, bindings);
    const code = moduleSource(kernel, options, faultLibrary);
    let module: GPUShaderModule | undefined;
    const gpu = this.watch.during(
      'validation',
      () => {
        module = this.device.createShaderModule({ label: `retrograd ${label}`, code });
        return this.device.createComputePipeline({
          label: `retrograd ${label}`,
          layout: this.device.createPipelineLayout({
            label: `retrograd ${kernel.name}`,
            bindGroupLayouts: [layout.gpu],
          }),
          compute: { module, entryPoint: 'main' },
        });
      },
      (error) => explainFailure(kernel, module, error),
    );
    return {
      label: kernel.name,
      gpu,
      bindGroupLayout: layout.gpu,
      layoutId: layout.id,
      bindingNames: Object.keys(bindings),
    };
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

async function explainFailure(
  kernel: Kernel,
  module: GPUShaderModule | undefined,
  error: GPUError,
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
