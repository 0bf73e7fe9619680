/**
 * @file Random programs agree with float64, gradients with differences, compiled with eager. `npm run fuzz -- --suite differential`
 * runs more, on any engine.
 */
import { expect, test } from 'vitest';
import { checkPrograms } from '../support/differential/programs.ts';

test('sixty programs', async () => {
  expect(await checkPrograms(0, 60)).toBeNull();
});
