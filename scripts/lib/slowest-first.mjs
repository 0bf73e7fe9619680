// @ts-check
/**
 * @file The order of test files. Without times of an earlier run, Vitest starts with the largest files; some small ones take
 * longest, and would run alone at the end.
 */
import { BaseSequencer } from 'vitest/node';

const slowest = ['test/autodiff/compilePrograms.test.ts', 'test/examples/keras-history.test.ts'];

export class SlowestFirst extends BaseSequencer {
  /**
   * @override
   * @param {import('vitest/node').TestSpecification[]} files
   */
  async sort(files) {
    const sorted = await super.sort(files);
    /** @param {import('vitest/node').TestSpecification} file */
    const isSlow = ({ moduleId }) => slowest.some((name) => moduleId.endsWith(name));
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
