/**
 * @file Registry of the library's devices, to recognize them without importing the class, whose implementation loads only
 * when a device is opened.
 */
const devices = new WeakSet<object>();

/** Called once by each device. */
export function registerDevice(device: object): void {
  devices.add(device);
}

/** Returns whether `value` is a device of this library, open or not. */
export function isDevice(value: unknown): boolean {
  return typeof value === 'object' && value !== null && devices.has(value);
}
