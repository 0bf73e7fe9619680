/** @file The names of variants that are blocked on an adapter, stored with its measurements. */
import { version } from '../core/version.ts';
import type { Device } from '../webgpu/device.ts';
import type { TuningStore } from './store.ts';

function nameFor({ adapter: { vendor, architecture, device, description } }: Device): string {
  return ['retrograd avoided', vendor, architecture, device, description].join(' / ');
}

/** Returns the names that an earlier visit stored with this version of the library; none if the store fails. */
export async function readAvoided(device: Device, store: TuningStore | null): Promise<readonly string[]> {
  try {
    const text = await store?.read(nameFor(device));
    if (typeof text !== 'string') return [];
    const stored = JSON.parse(text) as { version?: unknown; names?: unknown } | null;
    if (stored?.version !== version || !Array.isArray(stored.names)) return [];
    return stored.names.filter((name) => typeof name === 'string');
  } catch {
    return [];
  }
}

export async function writeAvoided(
  device: Device,
  store: TuningStore | null,
  names: readonly string[],
): Promise<void> {
  try {
    await store?.write(nameFor(device), JSON.stringify({ version, names }));
  } catch {
    // The next visit verifies again.
  }
}
