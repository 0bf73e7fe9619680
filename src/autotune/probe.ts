/** @file Probes: which launches a function would make, found without compiling or running any. */
import { faultLibrary } from '../../shaders/lib/fault.ts';
import { chargedToGradient } from '../webgpu/charge.ts';
import type { Device } from '../webgpu/device.ts';
import { QuietRun } from '../webgpu/dryRun.ts';
import { moduleSource } from '../webgpu/kernel.ts';
import { withRecording } from '../webgpu/activeRecording.ts';
import type { RecordedCommand } from '../webgpu/recording.ts';
import { tidy } from '../tensor/scope.ts';

/** Operations of a probe are attributed to nobody, so that they aren't missing from the call around it. */
const nobody = { op: 'tune', layer: '' };

/** What `body` would do on the device. Tensors that it makes are freed. */
export function commandsOf(device: Device, body: () => unknown): readonly RecordedCommand[] {
  const dry = new QuietRun(device);
  const run = () =>
    tidy(() => {
      body();
    });
  try {
    withRecording(dry.root, () => chargedToGradient(nobody, null, run));
    return dry.root.commands;
  } finally {
    dry.end();
  }
}

/** A number that changes with the WGSL of what `commands` launch. */
export function hashOfSources(commands: readonly RecordedCommand[]): string {
  let hash = 0x811c9dc5;
  for (const command of commands) {
    if (command.kind !== 'launch') continue;
    const source = moduleSource(command.kernel, command.options, faultLibrary);
    // FNV-1a: Fowler, Noll and Vo, 1991.
    for (let i = 0; i < source.length; i++) hash = Math.imul(hash ^ source.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0).toString(16);
}
