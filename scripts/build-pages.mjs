// @ts-check
/**
 * @file `npm run build:pages [NAME …]`: builds the whole site into site/, or the pages named. Everything in it is static, and
 * all addresses are relative, so any host can serve it under any path.
 */
import process from 'node:process';
import { buildLibrary, buildPage, buildWebsite, pages } from './lib/pages.mjs';
import { runMain, setup } from './setup.mjs';

await runMain(() => {
  const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
  const { env } = setup({ browser: false });
  const named = process.argv.slice(2);
  buildLibrary(env, say);
  for (const name of named.length > 0 ? named : pages.map((page) => page.name)) buildPage(name, env, say);
  if (named.length === 0) buildWebsite(env, say);
  say('site/ holds the pages: any static host serves them.');
});
