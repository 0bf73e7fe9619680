/** @file What layers need to write down the layers within them, and to make them again. */
export { deserializeLayer, serializeLayer } from './layerConfigs.ts';
export { type CustomObjects, registerClass, type RegisterOptions } from './registered.ts';
