// @ts-check
/** @file The options of `npm run bench`: read, checked before anything is built, and explained. Uses only Node. */
import { SetupError } from '../setup.mjs';
import { readArguments } from './arguments.mjs';

export const HELP = `npm run bench -- [options]

Measures Retrograd, TF.js, jax-js and ONNX Runtime Web: every result is checked first, then all are timed in turn.
Prints a line a row, then a table with the ratio of the fastest peer to Retrograd and a roofline of each kernel.

Options
  --filter TEXT     rows whose names have TEXT, or match /REGEXP/; default: all, which take some 40 minutes on a
                    software adapter. 'gather' includes three alternatives for a gather, which are many rows; 'matMul' includes the
                    product of 2048, half an hour on a software adapter
  --budget MS       milliseconds for each library in each row; default 400
  --json FILE       the result for programs, kept as it grows
  --markdown FILE   the table, likewise
  --browser NAME    chromium (default) or firefox
  --runtime NAME    browser (default) or node: the rows through Dawn, without a browser
  --serve           builds and serves the page instead, to be opened in your own browser, on your own device
  --help            prints this

Exit codes: 0 done, 1 where Retrograd failed in a row or an argument is bad.
`;

/**
 * @typedef {object} BenchOptions
 * @property {string} filter
 * @property {number | undefined} budget milliseconds
 * @property {string | undefined} json
 * @property {string | undefined} markdown
 * @property {'chromium' | 'firefox'} browser
 * @property {'browser' | 'node'} runtime
 * @property {boolean} serve
 * @property {boolean} inside whether this is the process with Dawn's environment
 * @property {boolean} help
 */

/**
 * @param {string[]} args
 * @returns {BenchOptions}
 * @throws {SetupError}
 */
export function parseBenchOptions(args) {
  const values = parse(args);
  const budget = values.budget === undefined ? undefined : Number(values.budget);
  if (budget !== undefined && !(budget > 0 && budget < Number.POSITIVE_INFINITY)) {
    throw new SetupError(
      `--budget is a number of milliseconds above 0. Received: ${values.budget}. See --help.`,
    );
  }
  return {
    filter: filterOf(values.filter),
    budget,
    json: values.json,
    markdown: values.markdown,
    browser: oneOf('browser', values.browser, ['chromium', 'firefox']),
    runtime: oneOf('runtime', values.runtime, ['browser', 'node']),
    serve: values.serve,
    inside: values.inside,
    help: values.help,
  };
}

/** @param {string[]} args */
function parse(args) {
  const text = /** @type {const} */ ({ type: 'string' });
  const flag = /** @type {const} */ ({ type: 'boolean', default: false });
  const options = {
    filter: { ...text, default: '' },
    budget: text,
    json: text,
    markdown: text,
    browser: { ...text, default: 'chromium' },
    runtime: { ...text, default: 'browser' },
    serve: flag,
    inside: flag,
    help: { ...flag, short: 'h' },
  };
  return readArguments({ args, options }, (message) => new SetupError(`${message} See --help.`)).values;
}

/** An invalid pattern is reported here, not by the page that would use it. @param {string} filter */
export function filterOf(filter) {
  const pattern = /^\/(.*)\/$/.exec(filter)?.[1];
  try {
    if (pattern !== undefined) new RegExp(pattern);
    return filter;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SetupError(`--filter is a text or a /REGEXP/. Received: ${filter}: ${reason}.`);
  }
}

/**
 * @template {string} T
 * @param {string} option
 * @param {string} value
 * @param {readonly T[]} known
 * @returns {T}
 */
function oneOf(option, value, known) {
  const found = known.find((name) => name === value);
  if (found) return found;
  throw new SetupError(`--${option} is ${known.join(' or ')}. Received: ${value}. See --help.`);
}
