import { describe, expect, test } from 'vitest';
import { findBrowser, searchBrowser } from '../../scripts/lib/find-browser.mjs';

/** Returns a machine that has these files and nothing else. */
function machine(files: string[], env: Record<string, string> = {}, platform: NodeJS.Platform = 'linux') {
  const windows = platform === 'win32';
  const separator = windows ? '\\' : '/';
  return {
    env,
    platform,
    homedir: windows ? 'C:\\Users\\ada' : '/home/ada',
    isFile: (file: string) => files.includes(file),
    list: (folder: string) => {
      const inside = files.filter((file) => file.startsWith(folder + separator));
      return [...new Set(inside.map((file) => file.slice(folder.length + 1).split(separator)[0] ?? ''))];
    },
  };
}

describe('findBrowser', () => {
  test.each(['RETROGRAD_CHROME', 'PUPPETEER_EXECUTABLE_PATH', 'CHROME_PATH'])('%s wins', (name) => {
    const world = machine(['/opt/mine/chrome', '/usr/bin/chromium'], {
      [name]: '/opt/mine/chrome',
      PATH: '/usr/bin',
    });
    expect(searchBrowser(world)).toMatchObject({ path: '/opt/mine/chrome', source: name });
  });

  test('an environment variable with a missing file is an error, not a fallback', () => {
    const world = machine(['/usr/bin/chromium'], { RETROGRAD_CHROME: '/gone' });
    expect(() => findBrowser(world)).toThrow(/RETROGRAD_CHROME must name .* Received: '\/gone'.* Hint:/s);
  });

  test.each<[string, string[], Record<string, string>, NodeJS.Platform]>([
    ['PATH', ['/opt/bin/google-chrome-stable'], { PATH: '/bin:/opt/bin' }, 'linux'],
    ['PATH', ['D:\\tools\\chrome.exe'], { Path: 'C:\\Windows;D:\\tools' }, 'win32'],
    ['installed', ['/opt/google/chrome/chrome'], {}, 'linux'],
    ['installed', ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'], {}, 'darwin'],
    ['installed', ['/home/ada/Applications/Chromium.app/Contents/MacOS/Chromium'], {}, 'darwin'],
    [
      'installed',
      ['C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'],
      { PROGRAMFILES: 'C:\\Program Files' },
      'win32',
    ],
    [
      'puppeteer cache',
      ['/home/ada/.cache/puppeteer/chrome/linux-148.0.1.2/chrome-linux64/chrome'],
      {},
      'linux',
    ],
    [
      'puppeteer cache',
      ['/c/chrome/linux-148.0.1.2/chrome-linux64/chrome'],
      { PUPPETEER_CACHE_DIR: '/c' },
      'linux',
    ],
    [
      'puppeteer cache',
      ['C:\\Users\\ada\\.cache\\puppeteer\\chrome\\win64-148.0.1.2\\chrome-win64\\chrome.exe'],
      {},
      'win32',
    ],
  ])('%s: %j', (source, files, env, platform) => {
    expect(searchBrowser(machine(files, env, platform))).toMatchObject({ path: files[0], source });
  });

  test('the newest of several downloads', () => {
    const at = (version: string) =>
      `/home/ada/.cache/puppeteer/chrome/linux-${version}/chrome-linux64/chrome`;
    expect(findBrowser(machine([at('99.0.1.1'), at('148.0.1.1'), at('121.0.1.1')]))).toBe(at('148.0.1.1'));
  });

  test('a rejected browser is skipped', () => {
    const world = machine(['/usr/bin/chromium-browser', '/usr/bin/google-chrome'], { PATH: '/usr/bin' });
    expect(searchBrowser(world, (file) => !file.includes('chromium')).path).toBe('/usr/bin/google-chrome');
  });

  test('none: every place that was looked at is reported', () => {
    const { path, tried } = searchBrowser(machine([]));
    expect(path).toBeNull();
    expect(tried.join('\n')).toMatch(
      /RETROGRAD_CHROME[\s\S]*PATH[\s\S]*\/usr\/bin\/chromium[\s\S]*puppeteer cache/,
    );
  });
});
