/** @file Serialization of layers that contain layers. */
export { deserializeLayer, serializeLayer } from './layerConfigs.ts';
export { type CustomObjects, registerClass, type RegisterOptions } from './registered.ts';
