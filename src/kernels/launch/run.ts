/**
 * @file runKernel: launches an app's own kernel on tensors, usually in the `forward` of an app's op.
 */
import { wgslType } from '../../core/dtype.ts';
import { DeviceError, ValueError } from '../../core/errors.ts';
import { checkOptions, isPlainObject } from '../../core/options.ts';
import { checkShape, describe } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';
import { checkBindings, checkElementType, checkParams, checkWorkgroups } from '../../webgpu/checkLaunch.ts';
import { getDevice } from '../../webgpu/current.ts';
import type { Device } from '../../webgpu/device.ts';
import type { FaultReport } from '../../webgpu/faults.ts';
import {
  type Bindings,
  bindingsOf,
  type BindingType,
  type Kernel,
  type KernelOptions,
} from '../../webgpu/kernel.ts';
import type { ParamFields, ParamValues } from '../../webgpu/params.ts';
import { checkDType } from '../../tensor/create.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { output } from './output.ts';

/** The arguments of `runKernel`: inputs, outputs, parameters and workgroups of one launch. */
export interface KernelRun<
  O extends KernelOptions,
  P extends ParamFields,
  R extends Readonly<Record<string, TensorSpec>>,
> {
  /** Compile-time options of the kernel. Default: none. */
  options?: O;
  /** Tensors for the bindings that the kernel reads. */
  inputs: Readonly<Record<string, Tensor>>;
  /** Shape and dtype of a new tensor for each binding that the kernel writes. Its initial values are undefined. */
  outputs: R;
  params: ParamValues<P>;
  /** Workgroups: a count, folded over the dimensions where it exceeds 65,535 (see `flatIndex`), or a grid. */
  workgroups: number | readonly [number, number, number];
  /** Describes faults of this launch, for a kernel with `faults: true`. */
  fault?: FaultReport;
}

/**
 * Launches `kernel` on tensors, and returns new tensors for its outputs, by binding name.
 *
 *     const { y } = runKernel(scale, { inputs: { x }, outputs: { y: x }, params: { count: x.size }, workgroups: 1 });
 *
 * Errors: ValueError if bindings or parameters don't match the kernel's declaration; DTypeError if a binding would read
 * another element type; DeviceError for tensors of two devices. Errors in the WGSL are thrown by the next readback.
 */
export function runKernel<
  O extends KernelOptions,
  B extends Bindings,
  P extends ParamFields,
  R extends Readonly<Record<string, TensorSpec>>,
>(kernel: Kernel<O, B, P>, run: KernelRun<O, P, R>): { [name in keyof R]: Tensor } {
  requireRun(kernel, run);
  const { inputs, outputs, params, workgroups, fault } = run;
  const options = (run.options ?? {}) as O;
  const own = kernel as unknown as Kernel;
  checkBindings(own, options, [...Object.keys(inputs), ...Object.keys(outputs)]);
  checkParams(own, params);
  checkWorkgroups(own, workgroups);
  checkFault(own, fault);
  const declared = bindingsOf(own, options);
  for (const [name, x] of Object.entries(inputs)) checkInput(own, name, declared[name] as BindingType, x);
  const device = deviceOf(own, Object.values(inputs));
  const made = Object.fromEntries(
    Object.entries(outputs).map(([name, { shape, dtype }]) => {
      checkShape(kernel.name, shape);
      checkDType(kernel.name, dtype);
      checkElementType(own, name, declared[name] as BindingType, wgslType(dtype));
      return [name, output(device, { shape: [...shape], dtype }, kernel.name)];
    }),
  );
  const storages = Object.entries({ ...inputs, ...made }).map(([name, x]) => [name, x.storage]);
  device.launch(kernel, {
    options,
    bindings: Object.fromEntries(storages),
    params,
    workgroups,
    ...(fault ? { fault } : {}),
  });
  return made as { [name in keyof R]: Tensor };
}

const runNames = ['inputs', 'outputs', 'params', 'workgroups', 'options', 'fault'];

/** Throws unless it is a kernel and the description of a launch. */
function requireRun(kernel: unknown, run: unknown): void {
  const { name, bindings } = (kernel ?? {}) as Partial<Kernel>;
  if (typeof name !== 'string' || bindings === undefined) {
    throw new ValueError({
      op: 'runKernel',
      rule: 'it launches a kernel that defineKernel made.',
      received: describe(kernel),
      hint: "make one: defineKernel({ name: 'scale', bindings: { … }, params: { … }, source: () => `…` }).",
    });
  }
  if (isPlainObject(run)) checkOptions(name, run, runNames);
  const { inputs, outputs, params } = (run ?? {}) as Readonly<Record<string, unknown>>;
  if ([inputs, outputs, params].every((part) => typeof part === 'object' && part !== null)) return;
  throw new ValueError({
    op: name,
    rule: 'a launch has inputs, outputs and params, each by name.',
    received: describe(run),
    hint: 'pass { inputs: { x }, outputs: { y: x }, params: { … }, workgroups: 1 }; {} where there are none.',
  });
}

function checkInput(kernel: Kernel, name: string, type: BindingType, x: unknown): asserts x is Tensor {
  if (!(x instanceof Tensor)) {
    throw new ValueError({
      op: kernel.name,
      rule: `input \`${name}\` must be a tensor.`,
      received: describe(x),
      hint: 'make one with tensor(values).',
    });
  }
  if (!type.startsWith('read ')) {
    throw new ValueError({
      op: kernel.name,
      rule: 'a kernel writes only new tensors: the values of a tensor never change.',
      received: `an input for binding \`${name}\`, declared as '${type}'`,
      hint: `name \`${name}\` under \`outputs\`, or declare it as read.`,
    });
  }
  checkElementType(kernel, name, type, wgslType(x.dtype));
  if (!type.includes('vec4') || Math.ceil(x.size / 4) * 16 <= x.storage.bytes) return;
  throw new ValueError({
    op: kernel.name,
    rule: 'the buffer of a tensor that is read as vec4 must hold whole vectors.',
    received: `${formatSpec(x)} in ${x.storage.bytes} bytes of a buffer of your own`,
    hint: 'make the buffer a multiple of 16 bytes long.',
  });
}

function checkFault(kernel: Kernel, fault: FaultReport | undefined): void {
  if (!kernel.faults === (fault === undefined)) return;
  throw new ValueError({
    op: kernel.name,
    rule: 'a launch describes its faults if its kernel has `faults: true`, and only then.',
    received: fault ? 'a fault for a kernel without' : 'no `fault`',
    hint: 'pass fault: { count, raise: (position, value) => new ValueError(…) } in addition to the params.',
  });
}

function deviceOf(kernel: Kernel, inputs: readonly Tensor[]): Device {
  const device = inputs[0]?.device ?? getDevice();
  const foreign = inputs.find((x) => x.device !== device);
  if (!foreign) return device;
  throw new DeviceError({
    op: kernel.name,
    rule: 'all tensors of one launch must live on one device.',
    received: `${formatSpec(foreign)} of another device`,
    hint: 'upload it to this device.',
  });
}
