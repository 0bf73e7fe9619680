// @ts-check
/** @file The generated part of the site into site/: guide, reference, search. `npm run build:pages` runs it with all the rest. */
import { buildWebsite } from './website/build.mjs';
import { runMain } from './setup.mjs';

await runMain(buildWebsite);
