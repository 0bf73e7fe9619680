/**
 * @file The bits of WebGPU's flags, as defined by its specification. They are globals in browsers, but not in Node.
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
