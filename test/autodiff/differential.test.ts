/**
 * @file Random programs agree with float64, gradients with differences, compiled with eager. `npm run fuzz -- --suite differential`
 * runs more, on any engine, and compiles more of them.
 */
import { expect, test } from 'vitest';
import { checkPrograms } from '../support/differential/programs.ts';

test('three hundred programs', async () => {
  expect(await checkPrograms(0, 300, 50)).toBeNull();
});
