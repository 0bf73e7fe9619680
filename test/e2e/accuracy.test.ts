/**
 * @file Exponentials and angles in Firefox on Mesa's software adapter, whose compiler factors out common multipliers: arguments that
 * are reduced by many multiples of ln 2 and π (`shaders/lib/math`). Bounds are those of `test/ops/accuracy.test.ts`.
 */
import { expect, test } from 'vitest';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { useBrowser } from '../support/browser.ts';
import { ulpsApart } from '../support/ulps.ts';

const folder = temporaryFolder('accuracy');
await bundle({ entry: 'src/index.ts', folder });
const firefox = useBrowser({ browser: 'firefox', mounts: { '/lib/': folder } });

type Library = typeof import('../../src/index.ts');
type Name = 'exp' | 'sin' | 'cos' | 'tan';

async function valuesOf(name: Name, x: number[]): Promise<number[]> {
  const library = (await import('/lib/index.js' as string)) as Library;
  await library.init();
  return [...(await library[name](library.tensor(x)).data())];
}

const powers = [-80.3, -72.07, 33.3, 72.0705].map(Math.fround);
const angles = [-20.42, 333.3, 8457.409, -12_000.5].map(Math.fround);

test.each<[Name, number[], number]>([
  ['exp', powers, 2],
  ['sin', angles, 3],
  ['cos', angles, 3],
  ['tan', angles, 6],
])('%s', async (name, x, ulps) => {
  const values = await firefox.run('/', valuesOf, name, x);
  for (const [i, value] of values.entries())
    expect(ulpsApart(value, Math[name](x[i] as number)), `${name}(${x[i]})`).toBeLessThanOrEqual(ulps);
});
