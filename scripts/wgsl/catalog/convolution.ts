/** @file The convolution kernels of the catalog. */
import type { ConvolutionKernelOptions } from '../../../shaders/convolution.ts';
import type { Col2imOptions } from '../../../shaders/col2im.ts';
import { gemmTiles } from '../../../src/kernels/gemmTiles.ts';
import { type Family, entry } from './entry.ts';
import { gemmDefaults } from './gemmOptions.ts';

const convolutionDefaults: ConvolutionKernelOptions = { ...gemmDefaults, strided: false, joined: false };

export const convolutionKernels: Family = {
  conv2d: entry<ConvolutionKernelOptions>(convolutionDefaults, {
    'joined rows of taps': { joined: true },
    'taps that do not fill k tiles': { remainderFirst: false },
    'flat, bias': { flat: true, bias: true, a: { width: 1 } },
    registers: { tile: gemmTiles.small, a: { width: 1 }, b: { width: 1 }, outWidth: 1 },
  }),
  conv2dInputGrad: entry<ConvolutionKernelOptions>(
    { ...convolutionDefaults, b: { ...convolutionDefaults.b, major: 'k' } },
    { strided: { strided: true }, 'registers, strided': { tile: gemmTiles.block, strided: true } },
  ),
  conv2dFilterGrad: entry<ConvolutionKernelOptions>(
    { ...convolutionDefaults, a: { ...convolutionDefaults.a, major: 'mn' } },
    { 'flat, split': { flat: true, split: true }, registers: { tile: gemmTiles.block } },
  ),
  col2im: entry<Col2imOptions>(
    { channels: 8, direction: 'inputGrad', strided: false, bias: false, activation: 'value' },
    { 'forward, bias': { direction: 'forward', bias: true }, strided: { strided: true } },
  ),
};
