/** @file The library's conversions of colours, with Keras's option `dataFormat`. */
import type { CompositeOp } from '../../ops/define/composite.ts';
import * as library from '../../ops/images/colours.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { type DataFormatOption, defineImageOp } from './channels.ts';

type Conversion = CompositeOp<[images: Tensor], DataFormatOption>;

/* @__NO_SIDE_EFFECTS__ */
function defineConversion(name: string, convert: (images: Tensor) => Tensor): Conversion {
  return defineImageOp({
    name,
    inputs: ['images'],
    options: { dataFormat: false },
    compose: ([images]) => convert(images),
  });
}

/** The library's `hsvToRgb`. float32. Shapes and errors: as there. */
export const hsvToRgb: Conversion = /* @__PURE__ */ defineConversion('hsvToRgb', library.hsvToRgb);

/** The library's `rgbToGrayscale`. float32. Shapes and errors: as there. */
export const rgbToGrayscale: Conversion = /* @__PURE__ */ defineConversion(
  'rgbToGrayscale',
  library.rgbToGrayscale,
);

/** The library's `rgbToHsv`. float32. Shapes and errors: as there. */
export const rgbToHsv: Conversion = /* @__PURE__ */ defineConversion('rgbToHsv', library.rgbToHsv);
