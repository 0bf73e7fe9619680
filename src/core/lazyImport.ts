/** @file lazyImport: imports a part of the library that is loaded along with the device. */
import { DeviceError } from './errors.ts';

/** Returns the module that `load` imports. Errors: DeviceError if it can't be loaded. */
export async function lazyImport<T>(part: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new DeviceError({
      rule: `init() loads ${part} by import().`,
      received: cause instanceof Error ? cause.message : String(cause),
      hint: "serve all files of your app's build; where import() isn't allowed (service workers), build it into one file.",
      cause,
    });
  }
}
