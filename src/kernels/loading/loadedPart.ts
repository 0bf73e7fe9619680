/** @file Parts of the kernels that are loaded apart from the core, for some adapters: the core calls them by what was provided. */
import { DeviceError } from '../../core/errors.ts';

export interface LoadedPart<T> {
  /** Called when the part has been loaded. */
  readonly provide: (part: T) => void;
  /** Errors: DeviceError if it hasn't been loaded. */
  readonly get: () => T;
}

/** A part with the kernels of `adapters`. */
export function loadedPart<T>(adapters: string): LoadedPart<T> {
  let provided: T | null = null;
  return {
    provide(part) {
      provided = part;
    },
    get() {
      if (provided) return provided;
      throw new DeviceError({
        rule: `kernels of ${adapters} must be loaded before they are used.`,
        received: `an algorithm or a profile of ${adapters} that init() did not load`,
        hint: 'set the profile by await init({ adapterProfile }), which loads its kernels.',
      });
    },
  };
}
