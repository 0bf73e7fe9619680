/** @file The convolution kernels of the catalog. */
import type { ConvolutionKernelOptions } from '../../../shaders/convolution.ts';
import type { ConvolutionBlockOptions } from '../../../shaders/convolution/blocks.ts';
import type { BlockFilterGradShape } from '../../../shaders/convolution/blockFilterGrad.ts';
import type { PatchOptions } from '../../../shaders/convolution/patches.ts';
import type { PatchFilterGradShape } from '../../../shaders/convolution/patchFilterGrad.ts';
import type { DirectOptions } from '../../../shaders/convolution/direct.ts';
import type { Col2imOptions } from '../../../shaders/col2im.ts';
import { gemmTiles } from '../../../src/kernels/gemm/gemmTiles.ts';
import { type Family, entry } from './entry.ts';
import { gemmDefaults } from './gemmOptions.ts';

const convolutionDefaults: ConvolutionKernelOptions = { ...gemmDefaults, strides: 1, joined: false };

export const convolutionKernels: Family = {
  conv2d: entry<ConvolutionKernelOptions>(convolutionDefaults, {
    'joined rows of taps': { joined: true },
    'taps that do not fill k tiles': { remainderFirst: false },
    'flat, bias': { flat: true, bias: true, a: { width: 1 } },
    registers: { tile: gemmTiles.small, a: { width: 1 }, b: { width: 1 }, outWidth: 1 },
  }),
  conv2dInputGrad: entry<ConvolutionKernelOptions>(
    { ...convolutionDefaults, b: { ...convolutionDefaults.b, major: 'k' } },
    {
      strided: { strides: 'any' },
      'strides of two': { strides: 2 },
      'registers, strided': { tile: gemmTiles.block, strides: 'any' },
    },
  ),
  conv2dFilterGrad: entry<ConvolutionKernelOptions>(
    { ...convolutionDefaults, a: { ...convolutionDefaults.a, major: 'mn' } },
    { 'flat, split': { flat: true, split: true }, registers: { tile: gemmTiles.block } },
  ),
  col2im: entry<Col2imOptions>(
    {
      channels: 8,
      direction: 'inputGrad',
      strided: false,
      pixels: 1,
      multiplies: false,
      bias: false,
      activation: 'value',
    },
    {
      'one channel': { channels: 1, direction: 'forward', pixels: 4, multiplies: true },
      'forward, bias': { direction: 'forward', bias: true },
      strided: { strided: true },
    },
  ),
  patchConvolution: entry<PatchOptions>(
    {
      channels: 1,
      rows: { window: 3, stride: 1 },
      columns: { window: 3, stride: 1 },
      filterLanes: 8,
      vectors: 2,
      bias: false,
      activation: 'value',
    },
    { 'few filters, bias': { filterLanes: 4, vectors: 1, bias: true } },
  ),
  patchFilterGrad: entry<PatchFilterGradShape>(
    {
      direction: 'filterGrad',
      channels: 1,
      rows: { window: 2, stride: 1 },
      columns: { window: 3, stride: 1 },
      width: 4,
      filterLanes: 8,
      rowLanes: 2,
      pixelLanes: 4,
      height: 4,
      edges: false,
    },
    {
      'edges, a row of the kernel, vectors of two': { width: 2, rowLanes: 1, edges: true },
    },
  ),
  convolutionBlocks: entry<ConvolutionBlockOptions>(
    {
      direction: 'forward',
      width: 2,
      columns: { window: 2, stride: 1, results: 3, phase: 0 },
      bias: false,
      activation: 'value',
    },
    {
      'one channel, bias': { width: 1, bias: true },
      'input gradient, strided': {
        direction: 'inputGrad',
        columns: { window: 3, stride: 2, results: 4, phase: 1 },
      },
    },
  ),
  convolutionBlocksFilterGrad: entry<BlockFilterGradShape>(
    { direction: 'filterGrad', width: 1, window: 2, stride: 1 },
    { 'vectors, strided': { width: 3, stride: 2 } },
  ),
  directConvolution: entry<DirectOptions>(
    {
      direction: 'inputGrad',
      channels: 1,
      rows: { window: 3, stride: 1, results: 2, phase: 0 },
      columns: { window: 2, stride: 1, results: 1, phase: 0 },
      vectors: 2,
      bias: false,
      activation: 'value',
    },
    {
      'forward, bias': { direction: 'forward', bias: true },
      strided: {
        rows: { window: 3, stride: 2, results: 2, phase: 0 },
        columns: { window: 3, stride: 2, results: 2, phase: 0 },
      },
    },
  ),
};
