/** @file The applications: networks by their names. */
export {
  convNeXtBase,
  convNeXtLarge,
  type ConvNeXtOptions,
  convNeXtSmall,
  convNeXtTiny,
  convNeXtXLarge,
} from './convNeXt.ts';
export {
  type ClassNames,
  type DecodedPrediction,
  decodePredictions,
  type DecodePredictionsOptions,
} from './decodePredictions.ts';
export { denseNet121, denseNet169, denseNet201 } from './denseNet.ts';
export {
  efficientNetB0,
  efficientNetB1,
  efficientNetB2,
  efficientNetB3,
  efficientNetB4,
  efficientNetB5,
  efficientNetB6,
  efficientNetB7,
} from './efficientNet.ts';
export {
  efficientNetV2B0,
  efficientNetV2B1,
  efficientNetV2B2,
  efficientNetV2B3,
  efficientNetV2L,
  efficientNetV2M,
  type EfficientNetV2Options,
  efficientNetV2S,
} from './efficientNetV2.ts';
export { inceptionResNetV2 } from './inceptionResNetV2.ts';
export { inceptionV3 } from './inceptionV3.ts';
export { mobileNet, type MobileNetOptions } from './mobileNet.ts';
export { mobileNetV2, type MobileNetV2Options } from './mobileNetV2.ts';
export { mobileNetV3Large, type MobileNetV3Options, mobileNetV3Small } from './mobileNetV3.ts';
export { nasNetLarge, nasNetMobile } from './nasNet.ts';
export type { Network, NetworkMaker, NetworkOptions, WeightsSource } from './network.ts';
export {
  resNet101,
  resNet101V2,
  resNet152,
  resNet152V2,
  resNet18,
  resNet34,
  resNet50,
  resNet50V2,
  type ResNetOptions,
} from './resNet.ts';
export { vgg16, vgg19, type VggOptions } from './vgg.ts';
export { xception } from './xception.ts';
