// @ts-check
/** @file Provides in Node what libraries for browsers expect: WebGPU's globals and a navigator, both from Dawn, and `require`. */
import { createRequire } from 'node:module';
import process from 'node:process';

/**
 * Loads Dawn, which reads the environment of the process at that time, and installs the globals.
 *
 * @param {string[]} [flags] of Dawn
 */
export async function installDawnGlobals(flags = []) {
  const { create, globals } = await import('webgpu');
  // TF.js asks for Node's `util` in its own way.
  Object.assign(globalThis, globals, { require: createRequire(import.meta.url) });
  copySharedMemory();
  const navigator = { gpu: create(flags), userAgent: `Node ${process.version}, Dawn` };
  Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true, writable: true });
}

/** Dawn for Node doesn't accept views of shared memory, which ONNX Runtime uses, so they are copied. */
function copySharedMemory() {
  const { writeBuffer } = GPUQueue.prototype;
  GPUQueue.prototype.writeBuffer = function (buffer, offset, data, ...rest) {
    const shared = ArrayBuffer.isView(data) && data.buffer instanceof SharedArrayBuffer;
    const own = shared ? /** @type {Uint8Array} */ (data).slice() : data;
    return writeBuffer.call(this, buffer, offset, /** @type {any} */ (own), ...rest);
  };
}
