/** @file Kernels that read indices, each in two forms: one reports those that are out of range, the other doesn't. */
import type { Device } from '../../webgpu/device.ts';
import {
  type Bindings,
  defineKernel,
  type Kernel,
  type KernelDefinition,
  type KernelOptions,
} from '../../webgpu/kernel.ts';
import type { Launch } from '../../webgpu/launch.ts';
import type { ParamFields } from '../../webgpu/params.ts';
import type { IndexChecking } from '../indexing/indexing.ts';

export type CheckedKernel<O extends KernelOptions, B extends Bindings, P extends ParamFields> = readonly [
  silent: Kernel<O, B, P>,
  reporting: Kernel<O, B, P>,
];

/* @__NO_SIDE_EFFECTS__ */
export function defineChecked<
  const O extends KernelOptions,
  const B extends Bindings,
  const P extends ParamFields,
>(definition: KernelDefinition<O, B, P>): CheckedKernel<O, B, P> {
  const name = `${definition.name} checked`;
  return [defineKernel(definition), defineKernel({ ...definition, name, faults: true })];
}

export function launchChecked<O extends KernelOptions, B extends Bindings, P extends ParamFields>(
  device: Device,
  [silent, reporting]: CheckedKernel<O, B, P>,
  launch: Launch<O, B, P>,
  checking: IndexChecking,
): void {
  if (checking.check === 'none') device.launch(silent, launch);
  else device.launch(reporting, { fault: checking.fault, ...launch });
}
