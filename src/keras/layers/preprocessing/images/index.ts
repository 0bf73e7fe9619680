/** @file Layers that change images. */
export { augMix, AugMix, type AugMixOptions } from './augMix.ts';
export {
  autoContrast,
  AutoContrast,
  type AutoContrastOptions,
  equalization,
  Equalization,
  type EqualizationOptions,
} from './equalization.ts';
export {
  centerCrop,
  CenterCrop,
  type CenterCropOptions,
  randomCrop,
  RandomCrop,
  type RandomCropOptions,
  resizing,
  Resizing,
  type ResizingOptions,
} from './crops.ts';
export {
  contrastLimitedAdaptiveHistogramEqualization,
  ContrastLimitedAdaptiveHistogramEqualization,
  type ContrastLimitedAdaptiveHistogramEqualizationOptions,
} from './clahe.ts';
export { cutMix, CutMix, type CutMixOptions, mixUp, MixUp, type MixUpOptions } from './mixing.ts';
export { randAugment, RandAugment, type RandAugmentOptions } from './randAugment.ts';
export {
  randomBrightness,
  RandomBrightness,
  type RandomBrightnessOptions,
  randomColorDegeneration,
  RandomColorDegeneration,
  type RandomColorDegenerationOptions,
  randomContrast,
  RandomContrast,
  type RandomContrastOptions,
  randomGrayscale,
  RandomGrayscale,
  type RandomGrayscaleOptions,
  randomHue,
  RandomHue,
  type RandomHueOptions,
  randomInvert,
  RandomInvert,
  type RandomInvertOptions,
  randomPosterization,
  RandomPosterization,
  type RandomPosterizationOptions,
  randomSaturation,
  RandomSaturation,
  type RandomSaturationOptions,
  randomSharpness,
  RandomSharpness,
  type RandomSharpnessOptions,
} from './randomColours.ts';
export { randomColorJitter, RandomColorJitter, type RandomColorJitterOptions } from './randomColorJitter.ts';
export {
  randomElasticTransform,
  RandomElasticTransform,
  type RandomElasticTransformOptions,
} from './randomElasticTransform.ts';
export { randomErasing, RandomErasing, type RandomErasingOptions } from './randomErasing.ts';
export {
  randomFlip,
  RandomFlip,
  type RandomFlipOptions,
  randomRotation,
  RandomRotation,
  type RandomRotationOptions,
  randomShear,
  RandomShear,
  type RandomShearOptions,
  randomTranslation,
  RandomTranslation,
  type RandomTranslationOptions,
  randomZoom,
  RandomZoom,
  type RandomZoomOptions,
} from './randomAffine.ts';
export {
  randomGaussianBlur,
  RandomGaussianBlur,
  type RandomGaussianBlurOptions,
} from './randomGaussianBlur.ts';
export { randomPerspective, RandomPerspective, type RandomPerspectiveOptions } from './randomPerspective.ts';
export { solarization, Solarization, type SolarizationOptions } from './solarization.ts';
export type { ImageBatch } from './imageLayer.ts';
