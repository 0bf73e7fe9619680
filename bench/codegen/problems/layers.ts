/** @file The convolutional and dense layers of four networks, each listed once. */

/** A convolution: an image of `size`², `from` channels to `to`. */
export interface ConvolutionLayer {
  readonly network: string;
  readonly size: number;
  readonly from: number;
  readonly to: number;
  readonly window: number;
  readonly stride: 1 | 2;
  readonly depthwise: boolean;
}

/** Sizes, channels from and to, window and stride. */
type Line = readonly [size: number, from: number, to: number, window?: number, stride?: 1 | 2];

const layersOf = (network: string, lines: readonly Line[]): ConvolutionLayer[] =>
  lines.map(([size, from, to, window = 3, stride = 1]) => ({
    network,
    size,
    from,
    to,
    window,
    stride,
    depthwise: false,
  }));

const depthwiseOf = (
  network: string,
  lines: readonly (readonly [size: number, channels: number, window: number, stride: 1 | 2])[],
): ConvolutionLayer[] =>
  lines.map(([size, channels, window, stride]) => ({
    network,
    size,
    from: channels,
    to: channels,
    window,
    stride,
    depthwise: true,
  }));

export const convolutionLayers: readonly ConvolutionLayer[] = [
  ...layersOf('VGG19', [
    [224, 3, 64],
    [224, 64, 64],
    [112, 64, 128],
    [112, 128, 128],
    [56, 128, 256],
    [56, 256, 256],
    [28, 256, 512],
    [28, 512, 512],
    [14, 512, 512],
  ]),
  ...layersOf('ResNet-50', [
    [224, 3, 64, 7, 2],
    [56, 64, 64, 1],
    [56, 64, 64],
    [56, 64, 256, 1],
    [56, 256, 64, 1],
    [56, 256, 128, 1],
    [56, 128, 128, 3, 2],
    [56, 256, 512, 1, 2],
    [28, 512, 128, 1],
    [28, 128, 128],
    [28, 128, 512, 1],
    [28, 256, 256, 3, 2],
    [14, 1024, 256, 1],
    [14, 256, 256],
    [14, 256, 1024, 1],
    [14, 512, 512, 3, 2],
    [7, 2048, 512, 1],
    [7, 512, 512],
    [7, 512, 2048, 1],
  ]),
  ...layersOf('MobileNetV2', [
    [224, 3, 32, 3, 2],
    [112, 32, 16, 1],
    [112, 16, 96, 1],
    [56, 96, 24, 1],
    [56, 24, 144, 1],
    [28, 144, 32, 1],
    [28, 32, 192, 1],
    [14, 192, 64, 1],
    [14, 64, 384, 1],
    [14, 384, 96, 1],
    [14, 576, 96, 1],
    [7, 576, 160, 1],
    [7, 160, 960, 1],
    [7, 960, 320, 1],
    [7, 320, 1280, 1],
  ]),
  ...layersOf('EfficientNetB0', [
    [112, 32, 16, 1],
    [56, 96, 24, 1],
    [28, 144, 40, 1],
    [28, 40, 240, 1],
    [14, 240, 80, 1],
    [14, 80, 480, 1],
    [14, 480, 112, 1],
    [14, 112, 672, 1],
    [7, 672, 192, 1],
    [7, 192, 1152, 1],
  ]),
  ...depthwiseOf('MobileNetV2', [
    [112, 32, 3, 1],
    [112, 96, 3, 2],
    [56, 144, 3, 1],
    [28, 192, 3, 1],
    [14, 384, 3, 1],
    [7, 960, 3, 1],
  ]),
  ...depthwiseOf('EfficientNetB0', [
    [56, 144, 5, 2],
    [28, 240, 5, 1],
    [14, 672, 5, 1],
    [7, 1152, 5, 1],
  ]),
];

/** Matrix multiplications of dense layers: features from and to. */
export const denseLayers: readonly (readonly [network: string, from: number, to: number])[] = [
  ['VGG19', 25088, 4096],
  ['VGG19', 4096, 4096],
  ['VGG19', 4096, 1000],
  ['ResNet-50', 2048, 1000],
  ['MobileNetV2', 1280, 1000],
];
