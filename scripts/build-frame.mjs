// @ts-check
/** @file Builds what all pages of the site share into site/. `npm run build:pages` runs it before the pages. */
import { buildFrame } from './website/frame.mjs';
import { runMain } from './setup.mjs';

await runMain(buildFrame);
