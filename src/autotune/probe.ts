/** @file Probes: the launches that a function would make, found without compiling or running any. */
import { faultLibrary } from '../../shaders/lib/fault.ts';
import { withDevice } from '../webgpu/current.ts';
import type { Device } from '../webgpu/device.ts';
import { LaunchSurvey } from '../execution/dryRun.ts';
import { moduleSource } from '../webgpu/kernel.ts';
import type { Command } from '../webgpu/command.ts';
import { tidy } from '../tensor/scope.ts';

/** Returns what `body` would do on the device. Tensors that it makes are freed. */
export function commandsOf(device: Device, body: () => unknown): readonly Command[] {
  const dry = new LaunchSurvey();
  const run = () =>
    tidy(() => {
      body();
    });
  try {
    withDevice(device, () => dry.run(run));
    return dry.commands;
  } finally {
    dry.end();
  }
}

/** Returns a hash of the WGSL of the kernels that `commands` launch. */
export function hashOfSources(commands: readonly Command[]): string {
  let hash = 0x811c9dc5;
  for (const command of commands) {
    if (command.kind !== 'launch') continue;
    const source = moduleSource(command.kernel, command.options, faultLibrary);
    // FNV-1a: Fowler, Noll and Vo, 1991.
    for (let i = 0; i < source.length; i++) hash = Math.imul(hash ^ source.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0).toString(16);
}
