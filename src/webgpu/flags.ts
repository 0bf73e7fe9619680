/**
 * @file The bits of WebGPU's flags, as its specification numbers them. Browsers have them as globals too; Node has not.
 */

export const BufferUsage = {
  MAP_READ: 0x1,
  COPY_SRC: 0x4,
  COPY_DST: 0x8,
  UNIFORM: 0x40,
  STORAGE: 0x80,
  QUERY_RESOLVE: 0x200,
} as const satisfies Partial<Record<keyof GPUBufferUsage, GPUBufferUsageFlags>>;

export const MapMode = { READ: 0x1 } as const;

export const ShaderStage = { COMPUTE: 0x4 } as const;
