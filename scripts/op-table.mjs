// @ts-check
/** @file Regenerates docs/ops.md. A test fails if it is out of date. */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { bundle, temporaryFolder } from './lib/bundle.mjs';
import { opRows, opTable } from './lib/op-table.mjs';
import { ROOT, runMain } from './setup.mjs';

await runMain(async () => {
  const built = await bundle({ entry: 'src/ops/index.ts', folder: temporaryFolder('op-table') });
  const rows = opRows(ROOT, await import(pathToFileURL(built).href));
  fs.mkdirSync(path.join(ROOT, 'docs'), { recursive: true });
  fs.writeFileSync(path.join(ROOT, 'docs', 'ops.md'), opTable(rows));
  process.stdout.write(`docs/ops.md: ${rows.length} ops\n`);
});
