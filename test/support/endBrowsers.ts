/**
 * @file Set-up of the browser tests: when they end, so do the browsers that their files share. Their own process can't do that: it
 * has no last file, and is killed soon after it is asked to stop.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import type { Browser } from '../../scripts/lib/browser.mjs';

/** Names the folder that has a file for each browser: its name is the process, its text the browser's profile. */
const VARIABLE = 'RETROGRAD_SHARED_BROWSERS';

/** Runs in Vitest's main process, whose environment its workers inherit. */
export default function setup(): () => void {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-browsers-'));
  process.env[VARIABLE] = folder;
  return () => {
    for (const name of fs.readdirSync(folder))
      end(Number(name), fs.readFileSync(path.join(folder, name), 'utf8'));
    fs.rmSync(folder, { recursive: true });
  };
}

/** Has `browser` end with the tests. */
export function endWithTests(browser: Browser): void {
  const folder = process.env[VARIABLE];
  const started = browser.process();
  if (!folder || !started?.pid)
    throw new Error('A shared browser is started by a test of the project `browser`.');
  const profile = /--(?:user-data-dir=|profile )(\S+)/.exec(started.spawnargs.join(' '))?.[1] ?? '';
  fs.writeFileSync(path.join(folder, String(started.pid)), profile);
}

function end(pid: number, profile: string): void {
  try {
    // Puppeteer makes the browser the leader of a group with its children.
    if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/t', '/f']);
    else process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // It has ended.
  }
  if (profile) fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}
