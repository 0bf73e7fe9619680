/** @file Checks that the tensors of a file fit the weights of a model: none missing, none left over, all with the right shape. */
import { FormatError } from '../../core/errors.ts';
import { sameShape } from '../../core/shape.ts';
import { formatSpec, type TensorSpec } from '../../core/spec.ts';

export interface FitOptions {
  /** The operation and the file's name, for errors. */
  readonly op: string;
  /** The model's name. */
  readonly model: string;
  /** Whether weights that the model doesn't have are an error. Default 'reject'. */
  readonly extra?: 'reject' | 'ignore' | undefined;
}

/**
 * Errors: FormatError unless `given` has a tensor of the right spec for each of `weights`, and none are left over. Both are
 * maps by path.
 */
export function requireFit(
  { op, model, extra: handling = 'reject' }: FitOptions,
  weights: ReadonlyMap<string, TensorSpec>,
  given: ReadonlyMap<string, TensorSpec>,
  extra: readonly string[],
): void {
  const invalid = (rule: string, received: string, hint: string) =>
    new FormatError({ op, rule, received, hint });
  const missing = [...weights.keys()].filter((path) => !given.has(path));
  if (missing.length > 0) {
    throw invalid(
      `the file must have a value for each of the ${weights.size} weights of '${model}'.`,
      `none for ${listed(missing)}${extra.length > 0 ? `; but ${listed(extra)}` : ''}`,
      'load a file that was saved from this model; weights are named after their layers.',
    );
  }
  if (extra.length > 0 && handling === 'reject') {
    throw invalid(
      `the file must have no other weights than those of '${model}'.`,
      listed(extra),
      "load it into the model that it was saved from, or pass { extra: 'ignore' } to leave them out.",
    );
  }
  for (const [path, weight] of weights) {
    const value = given.get(path) as TensorSpec;
    if (sameShape(value.shape, weight.shape) && value.dtype === weight.dtype) continue;
    throw invalid(
      `weight '${path}' of '${model}' is ${formatSpec(weight)}.`,
      formatSpec(value),
      'create the layer with the options that it had when the file was saved.',
    );
  }
}

function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).map((path) => `'${path}'`);
  return paths.length > 5 ? `${shown.join(', ')} and ${paths.length - 5} more` : shown.join(', ');
}
