// @ts-check
/**
 * @file Asks Dawn, in a separate process, which adapter it finds, and prints it as one line of JSON. A crash of the driver
 * affects only this process.
 */
import { create } from 'webgpu';

const adapter = await create([]).requestAdapter();
const info = adapter?.info;
const software = /swiftshader|llvmpipe|lavapipe|warp|software/i.test(
  `${info?.vendor} ${info?.architecture} ${info?.device} ${info?.description}`,
);
const result = {
  found: Boolean(adapter),
  hardware: Boolean(adapter) && !info?.isFallbackAdapter && !software,
  vendor: info?.vendor,
  architecture: info?.architecture,
  description: info?.description,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
