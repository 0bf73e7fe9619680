/** @file What tests of tuning share: devices of their own, and measurements that are made up. */
import type { Device } from '../../src/webgpu/device.ts';
import type { PreparedLaunch } from '../../src/webgpu/command.ts';
import { createProfile } from '../../src/kernels/selection/deviceProfile.ts';
import { gemmTiles } from '../../src/kernels/gemm/gemmTiles.ts';
import type { Timed } from '../../src/autotune/measure.ts';
import type { TuningStore } from '../../src/autotune/store.ts';
import { installTuner, type Tuner } from '../../src/autotune/tuner.ts';
import { type OwnDevice, ownDevice } from '../support/ownDevice.ts';
import { reuseGpu } from '../support/reusedGpu.ts';

/** Products that have several tiles on a software adapter without subgroups, and on a GPU. */
export const size = { shape: [96, 96] } as const;

/** What each variant is said to take. */
export type Times = Readonly<Record<string, number>>;

export interface TunedDevice extends OwnDevice {
  readonly tuner: Tuner;
  /** Names of what was timed, in order. */
  readonly timed: string[];
}

interface TunedOptions {
  store?: TuningStore | null;
  automatic?: boolean;
}

/**
 * Returns a function that makes a device of its own, on the one GPUDevice of the file. Its measurements are `times`, and 100 ms
 * for what isn't named; nothing is kept but in `store`. Call it at the top of a test file.
 */
export function tunedDevices(): (times: Times, options?: TunedOptions) => Promise<TunedDevice> {
  const open = reuseGpu();
  return async (times, { store = null, automatic = false } = {}) => {
    const own = await ownDevice({ open });
    own.device.profile = createProfile(own.device, 'software');
    const tuner = installTuner(own.device);
    const timed: string[] = [];
    const timeOf = (name: string) => {
      timed.push(name);
      return times[name] ?? 100;
    };
    Object.assign(tuner.settings, {
      store,
      automatic,
      budget: 60_000,
      stopwatch: async (_: Device, subject: Timed, repeats: number) => {
        subject.run();
        return repeats * timeOf(subject.name);
      },
    });
    return Object.assign(own, { tuner, timed });
  };
}

/** Returns the tiles of the products that `body` launches, by name. */
export function tilesOf(device: Device, body: () => void): string[] {
  const tiles: string[] = [];
  device.flush();
  device.stream.watcher = {
    isolates: 'pass',
    next: ({ options }: PreparedLaunch) => {
      const tile = JSON.stringify(options.tile);
      const named = Object.entries(gemmTiles).find(([, known]) => JSON.stringify(known) === tile);
      if (named) tiles.push(named[0]);
      return undefined;
    },
  };
  try {
    body();
    device.flush();
  } finally {
    device.stream.watcher = null;
  }
  return tiles;
}

/** Returns a store in memory, with what was written to it. */
export function memoryStore(): TuningStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    read: (name) => texts.get(name),
    write: (name, text) => {
      texts.set(name, text);
    },
  };
}
