/** @file Garbage collection on demand, for tests of dropped objects. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getDevice, memory } from '../../src/index.ts';
import { runFinalizers } from './deferredFinalizers.ts';

/** Iterations of the event loop in which finalizers may still run. */
const maxTurns = 40;

let collect: (() => void) | null = null;

/** Runs a full collection, and the finalizers of what it found. */
export async function collectGarbage(): Promise<void> {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  // An object that a promise of this iteration still holds can be collected in the next.
  await new Promise((resolve) => setTimeout(resolve, 5));
  collect();
  await new Promise((resolve) => setTimeout(resolve, 5));
  runFinalizers();
}

/** The live objects on the device. */
export interface Alive {
  readonly tensors: number;
  readonly bytes: number;
}

export function alive(): Alive {
  const { tensors, bytes } = memory();
  return { tensors, bytes };
}

/** Collects until no more than `goal` is alive, or for a while. Returns what is still alive. */
export async function collectUntil(goal: Alive): Promise<Alive> {
  await getDevice().sync();
  for (let turn = 0; turn < maxTurns; turn++) {
    await collectGarbage();
    const now = alive();
    if (now.tensors <= goal.tensors && now.bytes <= goal.bytes) return now;
  }
  return alive();
}

/** Collects until nothing more is freed. Returns what is still alive. */
export async function collectAll(): Promise<Alive> {
  await getDevice().sync();
  let before = alive();
  for (let quiet = 0; quiet < 3; ) {
    await collectGarbage();
    const now = alive();
    quiet = now.tensors < before.tensors || now.bytes < before.bytes ? 0 : quiet + 1;
    before = now;
  }
  return before;
}
