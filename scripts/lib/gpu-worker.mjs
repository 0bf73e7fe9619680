// @ts-check
/**
 * @file A process of `npm run bench:gpu`: imports a built module and calls its exports as the parent asks. Whatever happens here
 * (a crash of the driver, a hang) ends this process only.
 *
 *     node gpu-worker.mjs MODULE [FLAG OF DAWN …]
 */
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { installDawnGlobals } from './dawn-globals.mjs';
import { serve } from './gpu-service.mjs';

const [, , built, ...flags] = process.argv;
Object.assign(globalThis, {
  BENCH_VERSIONS: JSON.parse(process.env.BENCH_VERSIONS ?? '{}'),
  BENCH_RECORDS: [],
});
await installDawnGlobals(flags);
const module = await import(pathToFileURL(String(built)).href);
// Dawn settles promises only while the event loop has something to do.
setInterval(() => {}, 1);
process.on('disconnect', () => process.exit(0));
serve(module);
