// @ts-check
/**
 * @file Runs in Node or in Deno, started by engines.mjs: imports the given module and calls its exports as requested by lines
 * of standard input. WebGPU is Dawn's in Node, and the built-in one in Deno.
 */
import process from 'node:process';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { answerMark } from './engines.mjs';

if (!('Deno' in globalThis)) {
  const { installDawnGlobals } = await import('./dawn-globals.mjs');
  await installDawnGlobals();
}
/** @type {Record<string, (...args: unknown[]) => unknown>} */
const module = await import(pathToFileURL(String(process.argv[2])).href);
for await (const line of createInterface({ input: process.stdin })) {
  const { name, args } = JSON.parse(line);
  /** @type {{ value?: unknown, error?: string }} */
  let answer;
  try {
    answer = { value: (await module[name]?.(...args)) ?? null };
  } catch (error) {
    answer = { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  process.stdout.write(`\n${answerMark}${JSON.stringify(answer)}\n`);
}
process.exit(0);
