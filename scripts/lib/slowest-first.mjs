// @ts-check
/**
 * @file The order of test files. Without times of an earlier run, Vitest starts with the largest files; some small ones take
 * longest, and would run alone at the end.
 */
import { BaseSequencer } from 'vitest/node';

/** They collect garbage many times, which takes as long as what earlier files of the process left is large. */
const collecting = [
  'test/autodiff/dropped.test.ts',
  'test/keras/training/dropped.test.ts',
  'test/autodiff/frozenValues.test.ts',
  'test/autodiff/gradients.test.ts',
  'test/tensor/scope.test.ts',
];
const slowest = ['test/autodiff/compilePrograms.test.ts', 'test/examples/keras-history.test.ts'];
const first = [...collecting, ...slowest];

export class SlowestFirst extends BaseSequencer {
  /**
   * @override
   * @param {import('vitest/node').TestSpecification[]} files
   */
  async sort(files) {
    const sorted = await super.sort(files);
    /** @param {import('vitest/node').TestSpecification} file */
    const placeOf = ({ moduleId }) => {
      const place = first.findIndex((name) => moduleId.endsWith(name));
      return place < 0 ? first.length : place;
    };
    return sorted.sort((a, b) => placeOf(a) - placeOf(b));
  }
}
