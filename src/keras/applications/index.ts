/** @file The applications: networks by their names. */
export { vgg16, vgg19, type VggOptions } from './vgg.ts';
