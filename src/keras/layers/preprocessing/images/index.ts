/** @file Layers that change images. */
export { augMix, AugMix, type AugMixOptions } from './augMix.ts';
export { autoContrast, AutoContrast, type AutoContrastOptions } from './autoContrast.ts';
export { equalization, Equalization, type EqualizationOptions } from './equalization.ts';
export { centerCrop, CenterCrop, type CenterCropOptions } from './centerCrop.ts';
export { randomCrop, RandomCrop, type RandomCropOptions } from './randomCrop.ts';
export { resizing, Resizing, type ResizingOptions } from './resizing.ts';
export {
  contrastLimitedAdaptiveHistogramEqualization,
  ContrastLimitedAdaptiveHistogramEqualization,
  type ContrastLimitedAdaptiveHistogramEqualizationOptions,
} from './clahe.ts';
export { cutMix, CutMix, type CutMixOptions } from './cutMix.ts';
export { mixUp, MixUp, type MixUpOptions } from './mixUp.ts';
export { randAugment, RandAugment, type RandAugmentOptions } from './randAugment.ts';
export { randomBrightness, RandomBrightness, type RandomBrightnessOptions } from './randomBrightness.ts';
export {
  randomColorDegeneration,
  RandomColorDegeneration,
  type RandomColorDegenerationOptions,
} from './randomColorDegeneration.ts';
export { randomContrast, RandomContrast, type RandomContrastOptions } from './randomContrast.ts';
export { randomGrayscale, RandomGrayscale, type RandomGrayscaleOptions } from './randomGrayscale.ts';
export { randomHue, RandomHue, type RandomHueOptions } from './randomHue.ts';
export { randomInvert, RandomInvert, type RandomInvertOptions } from './randomInvert.ts';
export {
  randomPosterization,
  RandomPosterization,
  type RandomPosterizationOptions,
} from './randomPosterization.ts';
export { randomSaturation, RandomSaturation, type RandomSaturationOptions } from './randomSaturation.ts';
export { randomSharpness, RandomSharpness, type RandomSharpnessOptions } from './randomSharpness.ts';
export { randomColorJitter, RandomColorJitter, type RandomColorJitterOptions } from './randomColorJitter.ts';
export {
  randomElasticTransform,
  RandomElasticTransform,
  type RandomElasticTransformOptions,
} from './randomElasticTransform.ts';
export { randomErasing, RandomErasing, type RandomErasingOptions } from './randomErasing.ts';
export { randomFlip, RandomFlip, type RandomFlipOptions } from './randomFlip.ts';
export { randomRotation, RandomRotation, type RandomRotationOptions } from './randomRotation.ts';
export { randomShear, RandomShear, type RandomShearOptions } from './randomShear.ts';
export { randomTranslation, RandomTranslation, type RandomTranslationOptions } from './randomTranslation.ts';
export { randomZoom, RandomZoom, type RandomZoomOptions } from './randomZoom.ts';
export {
  randomGaussianBlur,
  RandomGaussianBlur,
  type RandomGaussianBlurOptions,
} from './randomGaussianBlur.ts';
export { randomPerspective, RandomPerspective, type RandomPerspectiveOptions } from './randomPerspective.ts';
export { solarization, Solarization, type SolarizationOptions } from './solarization.ts';
export type { ImageBatch } from './imageLayer.ts';
