/** @file Launches the search for a NaN or an infinity. */
import { nonFinite, nonFiniteWorkgroup } from '../../../shaders/nonFinite.ts';
import type { FaultReport } from '../../webgpu/faults.ts';
import { defineKernel } from '../../webgpu/kernel.ts';
import type { Tensor } from '../../tensor/tensor.ts';

const kernel = defineKernel({
  name: 'nonFinite',
  bindings: { x: 'read u32' },
  params: { count: 'u32' },
  source: nonFinite,
  faults: true,
});

export function nonFiniteKernel(x: Tensor, fault: FaultReport): void {
  const { device } = x;
  const check = device.faults.tracker.begun;
  device.launch(kernel, {
    options: {},
    bindings: { x: x.storage },
    params: { count: x.size },
    workgroups: Math.ceil(x.size / nonFiniteWorkgroup),
    fault,
  });
  // It writes nothing: its fault belongs to the values it reads.
  device.attachChecks(device.faults.checksFrom(check), x.storage);
}
