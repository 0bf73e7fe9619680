// @ts-check
/**
 * @file Builds the generated part of the site into site/: guide, reference, search. `npm run build:pages` runs it with all
 * other parts.
 */
import { buildWebsite } from './website/build.mjs';
import { runMain } from './setup.mjs';

await runMain(buildWebsite);
