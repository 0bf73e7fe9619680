// @ts-check
/** @file Builds what all pages of the site share into site/. `npm run build:pages` runs it before the pages. */
import { buildFrame } from './website/frame.mjs';
import { writeOffline } from './website/offline.mjs';
import { pages } from './lib/pages.mjs';
import { runMain } from './setup.mjs';

await runMain(async () => {
  await buildFrame();
  // The scripts of the frame ask for it, also where only some pages are built.
  writeOffline(pages.map(({ name }) => name));
});
