/**
 * @file encodeKernel: a kernel on an app's own buffers, encoded into the app's own encoder.
 */
import { BufferUsage } from '../../webgpu/flags.ts';
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { checkBindings, checkParams, checkWorkgroups } from '../../webgpu/checkLaunch.ts';
import { getDevice } from '../../webgpu/current.ts';
import type { Device } from '../../webgpu/device.ts';
import { encodeLaunch, type EncodeTarget } from '../../execution/encoder.ts';
import type { Bindings, Kernel, KernelOptions } from '../../webgpu/kernel.ts';
import type { ParamFields, ParamValues } from '../../webgpu/params.ts';
import { prepareLaunch } from '../../webgpu/launch.ts';
import { adoptBuffer } from '../../webgpu/deviceBuffer.ts';
import type { BoundRange } from '../../webgpu/boundRange.ts';
import { Tensor } from '../../tensor/tensor.ts';

/** A buffer of the app, or a range of one in bytes; `offset` is a multiple of 256. */
export type BufferRange =
  | GPUBuffer
  | { readonly buffer: GPUBuffer; readonly offset?: number; readonly size?: number };

/** The arguments of `encodeKernel`. */
export interface KernelEncoding<O extends KernelOptions, B extends Bindings, P extends ParamFields> {
  /** Compile-time options of the kernel. Default: none. */
  options?: O;
  /** A buffer for each binding of the kernel, with usage STORAGE. */
  bindings: { readonly [name in keyof B]: BufferRange };
  params: ParamValues<P>;
  /** Workgroups: a count, folded over the dimensions where it exceeds 65,535 (see `flatIndex`), or a grid. */
  workgroups: number | readonly [number, number, number];
  /**
   * For a kernel with `faults: true`: 128 bytes of zeros with usage STORAGE. Read them back when the work is done, and
   * pass them to `decodeFault`.
   */
  faultWords?: BufferRange;
  /** Default: the current device. */
  device?: Device;
}

/**
 * Appends one launch of `kernel` to a command encoder, or to an open compute pass. The app may submit it at any time;
 * parameters keep their present values.
 * Errors: ValueError for bindings, parameters or workgroups that don't match the kernel.
 */
export function encodeKernel<O extends KernelOptions, B extends Bindings, P extends ParamFields>(
  target: EncodeTarget,
  kernel: Kernel<O, B, P>,
  encoding: KernelEncoding<O, B, P>,
): void {
  const { bindings, params, workgroups, faultWords, device = getDevice() } = encoding;
  const options = (encoding.options ?? {}) as O;
  const own = kernel as unknown as Kernel;
  checkTarget(kernel.name, target);
  checkBindings(own, options, Object.keys(bindings));
  checkParams(own, params);
  checkWorkgroups(own, workgroups);
  const ranges = Object.fromEntries(
    Object.entries(bindings).map(([name, range]) => [name, rangeOf(kernel.name, name, range)]),
  );
  const words = faultWords && rangeOf(kernel.name, 'faultWords', faultWords);
  device.requireAlive();
  const pipeline = device.executor.pipelineOf(own, options);
  const launch = prepareLaunch(own, { options, bindings: ranges, params, workgroups }, pipeline, null);
  const bound = words && { buffer: words.buffer.gpu, offset: words.offset, size: words.bytes };
  encodeLaunch(device, target, launch, bound);
}

export function checkTarget(op: string, target: unknown): asserts target is EncodeTarget {
  if (typeof target === 'object' && target !== null) {
    if ('dispatchWorkgroups' in target || 'beginComputePass' in target) return;
  }
  throw new ValueError({
    op,
    rule: 'commands go to a GPUCommandEncoder or a GPUComputePassEncoder.',
    received: describe(target),
    hint: 'pass device.createCommandEncoder(), or a pass of it that is open.',
  });
}

/** Returns the bytes of `range`. Errors: ValueError. */
export function rangeOf(op: string, name: string, range: BufferRange): BoundRange {
  const given = typeof range === 'object' && range !== null && 'buffer' in range ? range : { buffer: range };
  const { buffer, offset = 0 } = given as { buffer: GPUBuffer; offset?: number; size?: number };
  const size = (given as { size?: number }).size ?? (buffer?.size ?? 0) - offset;
  const isBuffer =
    !(range instanceof Tensor) &&
    typeof buffer?.size === 'number' &&
    (buffer.usage & BufferUsage.STORAGE) !== 0;
  const fits = Number.isInteger(offset) && offset >= 0 && offset % 256 === 0;
  if (
    isBuffer &&
    fits &&
    Number.isInteger(size) &&
    size > 0 &&
    size % 4 === 0 &&
    offset + size <= buffer.size
  )
    return { buffer: adoptBuffer(buffer), offset, bytes: size };
  throw new ValueError({
    op,
    rule: `\`${name}\` must be a GPUBuffer with usage STORAGE, or a range in one: offset a multiple of 256, size of 4.`,
    received: isBuffer
      ? `offset ${offset}, size ${size}, of a buffer of ${buffer.size} bytes`
      : range instanceof Tensor || buffer?.usage === undefined
        ? describe(range)
        : `a buffer of usage ${buffer.usage}`,
    hint: 'pass the buffer, or { buffer, offset, size }; of a tensor its `buffer` and `bufferOffset`.',
  });
}
