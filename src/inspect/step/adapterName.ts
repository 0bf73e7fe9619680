/** @file The name of an adapter in reports. */
import type { AdapterDescription } from '../../webgpu/adapter.ts';

export function adapterName({ vendor, architecture, device, description }: AdapterDescription): string {
  return description || [vendor, architecture, device].filter(Boolean).join(' ') || 'an unnamed adapter';
}
