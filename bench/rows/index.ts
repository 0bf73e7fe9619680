/** @file The table of contents of the rows. */
import type { Family } from '../row.ts';
import { matMulFamily } from './matMul.ts';

export const families: readonly Family[] = [matMulFamily];
