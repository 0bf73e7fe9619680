import { describe, expect, test } from 'vitest';
import { HELP, parseBenchOptions } from '../../scripts/lib/bench-options.mjs';
import { SetupError } from '../../scripts/setup.mjs';

describe('the options of the benchmark', () => {
  test('have defaults', () => {
    expect(parseBenchOptions([])).toEqual({
      filter: '',
      budget: undefined,
      json: undefined,
      markdown: undefined,
      browser: 'chromium',
      runtime: 'browser',
      serve: false,
      inside: false,
      help: false,
    });
  });

  test('are read', () => {
    const args = ['--filter', '/^conv (?!224)/', '--budget=1200', '--json', 'a.json', '--browser', 'firefox'];
    expect(parseBenchOptions(args)).toMatchObject({
      filter: '/^conv (?!224)/',
      budget: 1200,
      json: 'a.json',
      browser: 'firefox',
    });
    expect(parseBenchOptions(['--runtime', 'node', '-h'])).toMatchObject({ runtime: 'node', help: true });
  });

  test.each([
    [['--bugdet', '5'], /Unknown option '--bugdet'.*See --help\.$/],
    [['conv'], /conv.*See --help\.$/],
    [['--budget', 'long'], '--budget is a number of milliseconds above 0. Received: long. See --help.'],
    [['--budget', '0'], '--budget is a number of milliseconds above 0. Received: 0. See --help.'],
    [
      ['--budget', 'Infinity'],
      '--budget is a number of milliseconds above 0. Received: Infinity. See --help.',
    ],
    [['--browser', 'safari'], '--browser is chromium or firefox. Received: safari. See --help.'],
    [['--runtime', 'deno'], '--runtime is browser or node. Received: deno. See --help.'],
    [['--filter', '/(/'], /^--filter is a text or a \/REGEXP\/\. Received: \/\(\/: .*Unterminated group\.$/],
  ])('%j are reported to be wrong', (args, message) => {
    expect(() => parseBenchOptions(args)).toThrow(SetupError);
    expect(() => parseBenchOptions(args)).toThrow(message);
  });

  test('are all explained', () => {
    const known = Object.keys(parseBenchOptions([])).filter((name) => name !== 'inside');
    for (const name of known) expect(HELP).toContain(`--${name}`);
  });
});
