/** @file The template tag of all shaders: WGSL with #if, #elif, #else and #endif, decided by JavaScript values. */
export { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
