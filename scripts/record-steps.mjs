// @ts-check
/**
 * @file `node scripts/record-steps.mjs [TEXT]`: computes in float64 what the benchmark's training steps of GPUs expect, which takes
 * minutes, and writes bench/expectedSteps.json. With a text, only rows whose names have it.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { bundle, temporaryFolder } from './lib/bundle.mjs';
import { installDawnGlobals } from './lib/dawn-globals.mjs';
import { ROOT, runMain, setup } from './setup.mjs';

const FILE = path.join(ROOT, 'bench', 'expectedSteps.json');

await runMain(async () => {
  setup({ browser: false });
  await installDawnGlobals();
  const entry = await bundle({
    entry: 'bench/recordSteps.ts',
    folder: temporaryFolder('record-steps'),
    external: [/^onnxruntime-web/, /^util$/],
  });
  /** @type {typeof import('../bench/recordSteps.ts')} */
  const { expectedOf, stepNames } = await import(pathToFileURL(entry).href);
  const filter = process.argv[2] ?? '';
  const names = stepNames();
  const known = JSON.parse(fs.readFileSync(FILE, 'utf8'));
  const steps = Object.fromEntries(names.flatMap((name) => (known[name] ? [[name, known[name]]] : [])));
  for (const name of names.filter((each) => each.includes(filter))) {
    const start = performance.now();
    steps[name] = expectedOf(name);
    process.stderr.write(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
    fs.writeFileSync(FILE, `${JSON.stringify(steps, null, 2)}\n`);
  }
  process.exit(0);
});
