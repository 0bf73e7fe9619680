/**
 * @file Simulates faulty GPU drivers: some pipelines of a device write nothing, always or from their second run on; or they
 * don't compile.
 */

export type Defect = 'always' | 'after the first run' | 'does not compile';

/** Returns the same WGSL with an entry point that returns at once. */
const emptied = (code: string) =>
  code.replace(/fn main\([\s\S]*?\)\s*\{/, (head) => `${head} if (true) { return; }`);

/** Makes the pipelines of `gpu` faulty whose label matches `matches`: the name of their kernel and its options. */
export function makeWrong(gpu: GPUDevice, matches: RegExp, defect: Defect): void {
  const codes = new WeakMap<GPUShaderModule, string>();
  const doubles = new WeakMap<GPUComputePipeline, GPUComputePipeline>();
  const createModule = gpu.createShaderModule.bind(gpu);
  gpu.createShaderModule = (descriptor) => {
    const isWrong = matches.test(descriptor.label ?? '');
    if (!isWrong || defect === 'after the first run') {
      const made = createModule(descriptor);
      if (isWrong) codes.set(made, descriptor.code);
      return made;
    }
    const code = defect === 'always' ? emptied(descriptor.code) : 'fn main( { the driver gives up }';
    return createModule({ ...descriptor, code });
  };
  if (defect !== 'after the first run') return;
  const create = gpu.createComputePipeline.bind(gpu);
  const createAsync = gpu.createComputePipelineAsync.bind(gpu);
  const withDouble = (pipeline: GPUComputePipeline, descriptor: GPUComputePipelineDescriptor) => {
    const code = codes.get(descriptor.compute.module);
    if (code) {
      const module = createModule({ code: emptied(code) });
      doubles.set(pipeline, create({ ...descriptor, compute: { ...descriptor.compute, module } }));
    }
    return pipeline;
  };
  gpu.createComputePipeline = (descriptor) => withDouble(create(descriptor), descriptor);
  gpu.createComputePipelineAsync = async (descriptor) =>
    withDouble(await createAsync(descriptor), descriptor);
  exchangeUsed(gpu, doubles);
}

/** Makes passes of `gpu` use the faulty copy of a pipeline that was set before. */
function exchangeUsed(gpu: GPUDevice, doubles: WeakMap<GPUComputePipeline, GPUComputePipeline>): void {
  const used = new WeakSet<GPUComputePipeline>();
  const createEncoder = gpu.createCommandEncoder.bind(gpu);
  gpu.createCommandEncoder = (descriptor) => {
    const encoder = createEncoder(descriptor);
    const begin = encoder.beginComputePass.bind(encoder);
    encoder.beginComputePass = (pass) => {
      const made = begin(pass);
      const set = made.setPipeline.bind(made);
      made.setPipeline = (pipeline) => {
        const double = doubles.get(pipeline);
        set(double && used.has(pipeline) ? double : pipeline);
        used.add(pipeline);
      };
      return made;
    };
    return encoder;
  };
}
