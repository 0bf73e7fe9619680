/** @file The module that scripts/kernel-times.mjs loads in the process whose Dawn has the GPU. */
export { measureKernels, openMachine, problemsFor } from './measure.ts';
export { kernelLine, toKernelMarkdown } from './report.ts';
