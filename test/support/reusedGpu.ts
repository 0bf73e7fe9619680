/**
 * @file A GPUDevice that the tests of a file use one after another, each by a library device of its own. Dawn keeps what such a
 * device has compiled as long as it is used: the first library devices use it until the file ends, and the next ones compile only
 * what is new.
 */
import { afterAll } from 'vitest';
import { type OpenGpu, useDevice } from './gpu.ts';

type Properties = PropertyDescriptorMap & Record<string, PropertyDescriptor>;

/** Returns a function that opens it, and again once it is lost. Call it at the top of a test file. */
export function reuseGpu(): () => Promise<OpenGpu> {
  let opened: OpenGpu | undefined;
  let properties: Properties = {};
  afterAll(() => opened?.[Symbol.asyncDispose]());
  const open = async () => {
    const fresh = await useDevice();
    opened = fresh;
    properties = Object.getOwnPropertyDescriptors(fresh.device) as Properties;
    void fresh.device.lost.then(() => {
      if (opened === fresh) opened = undefined;
    });
    return fresh;
  };
  return async () => {
    const { device } = opened ?? (await open());
    const before = properties;
    return {
      device,
      // What a test replaced on it is as before; an answer of the queue comes after news of its loss.
      async [Symbol.asyncDispose]() {
        restore(device, before);
        await device.queue.onSubmittedWorkDone().catch(() => {});
      },
    };
  };
}

function restore(device: GPUDevice, before: Properties): void {
  for (const name of Object.getOwnPropertyNames(device))
    if (!(name in before)) Reflect.deleteProperty(device, name);
  Object.defineProperties(device, before);
}
