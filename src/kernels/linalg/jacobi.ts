/** @file Launches one-sided Jacobi. */
import { jacobi } from '../../../shaders/jacobi.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { defineKernel } from '../../webgpu/kernel.ts';
import { output } from '../launch/output.ts';

const orthogonalize = defineKernel({
  name: 'jacobi',
  bindings: { x: 'read f32', w: 'read_write f32', rotations: 'read_write f32' },
  params: { count: 'u32', rows: 'u32', columns: 'u32' },
  source: jacobi,
});

/**
 * Returns [w, rotations] with w = rotations · x, the rows of w orthogonal: x and w [..., rows, columns], rotations [..., rows,
 * rows].
 */
export function jacobiKernel(op: string, x: Tensor): [w: Tensor, rotations: Tensor] {
  const [rows, columns] = x.shape.slice(-2) as [number, number];
  const w = output(x.device, x, op);
  const square = { shape: [...x.shape.slice(0, -1), rows], dtype: 'float32' } as const;
  const rotations = output(x.device, square, op);
  if (w.size === 0) return [w, rotations];
  const count = w.size / (rows * columns);
  x.device.launch(orthogonalize, {
    options: {},
    bindings: { x: x.storage, w: w.storage, rotations: rotations.storage },
    params: { count, rows, columns },
    workgroups: count,
  });
  return [w, rotations];
}
