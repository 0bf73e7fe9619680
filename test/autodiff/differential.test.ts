/**
 * @file Random programs agree with float64, gradients with differences, compiled with eager. `npm run fuzz -- --suite differential`
 * runs more, on any engine, and compiles more of them.
 */
import { expect, test } from 'vitest';
import { checkPrograms } from '../support/differential/programs.ts';

test('a hundred and fifty programs', async () => {
  expect(await checkPrograms(0, 150, 50)).toBeNull();
});
