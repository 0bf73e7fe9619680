// @ts-check
/**
 * @file `node scripts/lib/count-rows.mjs BUNDLE NAMES`: the work of rows of `npm run scale` at their short size and at twice that, as JSON.
 * `NAMES` is JSON, too; null stands for all. A process of its own, since counting slows down all that it imports.
 */
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { startCounting } from './count-work.mjs';
import { installDawnGlobals } from './dawn-globals.mjs';

await installDawnGlobals(['backend=null']);
const take = startCounting();
const { href } = pathToFileURL(String(process.argv[2]));
/** @type {typeof import('../../bench/scale/main.ts')} */
const { rows, prepareRow } = await import(href);
/** @type {string[] | null} */
const names = JSON.parse(process.argv[3] ?? 'null');
/** @type {{ name: string, work: number[] }[]} */
const counted = [];
for (const { name, short } of rows.filter(({ name }) => names === null || names.includes(name))) {
  /** @param {number} n */
  const count = async (n) => {
    const work = await prepareRow(name, n);
    take(href);
    await work();
    return take(href);
  };
  // The first run also does what happens once.
  await count(short);
  const work = [await count(short), await count(2 * short)];
  counted.push({ name, work });
  process.stderr.write(`${name}: ${work.join(', ')}\n`);
}
process.stdout.write(JSON.stringify(counted));
process.exit(0);
