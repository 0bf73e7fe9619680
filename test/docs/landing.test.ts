/**
 * @file What the landing page shows the library say is what it says: `npx vitest run --project unit test/docs/landing.test.ts -u`
 * records it again.
 */
import { beforeAll, expect, test } from 'vitest';
import { init } from '../../src/index.ts';
import { badIndex } from '../../website/landing/shown/badIndex.ts';
import { lostGradient } from '../../website/landing/shown/lostGradient.ts';

beforeAll(() => init());

/** Where a call is depends on who bundles it; the page names its own file. */
const withoutPlaces = (text: string) => text.replace(/(?<= at ).*?([\w]+\.ts):\d+(?::\d+)?/g, '$1');

test('the recorded messages are those of today', async () => {
  const recorded = {
    badIndex: withoutPlaces(await badIndex()),
    lostGradient: withoutPlaces(await lostGradient()),
  };
  await expect(`${JSON.stringify(recorded, null, 2)}\n`).toMatchFileSnapshot(
    '../../website/landing/shown/recorded.json',
  );
});
