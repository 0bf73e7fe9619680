/** @file The epilogue of kernels that sum: a bias, then an activation. */
import { mathFunctions } from './math.ts';

export type EpilogueOptions = {
  bias: boolean;
  /** WGSL expression of `value`; may use `params.alpha`. */
  activation: string;
};

/** The function `activate`, and those that it calls. */
export const activationFunction = (activation: string, type = 'f32') => `${mathFunctions(activation)}
fn activate(value: ${type}) -> ${type} {
  return ${activation};
}
`;
