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

const [, , built, ...flags] = process.argv;
Object.assign(globalThis, {
  BENCH_VERSIONS: JSON.parse(process.env.BENCH_VERSIONS ?? '{}'),
  BENCH_RECORDS: [],
});
await installDawnGlobals(flags);
/** @type {Record<string, (...args: unknown[]) => unknown>} */
const module = await import(pathToFileURL(String(built)).href);
// Dawn settles promises only while the event loop has something to do.
setInterval(() => {}, 1);
process.on('disconnect', () => process.exit(0));
process.on('message', async (/** @type {{ name: string, args: unknown[], reports: boolean }} */ { name, args, reports }) => {
  const report = (/** @type {unknown} */ event) => process.send?.({ event });
  /** @type {{ value: unknown } | { error: string }} */
  let answer;
  try {
    answer = { value: (await module[name]?.(...args, ...(reports ? [report] : []))) ?? null };
  } catch (error) {
    answer = { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  process.send?.(answer);
});
process.send?.({ value: 'ready' });
