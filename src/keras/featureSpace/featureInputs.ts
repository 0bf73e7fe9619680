/** @file Inputs of a feature space: the columns that its layers take, or what layers on the host return. */
import { ValueError } from '../../core/errors.ts';
import { isPlainObject } from '../../core/options.ts';
import { describe } from '../../core/shape.ts';
import { suggestionFor } from '../../core/suggest.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { type Feature, isOnHost } from './features.ts';
import { columnOf, type FeatureData, type FeatureValue, tensorOf, valuesOf } from './featureValues.ts';

/** Each feature of `data` as a column, strings and hashes as integers. Errors: ValueError for other features. */
export function inputsOf(
  op: string,
  features: Readonly<Record<string, Feature>>,
  data: FeatureData,
): Record<string, Tensor> {
  if (!isPlainObject(data)) {
    throw new ValueError({
      op,
      rule: 'it takes a record of features.',
      received: describe(data),
      hint: "pass { age: [63], sex: ['m'] }.",
    });
  }
  const names = Object.keys(features);
  const unknown = Object.keys(data).find((name) => !Object.hasOwn(features, name));
  if (unknown !== undefined)
    throw otherFeature(op, 'has no feature', unknown, suggestionFor(unknown, names, 'leave it out.'));
  const missing = names.find((name) => !Object.hasOwn(data, name));
  if (missing !== undefined)
    throw otherFeature(op, 'takes all features, also', missing, 'pass a value for it.');
  const entries = Object.entries(features).map(([name, feature]) => {
    const given = data[name] as FeatureValue;
    return [name, inputOf(op, name, feature, given)] as const;
  });
  return Object.fromEntries(entries);
}

function inputOf(op: string, name: string, feature: Feature, given: FeatureValue): Tensor {
  const { preprocessor } = feature;
  if (!isOnHost(preprocessor)) return tensorOf(op, name, feature, given);
  if (given instanceof Tensor) {
    throw new ValueError({
      op,
      rule: `feature '${name}' is prepared on the host, by a ${preprocessor.className}.`,
      received: describe(given),
      hint: 'pass arrays: read a tensor back before, await x.data().',
    });
  }
  return preprocessor.apply(columnOf(valuesOf(op, name, given)) as never) as Tensor;
}

function otherFeature(op: string, rule: string, name: string, hint: string): ValueError {
  return new ValueError({
    op,
    rule: `it ${rule} '${name}'.`,
    received: `a record ${rule.startsWith('has') ? 'with' : 'without'} it`,
    hint,
  });
}
