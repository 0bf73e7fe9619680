/**
 * @file Compiled kernels. A pipeline is cached by its kernel's name and compile-time options, never by a shape.
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

export interface Pipeline {
  readonly id: number;
  readonly label: string;
  readonly gpu: GPUComputePipeline;
  readonly bindGroupLayout: GPUBindGroupLayout;
  readonly bindingNames: readonly string[];
}

export class PipelineCache {
  readonly #pipelines = new Map<string, Pipeline>();
  readonly #layouts = new Map<string, GPUBindGroupLayout>();

  constructor(
    private readonly device: GPUDevice,
    private readonly onError: (error: DeviceError) => void,
  ) {}

  get size(): number {
    return this.#pipelines.size;
  }

  /** The pipeline of `kernel` under `options`, compiled now if it is new. */
  get(kernel: Kernel, options: KernelOptions): Pipeline {
    const key = `${kernel.name} ${JSON.stringify(options)}`;
    const known = this.#pipelines.get(key);
    if (known) return known;
    const pipeline = this.#compile(kernel, options, key);
    this.#pipelines.set(key, pipeline);
    return pipeline;
  }

  #compile(kernel: Kernel, options: KernelOptions, label: string): Pipeline {
    const bindings = bindingsOf(kernel, options);
    const bindGroupLayout = this.#bindGroupLayout(kernel, bindings);
    this.device.pushErrorScope('validation');
    const module = this.device.createShaderModule({
      label: `retrograd ${label}`,
      code: moduleSource(kernel, options, faultLibrary),
    });
    const gpu = this.device.createComputePipeline({
      label: `retrograd ${label}`,
      layout: this.device.createPipelineLayout({
        label: `retrograd ${kernel.name}`,
        bindGroupLayouts: [bindGroupLayout],
      }),
      compute: { module, entryPoint: 'main' },
    });
    this.device.popErrorScope().then(
      (error) => error && this.#tell(kernel, module, error),
      () => {},
    );
    return {
      id: this.#pipelines.size,
      label: kernel.name,
      gpu,
      bindGroupLayout,
      bindingNames: Object.keys(bindings),
    };
  }

  async #tell(kernel: Kernel, module: GPUShaderModule, error: GPUError): Promise<void> {
    const { messages } = await module.getCompilationInfo();
    const lines = messages.map((m) => `${m.lineNum}:${m.linePos} ${m.message}`);
    this.onError(
      new DeviceError({
        op: kernel.name,
        rule: 'a kernel must compile to a valid pipeline.',
        received: lines.join('\n    ') || error.message,
        mend: 'correct the WGSL; line numbers count the generated declarations at its head.',
      }),
    );
  }

  /** Layouts are shared by all kernels with the same kinds of bindings, so that bind groups are too. */
  #bindGroupLayout(kernel: Kernel, bindings: Bindings): GPUBindGroupLayout {
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
    const layout = this.device.createBindGroupLayout({ label: `retrograd ${kernel.name}`, entries });
    this.#layouts.set(key, layout);
    return layout;
  }
}
