/** @file Preprocessing layers. */
export { categoryEncoding, CategoryEncoding, type CategoryEncodingOptions } from './categoryEncoding.ts';
export { discretization, Discretization, type DiscretizationOptions } from './discretization.ts';
export { hashedCrossing, HashedCrossing, type HashedCrossingOptions } from './hashedCrossing.ts';
export { hashing, Hashing, type HashingOptions } from './hashing.ts';
export { integerLookup, IntegerLookup, type IntegerLookupOptions } from './integerLookup.ts';
export {
  randomRotation,
  RandomRotation,
  type RandomRotationOptions,
  randomTranslation,
  RandomTranslation,
  type RandomTranslationOptions,
  randomZoom,
  RandomZoom,
  type RandomZoomOptions,
} from './randomAffine.ts';
export {
  randomBrightness,
  RandomBrightness,
  type RandomBrightnessOptions,
  randomContrast,
  RandomContrast,
  type RandomContrastOptions,
} from './randomColour.ts';
export {
  randomColorDegeneration,
  RandomColorDegeneration,
  type RandomColorDegenerationOptions,
  randomInvert,
  RandomInvert,
  type RandomInvertOptions,
} from './randomColourLoss.ts';
export {
  randomCrop,
  RandomCrop,
  type RandomCropOptions,
  randomFlip,
  RandomFlip,
  type RandomFlipOptions,
} from './randomGeometry.ts';
export {
  centerCrop,
  CenterCrop,
  type CenterCropOptions,
  resizing,
  Resizing,
  type ResizingOptions,
} from './resizing.ts';
export { stringLookup, StringLookup, type StringLookupOptions } from './stringLookup.ts';
export {
  textVectorization,
  TextVectorization,
  type TextVectorizationOptions,
} from './textVectorization.ts';
