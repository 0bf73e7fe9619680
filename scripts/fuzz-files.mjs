// @ts-check
/**
 * @file `npm run fuzz:files`: damaged files of every format, which must load or be rejected with a typed error.
 *
 *     npm run fuzz:files -- [--cases 10000] [--from 0] [--format safetensors]
 *
 * The number of cases is per format. A failure reports its case: `--from N --cases 1` runs it again.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { readArguments } from './lib/arguments.mjs';
import { ROOT, runMain, SetupError, setup } from './setup.mjs';

const usage = 'npm run fuzz:files -- [--cases 10000] [--from 0] [--format safetensors]';

function options() {
  const { values } = readArguments(
    {
      options: {
        cases: { type: 'string', default: '10000' },
        from: { type: 'string', default: '0' },
        format: { type: 'string' },
      },
    },
    (message) => new SetupError(`${message}\nUsage: ${usage}`),
  );
  const [from, cases] = [Number(values.from), Number(values.cases)];
  if (!Number.isInteger(from) || !Number.isInteger(cases) || from < 0 || cases < 1)
    throw new SetupError(`--from and --cases take integers.\nUsage: ${usage}`);
  return {
    range: `${from}-${from + cases}`,
    filter: values.format === undefined ? [] : ['-t', values.format],
  };
}

await runMain(async () => {
  const { range, filter } = options();
  const { env } = setup({ browser: false });
  const vitest = path.join('node_modules', 'vitest', 'vitest.mjs');
  const args = [
    vitest,
    'run',
    '--project',
    'unit',
    '--reporter=verbose',
    ...filter,
    'test/formats/fuzz.test.ts',
  ];
  const { status } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env, RETROGRAD_FILE_CASES: range },
  });
  process.exitCode = status ?? 1;
});
