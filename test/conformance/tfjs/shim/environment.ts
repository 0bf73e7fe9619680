/** @file tf.env(): TF.js's helpers query the platform, and its tests set flags. */
import type { Loose } from './call.ts';
import { notOffered } from './notOffered.ts';

/** TF.js's own flags; tests only set those for debugging. */
const flags = new Map<string, Loose>();
const theEnvironment = {
  get: (name: string) => flags.get(name),
  getBool: (name: string) => Boolean(flags.get(name)),
  set: (name: string, value: Loose) => {
    if (name === 'DEBUG' && value) notOffered("TF.js's debug mode");
    flags.set(name, value);
  },
  reset: () => flags.clear(),
  platform: {
    isTypedArray: (value: Loose) => ArrayBuffer.isView(value) && !(value instanceof DataView),
    encode: (text: string) => new TextEncoder().encode(text),
    decode: (bytes: Uint8Array) => new TextDecoder().decode(bytes),
  },
  platformName: 'retrograd',
};
export const env = () => theEnvironment;
