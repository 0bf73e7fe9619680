/**
 * @file The methods of a model that read its whole configuration, which load on first use. They are one file: bundlers share what
 * several such files have in common with the first one, and split that for it.
 */
export { quantizeModel } from './quantizeModel.ts';
export { saveModelTo, saveWeightsTo } from './saveModel.ts';
