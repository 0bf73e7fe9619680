import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ensureBrowser, ensurePackages, packagesInstalled, SetupError } from '../../scripts/setup.mjs';

type Shell = NonNullable<Parameters<typeof ensureBrowser>[0]>;

/**
 * Returns a machine whose commands answer as `answers` says (`[pattern, output]`, null: it fails) and are written down.
 */
function machine(answers: [RegExp, string | null | (() => string | null)][], browsers: string[] = []) {
  const commands: string[] = [];
  let failure = 'E: it failed';
  const shell: Shell = {
    platform: 'linux',
    root: true,
    say: () => {},
    search: (_machine, accepts = () => true) => ({
      path: browsers.find(accepts) ?? null,
      source: 'PATH',
      tried: ['PATH: empty'],
    }),
    run: (file, args) => {
      const command = [path.basename(file), ...args].join(' ');
      commands.push(command);
      const answer = answers.find(([pattern]) => pattern.test(command))?.[1] ?? null;
      const output = typeof answer === 'function' ? answer() : answer;
      return { ok: output !== null, output: output ?? failure };
    },
  };
  /** Returns an answer after which `file` is there. */
  const finds = (file: string) => {
    browsers.push(file);
    return '';
  };
  /** Commands that fail say `output` from here on. */
  const failsWith = (output: string) => {
    failure = output;
  };
  return { shell, commands, finds, failsWith };
}

const VERSION: [RegExp, string] = [/^chromium --version$/, 'Chromium 156.0.8078.79 built on Debian'];

describe('ensureBrowser', () => {
  test('an installed browser is used, and nothing is installed', () => {
    const { shell, commands } = machine([VERSION], ['/usr/bin/chromium']);
    expect(ensureBrowser(shell)).toBe('/usr/bin/chromium');
    expect(commands).toEqual(['chromium --version']);
  });

  test.each([
    ['Google Chrome 140.0.1.2', true],
    ['Google Chrome for Testing 148.0.7778.97', true],
    ['Chromium 90.0.1.2', false],
    ['Command requires the chromium snap to be installed.', false],
  ])('%s: %s', (output, usable) => {
    const { shell } = machine([[/--version$/, output]], ['/usr/bin/chromium']);
    const found = () => ensureBrowser({ ...shell, platform: 'linux', root: false });
    if (usable) expect(found()).toBe('/usr/bin/chromium');
    else expect(found).toThrow(SetupError);
  });

  test("else puppeteer's download", () => {
    const world = machine([
      VERSION,
      [/puppeteer|cli\.js browsers install chrome/, () => world.finds('/cache/chromium')],
    ]);
    expect(ensureBrowser(world.shell)).toBe('/cache/chromium');
    expect(world.commands.some((command) => command.startsWith('apt-get'))).toBe(false);
  });

  test("else Debian's package, after apt-get update", () => {
    const world = machine([
      VERSION,
      [/^apt-get (--version|update)/, ''],
      [/^apt-get install .*chromium$/, () => world.finds('/usr/bin/chromium')],
    ]);
    expect(ensureBrowser(world.shell)).toBe('/usr/bin/chromium');
    const apt = world.commands
      .filter((command) => command.startsWith('apt-get'))
      .map((command) => command.split(' ')[1]);
    expect(apt).toEqual(['--version', 'update', 'install']);
  });

  test('an installation that was broken off is finished first, as apt tells', () => {
    const finished = () => world.commands.some((command) => /^dpkg .*--configure -a$/.test(command));
    const world = machine([
      VERSION,
      [/^apt-get (--version|update)/, ''],
      [/^dpkg/, ''],
      [/^apt-get install .*chromium$/, () => (finished() ? world.finds('/usr/bin/chromium') : null)],
    ]);
    world.failsWith('E: dpkg was interrupted, you must manually run ...');
    expect(ensureBrowser(world.shell)).toBe('/usr/bin/chromium');
    expect(world.commands.filter((command) => /^(dpkg|apt-get install)/.test(command))).toEqual([
      expect.stringMatching(/^apt-get install/),
      expect.stringMatching(/^dpkg/),
      expect.stringMatching(/^apt-get install/),
    ]);
  });

  test('packages that lack what they need are repaired, once', () => {
    const world = machine([
      VERSION,
      [/^apt-get (--version|update)/, ''],
      [/^apt-get install --fix-broken/, ''],
    ]);
    world.failsWith("E: Unmet dependencies. Try 'apt --fix-broken install' with no packages");
    expect(() => ensureBrowser(world.shell)).toThrow(/apt-get install chromium: E: Unmet dependencies/);
    const installs = world.commands.filter((command) => command.startsWith('apt-get install'));
    expect(installs.map((command) => command.includes('--fix-broken'))).toEqual([false, true, false]);
  });

  test('what failed otherwise is left as it is', () => {
    const world = machine([VERSION, [/^apt-get (--version|update)/, '']]);
    expect(() => ensureBrowser(world.shell)).toThrow(SetupError);
    expect(world.commands.some((command) => /dpkg|--fix-broken/.test(command))).toBe(false);
  });

  test('else a message: the rule, what was tried, the hint', () => {
    const { shell } = machine([[/^apt-get --version/, '']]);
    expect(() => ensureBrowser(shell)).toThrow(
      /is needed.*Received: none. Tried:.*PATH: empty.*puppeteer's download: E: it failed.*apt-get install chromium: E: it failed.*Hint: install/s,
    );
  });

  test('without root nothing is asked of apt-get', () => {
    const { shell, commands } = machine([[/^apt-get --version/, '']]);
    expect(() => ensureBrowser({ ...shell, root: false })).toThrow(/needs root/);
    expect(commands.some((command) => /apt-get (update|install)/.test(command))).toBe(false);
  });
});

describe('packages', () => {
  let root = '';
  beforeEach(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-setup-'));
    write('package-lock.json', {
      '': {},
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '2.0.0', optional: true },
    });
  });
  afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

  function write(file: string, packages: object) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), JSON.stringify({ packages }));
  }

  test('no node_modules: not installed', () => {
    expect(packagesInstalled(root)).toBe(false);
  });

  test('another version: not installed', () => {
    write('node_modules/.package-lock.json', { 'node_modules/a': { version: '0.9.0' } });
    expect(packagesInstalled(root)).toBe(false);
  });

  test("another platform's package may lack", () => {
    write('node_modules/.package-lock.json', { 'node_modules/a': { version: '1.0.0' } });
    expect(packagesInstalled(root)).toBe(true);
  });

  test('npm ci runs only where something lacks', () => {
    const { shell, commands } = machine([[/ci --no-audit/, '']]);
    ensurePackages(root, shell);
    expect(commands).toEqual([expect.stringMatching(/ ci --no-audit --no-fund$/)]);
    write('node_modules/.package-lock.json', { 'node_modules/a': { version: '1.0.0' } });
    ensurePackages(root, shell);
    expect(commands).toHaveLength(1);
  });

  test('npm ci that fails says what to do', () => {
    const { shell } = machine([]);
    expect(() => ensurePackages(root, shell)).toThrow(/must be installed. Received: .* Hint: /s);
  });
});
