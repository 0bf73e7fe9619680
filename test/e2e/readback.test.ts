/** @file Readbacks in Firefox, which looks for finished work every 100 ms unless something is submitted. */
import { expect, test } from 'vitest';
import { bundle, temporaryFolder } from '../../scripts/lib/bundle.mjs';
import { useBrowser } from '../support/browser.ts';

const folder = temporaryFolder('readback');
await bundle({ entry: 'src/index.ts', folder });
const firefox = useBrowser({ browser: 'firefox', mounts: { '/lib/': folder } });

type Library = typeof import('../../src/index.ts');

/** Runs in the page: milliseconds of readbacks, one after the other, and of waits for the device. */
async function waits(): Promise<{ readbacks: number[]; works: number[] }> {
  const { init, square, tensor } = (await import('/lib/index.js' as string)) as Library;
  const device = await init();
  const y = square(tensor([1, 2, 3]));
  const timed = async (wait: () => Promise<unknown>) => {
    const times: number[] = [];
    for (let i = 0; i < 10; i++) {
      const start = performance.now();
      await wait();
      times.push(performance.now() - start);
    }
    // The first may wait for a pipeline, or begin shortly before Firefox looks.
    return times.slice(1);
  };
  return { readbacks: await timed(() => y.data()), works: await timed(() => device.submittedWorkDone()) };
}

test('a readback and a wait for the device do not last until Firefox looks by itself', async () => {
  const { readbacks, works } = await firefox.run('/', waits);
  // The shortest: on a busy machine, others may be long.
  expect(Math.min(...readbacks)).toBeLessThan(60);
  expect(Math.min(...works)).toBeLessThan(60);
});
