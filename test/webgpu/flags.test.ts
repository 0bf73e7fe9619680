import { globals } from 'webgpu';
import { expect, test } from 'vitest';
import { BufferUsage, MapMode, ShaderStage } from '../../src/webgpu/flags.ts';

test("flags are WebGPU's", () => {
  const given = globals as unknown as Record<string, Record<string, number>>;
  for (const [name, own] of Object.entries({
    GPUBufferUsage: BufferUsage,
    GPUMapMode: MapMode,
    GPUShaderStage: ShaderStage,
  })) {
    for (const [flag, bits] of Object.entries(own)) expect(given[name]?.[flag], `${name}.${flag}`).toBe(bits);
  }
});
