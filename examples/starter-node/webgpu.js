/** WebGPU for Node, by Dawn. */
import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
Object.defineProperty(globalThis, 'navigator', { value: { gpu: create([]) }, configurable: true });
