// @ts-check
/** @file What the processes of the tests of `npm run bench:gpu` can do: measure, fail, hang and crash. */
import process from 'node:process';

/** @typedef {(event: object) => void} Report */

/** Without the argument, some calls hang or crash. */
const isHealthy = process.argv[2] === 'healthy';

export const variantNames = () =>
  isHealthy ? ['gemm: right'] : ['gemm: right', 'gemm: crashes', 'gemm: wrong'];

/** @param {string[]} names @param {Report} report */
export function verifyVariants(names, report) {
  for (const name of names) {
    report({ stage: [name, 'verified'] });
    if (name.endsWith('crashes')) process.kill(process.pid, 'SIGKILL');
    report({ variant: { name, status: name.endsWith('wrong') ? 'wrong' : 'right', message: null } });
  }
  return new Promise((resolve) => setTimeout(resolve, 10));
}

/** @param {string} name */
export const kernelsOfNamed = (name) => ({ kernels: [`kernel of ${name}`] });

/** @param {string} name @param {{ without: Record<string, string> }} options @param {Report} report */
export async function run(name, { without }, report) {
  report({ stage: ['tfjs', 'prepared'] });
  const isWithout = without.tfjs !== undefined;
  if (name === 'peer crashes' && !isWithout) await never('SIGSEGV');
  if (name === 'peer hangs' && !isWithout) await never();
  report({ stage: ['retrograd', 'prepared'] });
  if (name === 'crashes') await never('SIGKILL');
  const peers = { tfjs: isWithout ? null : 3, jaxjs: 4, ort: null };
  return {
    name,
    family: 'any',
    unit: 'ms',
    retrograd: 2,
    peers,
    ratio: isWithout ? 2 : 1.5,
    spread: {},
    notes: without,
    roofline: null,
    kernels: [],
  };
}

/** @param {NodeJS.Signals} [signal] */
function never(signal) {
  if (signal) process.kill(process.pid, signal);
  return new Promise(() => {});
}

export const files = () => [
  'ops/b.test.ts',
  'kernels/a.test.ts',
  ...(isHealthy ? [] : ['ops/hangs.test.ts']),
];

/** @param {string} file */
export async function runFile(file) {
  if (file.includes('hangs')) await never();
  return { passed: 3, failures: [] };
}
