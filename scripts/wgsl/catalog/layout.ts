/** @file The layout kernels of the catalog. */
import type { ColourOptions } from '../../../shaders/colours.ts';
import type { CopyOptions } from '../../../shaders/copy.ts';
import type { JoinOptions } from '../../../shaders/join.ts';
import type { PadOptions } from '../../../shaders/pad.ts';
import type { PlaceSlicesOptions } from '../../../shaders/placeSlices.ts';
import type { ResizeOptions } from '../../../shaders/resize.ts';
import type { SampleImagesOptions } from '../../../shaders/sampleImages.ts';
import type { TransposeOptions } from '../../../shaders/transpose.ts';
import { type Family, entry } from './entry.ts';

export const layoutKernels: Family = {
  copy: entry<CopyOptions>(
    { rank: 2, width: 1, dense: true, perInvocation: 4 },
    {
      'one axis': { rank: 1, perInvocation: 1 },
      'vectors, not dense': { width: 4, dense: false, perInvocation: 1 },
    },
  ),
  copyWords: entry({}),
  join: entry<JoinOptions>({ parts: 2, width: 1 }, { 'vectors of six': { parts: 6, width: 4 } }),
  transpose: entry<TransposeOptions>({ rank: 1 }, { 'one matrix': { rank: 0 } }),
  pad: entry<PadOptions>(
    { mode: 'constant', rank: 2, width: 1, perInvocation: 4 },
    {
      reflect: { mode: 'reflect', perInvocation: 1 },
      symmetric: { mode: 'symmetric', perInvocation: 1 },
      edge: { mode: 'edge', perInvocation: 1 },
    },
  ),
  'place slices': entry<PlaceSlicesOptions>(
    { slices: 2, rank: 2, width: 1, adds: 'none' },
    { 'vectors, added to those before': { width: 4, adds: 0 } },
  ),
  colours: entry<ColourOptions>({ from: 'rgb' }, { 'from HSV': { from: 'hsv' } }),
  resize: entry<ResizeOptions>(
    { type: 'f32', width: 4, perInvocation: 1, method: 'bilinear', direction: 'forward' },
    {
      nearest: { method: 'nearest' },
      'all channels of a pixel': { perInvocation: 8 },
      'bilinear, adjoint': { direction: 'adjoint' },
      'nearest, adjoint': { method: 'nearest', direction: 'adjoint' },
    },
  ),
  sampleImages: entry<SampleImagesOptions>(
    {
      points: 'maps',
      interpolation: 'bilinear',
      fillMode: 'constant',
      indexed: false,
      width: 1,
      perInvocation: 3,
    },
    {
      'boxes, nearest': {
        points: 'boxes',
        interpolation: 'nearest',
        fillMode: 'nearest',
        indexed: true,
        width: 4,
        perInvocation: 1,
      },
      'positions, reflect': { points: 'positions', fillMode: 'reflect' },
      wrap: { fillMode: 'wrap' },
      mirror: { fillMode: 'mirror' },
    },
  ),
};
