/**
 * @file Counts the bytes of all live buffers on each device, from outside: the same way for every library. It sees buffers
 * created after `countBuffers()`.
 */

interface Account {
  now: number;
  peak: number;
}

const accounts = new WeakMap<GPUDevice, Account>();
let counting = false;

function accountOf(device: GPUDevice): Account {
  const known = accounts.get(device);
  if (known) return known;
  const account = { now: 0, peak: 0 };
  accounts.set(device, account);
  return account;
}

/** Starts counting. Buffers that are never destroyed count until the end. */
export function countBuffers(): void {
  if (counting) return;
  counting = true;
  const owners = new WeakMap<GPUBuffer, Account>();
  const { createBuffer } = GPUDevice.prototype;
  const { destroy } = GPUBuffer.prototype;
  GPUDevice.prototype.createBuffer = function (descriptor) {
    const buffer = createBuffer.call(this, descriptor);
    const account = accountOf(this);
    owners.set(buffer, account);
    account.now += buffer.size;
    account.peak = Math.max(account.peak, account.now);
    return buffer;
  };
  GPUBuffer.prototype.destroy = function () {
    const account = owners.get(this);
    if (account) account.now -= this.size;
    owners.delete(this);
    return destroy.call(this);
  };
}

/** The peak of the bytes of live buffers on `device`. */
export const peakBytesOf = (device: GPUDevice): number => accountOf(device).peak;
