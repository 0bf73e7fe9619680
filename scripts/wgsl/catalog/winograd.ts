/** @file The winograd kernels of the catalog. */
import type {
  GradientOptions,
  KernelsOptions,
  ResultOptions,
  TilesOptions,
} from '../../../shaders/winograd.ts';
import { type Family, entry } from './entry.ts';

export const winogradKernels: Family = {
  winogradTiles: entry<TilesOptions>(
    { block: 4, of: 'image' },
    { 'F(2, 3)': { block: 2 }, cotangent: { of: 'cotangent' } },
  ),
  winogradKernels: entry<KernelsOptions>({ block: 4 }, { 'F(2, 3)': { block: 2 } }),
  winogradOperands: entry<KernelsOptions>({ block: 4 }, { 'F(2, 3)': { block: 2 } }),
  winogradResult: entry<ResultOptions>(
    { block: 4, bias: false, activation: 'value' },
    { 'F(2, 3), bias': { block: 2, bias: true } },
  ),
  winogradGradient: entry<GradientOptions>(
    { block: 4, adds: false },
    { 'F(3, 2), accumulating': { block: 2, adds: true } },
  ),
};
