// @ts-check
/**
 * @file Builds the benchmark's page into site/bench: its rows, the pages of the cold start, and the bundle sizes, measured now.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { buildPages } from './lib/bench-browser.mjs';
import { measureSizes } from './lib/bench-sizes.mjs';
import { ROOT } from './setup.mjs';

process.chdir(ROOT);
const folder = path.join(ROOT, 'site', 'bench');
await buildPages(folder);
/** @type {import('../bench/start.ts').Sizes} */
const sizes = { core: await measureSizes('core'), keras: await measureSizes('keras') };
fs.writeFileSync(path.join(folder, 'sizes.json'), JSON.stringify(sizes));
