/** @file The applications: networks by their names. */
export { efficientNetB0 } from './efficientNet.ts';
export { mobileNetV2, type MobileNetV2Options } from './mobileNetV2.ts';
export type { NetworkOptions } from './network.ts';
export { vgg16, vgg19, type VggOptions } from './vgg.ts';
