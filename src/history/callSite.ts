/**
 * @file Call sites: the file and line of the user's code that made a tensor. A stack trace costs microseconds, so they
 * are recorded only in debug mode.
 */
import { requireBoolean } from '../core/shape.ts';

let enabled = false;

/** Turns debug mode on or off: call sites in histories and errors, at the price of a stack trace per op. */
export function debugMode(on = true): void {
  requireBoolean('debugMode', 'on', on);
  enabled = on;
}

export function isDebugMode(): boolean {
  return enabled;
}

/** Returns `file:line` of the nearest frame outside the library; undefined unless debug mode is on. */
export function callSite(): string | undefined {
  return enabled ? userFrame() : undefined;
}

/** Returns `file:line` of the nearest frame outside the library; undefined if there is none. Costs a stack trace. */
export function userFrame(): string | undefined {
  let own: string | undefined;
  for (const frame of stackFrames()) {
    // A path begins a word: Firefox's names of anonymous functions have slashes, too, such as `run/<@http://…`.
    const place = /((?:[a-z]+:\/\/|(?<![^(\s])\/)[^()\s]+?):(\d+):\d+\)?$/i.exec(frame);
    if (!place) continue;
    // A match has all groups.
    const [, file, line] = place as unknown as [string, string, string];
    const url = file.startsWith('/') ? `file://${file}` : file;
    // The first frame is this file's, and the library in its parent's folder. Not by import.meta.url: Deno, and Node if asked to,
    // name frames by source maps.
    own ??= url.replace(/(?<=[^/]\/)[^/]+\/[^/]+$/, '');
    if (!url.startsWith(own)) return `${url.split('/').at(-1)}:${line}`;
  }
  return undefined;
}

/** V8 keeps ten frames by default; an op inside a layer inside a model is deeper. */
function stackFrames(): string[] {
  const holder = Error as { stackTraceLimit?: number | undefined };
  const before = holder.stackTraceLimit;
  holder.stackTraceLimit = 100;
  const stack = String(new Error().stack);
  holder.stackTraceLimit = before;
  return stack.split('\n');
}
