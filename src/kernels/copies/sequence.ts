/** @file Launches sequences and identity matrices. */
import { sequence, type SequenceOptions, sequenceWorkgroup } from '../../../shaders/sequence.ts';
import { wgslType } from '../../core/dtype.ts';
import type { TensorSpec } from '../../core/spec.ts';
import type { Device } from '../../webgpu/device.ts';
import { type Bindings, defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { bitsOf } from '../../core/bits.ts';
import { output } from '../launch/output.ts';

const kernel = defineKernel({
  name: 'sequence',
  bindings: ({ type }: SequenceOptions): Bindings => ({ out: `write ${type}` }),
  params: { count: 'u32', start: 'u32', step: 'u32', last: 'u32', rows: 'u32', columns: 'u32', one: 'u32' },
  source: sequence,
});

const nothing = { start: 0, step: 0, last: 0, rows: 1, columns: 1, one: 0 };

function launch(
  device: Device,
  spec: TensorSpec,
  kind: SequenceOptions['kind'],
  params: Partial<typeof nothing>,
  op: string,
): Tensor {
  const out = output(device, spec, op);
  if (out.size === 0) return out;
  device.launch(kernel, {
    options: { kind, type: wgslType(spec.dtype) },
    bindings: { out: out.storage },
    params: { ...nothing, ...params, count: out.size },
    workgroups: Math.ceil(out.size / sequenceWorkgroup),
  });
  return out;
}

/** start, start + step, …, last: as many elements as `spec` holds. */
export function stepsKernel(
  device: Device,
  spec: TensorSpec,
  { start, step, last }: { start: number; step: number; last: number },
  op: string,
): Tensor {
  const bits = (value: number) => bitsOf(value, spec.dtype);
  return launch(device, spec, 'steps', { start: bits(start), step: bits(step), last: bits(last) }, op);
}

/** Ones on the diagonals of the last two axes, zeros elsewhere. */
export function eyeKernel(device: Device, spec: TensorSpec, op: string): Tensor {
  const [rows, columns] = spec.shape.slice(-2) as [number, number];
  return launch(device, spec, 'eye', { rows, columns, one: bitsOf(1, spec.dtype) }, op);
}
