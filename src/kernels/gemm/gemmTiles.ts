/** @file All tiles of the GEMM engine by name, for what enumerates them. */
import { registersTiles } from './registersTiles.ts';
import { sharedTiles } from './sharedTiles.ts';

export const gemmTiles = { ...sharedTiles, ...registersTiles } as const;

export type GemmTileName = keyof typeof gemmTiles;
