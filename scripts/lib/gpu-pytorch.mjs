// @ts-check
/** @file Runs bench/native/pytorch.py where Python has PyTorch. Its rows come as lines of JSON. */
import { spawn } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';

/** Importing PyTorch on a machine that has just started may take this long. */
const IMPORT_MS = 60_000;
/** `torch.compile` of a model, and a row on a slow machine. */
const SILENCE_MS = 120_000;

/**
 * @param {object} options
 * @param {string} options.script
 * @param {string} options.filter a regular expression for names of rows
 * @param {'cuda' | 'cpu'} options.device
 * @param {number} options.budget milliseconds of a row
 * @param {number} options.milliseconds after which it is ended
 * @param {(row: any) => void} options.onRow
 * @returns {Promise<string>} its version and device, or why it did not run
 */
export function runPyTorch({ script, filter, device, budget, milliseconds, onRow }) {
  const python = process.env.RETROGRAD_PYTORCH ?? 'python3';
  const args = ['-u', script, '--lines', '--match', filter, '--device', device, '--budget', String(budget)];
  const child = spawn(python, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((resolve) => {
    /** @type {string | null} */
    let setting = null;
    let errors = '';
    let late = '';
    const end = (/** @type {string} */ why) => {
      late = why;
      child.kill('SIGKILL');
    };
    const total = setTimeout(() => end('its time was up'), milliseconds);
    let silence = setTimeout(() => end('nothing was heard of it'), IMPORT_MS);
    createInterface({ input: child.stdout }).on('line', (line) => {
      clearTimeout(silence);
      silence = setTimeout(() => end('nothing was heard of it'), SILENCE_MS);
      const row = parse(line);
      if (row?.setting) setting = row.setting;
      else if (row) onRow(row);
    });
    child.stderr.on('data', (text) => {
      errors = `${errors}${text}`.slice(-2000);
    });
    const finish = (/** @type {string} */ why) => {
      clearTimeout(total);
      clearTimeout(silence);
      resolve(setting === null ? `PyTorch did not run: ${why}` : `${setting}${late && `, until ${late}`}`);
    };
    child.once('error', (error) => finish(error.message));
    child.once('close', (code) => finish(late || errors.trim().split('\n').at(-1) || `code ${code}`));
  });
}

/** @param {string} line @returns {any} null for other output */
function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
