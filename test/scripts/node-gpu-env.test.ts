import { describe, expect, test } from 'vitest';
import { chooseGpuEnv, hasGpuNode } from '../../scripts/lib/node-gpu.mjs';

const ICD = '/usr/lib/chromium/vk_swiftshader_icd.json';

/** Returns a Linux machine with Debian's Chromium, the Vulkan loader and no GPU, changed by `changes`. */
function machine(changes: Partial<Parameters<typeof chooseGpuEnv>[0]> & { files?: string[] } = {}) {
  const { files = [ICD], ...rest } = changes;
  return {
    env: { XDG_RUNTIME_DIR: '/run/user/1' },
    platform: 'linux' as NodeJS.Platform,
    browser: '/usr/bin/chromium',
    exists: (file: string) => files.includes(file),
    realpath: (file: string) => file,
    list: (_folder: string): string[] => [],
    loaderCache: () => 'libvulkan.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libvulkan.so.1',
    hasHardwareAdapter: () => false,
    writeManifest: (library: string) => `/cache/${library}.json`,
    linkLoader: (target: string) => `/cache -> ${target}`,
    runtimeDir: () => '/cache/runtime',
    ...rest,
  };
}

const SOFTWARE = { VK_ICD_FILENAMES: ICD, VK_DRIVER_FILES: ICD };
const withGpu = (folder: string) => (folder === '/dev/dri' ? ['card0', 'renderD128'] : []);

describe('chooseGpuEnv', () => {
  test('without a GPU: the SwiftShader of the browser', () => {
    expect(chooseGpuEnv(machine())).toEqual(SOFTWARE);
  });

  test('SwiftShader is found next to the executable that a link leads to', () => {
    const files = ['/opt/chrome/vk_swiftshader_icd.json'];
    const env = chooseGpuEnv(machine({ files, realpath: () => '/opt/chrome/chrome' }));
    expect(env.VK_DRIVER_FILES).toBe(files[0]);
  });

  test('a real GPU is used', () => {
    expect(chooseGpuEnv(machine({ list: withGpu, hasHardwareAdapter: () => true }))).toEqual({});
  });

  test('a GPU node without a driver that works falls back to SwiftShader', () => {
    expect(chooseGpuEnv(machine({ list: withGpu }))).toEqual(SOFTWARE);
  });

  test("NVIDIA's driver is found where its manifest isn't installed, or in another folder", () => {
    const card = (folder: string) => (folder === '/dev' ? ['nvidia0', 'nvidiactl'] : []);
    const only = (manifest: string) => (added: Record<string, string>) => added.VK_DRIVER_FILES === manifest;
    const written = '/cache/libEGL_nvidia.so.0.json';
    expect(chooseGpuEnv(machine({ list: card, hasHardwareAdapter: only(written) }))).toEqual({
      VK_ICD_FILENAMES: written,
      VK_DRIVER_FILES: written,
    });
    const folder = '/usr/local/nvidia/share/vulkan/icd.d';
    const list = (name: string) => (name === folder ? ['nvidia_icd.json', 'other.json'] : card(name));
    const found = `${folder}/nvidia_icd.json`;
    const env = chooseGpuEnv(machine({ list, hasHardwareAdapter: only(found) }));
    expect(env.VK_DRIVER_FILES).toBe(found);
    // Of another vendor's card there is no such library.
    expect(chooseGpuEnv(machine({ list: withGpu, hasHardwareAdapter: only(written) }))).toEqual(SOFTWARE);
  });

  test('without a GPU node no probe is started', () => {
    const hasHardwareAdapter = () => {
      throw new Error('probed');
    };
    expect(chooseGpuEnv(machine({ hasHardwareAdapter }))).toEqual(SOFTWARE);
  });

  test('RETROGRAD_ADAPTER=swiftshader takes the software adapter though there is a GPU', () => {
    const env = { XDG_RUNTIME_DIR: '/run', RETROGRAD_ADAPTER: 'swiftshader' };
    expect(chooseGpuEnv(machine({ env, list: withGpu, hasHardwareAdapter: () => true }))).toEqual(SOFTWARE);
    expect(() => chooseGpuEnv(machine({ env, files: [] }))).toThrow(
      /needs the SwiftShader.*Received:.*Hint:/s,
    );
  });

  test('RETROGRAD_ADAPTER=gpu never falls back', () => {
    expect(chooseGpuEnv(machine({ env: { XDG_RUNTIME_DIR: '/run', RETROGRAD_ADAPTER: 'gpu' } }))).toEqual({});
  });

  test('drivers that the caller chose are left alone', () => {
    expect(chooseGpuEnv(machine({ env: { XDG_RUNTIME_DIR: '/run', VK_DRIVER_FILES: '/my.json' } }))).toEqual(
      {},
    );
  });

  test("without a Vulkan loader: Chrome's own, else SwiftShader in its place", () => {
    const loaderCache = () => '';
    const own = [ICD, '/usr/lib/chromium/libvulkan.so.1'];
    expect(chooseGpuEnv(machine({ loaderCache, files: own })).LD_LIBRARY_PATH).toBe(`/cache -> ${own[1]}`);
    const env = { XDG_RUNTIME_DIR: '/run', LD_LIBRARY_PATH: '/mine' };
    expect(chooseGpuEnv(machine({ loaderCache, env })).LD_LIBRARY_PATH).toBe(
      '/cache -> /usr/lib/chromium/libvk_swiftshader.so:/mine',
    );
  });

  test('XDG_RUNTIME_DIR is set where it is not', () => {
    expect(chooseGpuEnv(machine({ env: {} })).XDG_RUNTIME_DIR).toBe('/cache/runtime');
  });

  test('macOS and Windows bring their adapters along', () => {
    expect(chooseGpuEnv(machine({ platform: 'darwin', env: {} }))).toEqual({});
    expect(chooseGpuEnv(machine({ platform: 'win32', env: {} }))).toEqual({});
  });
});

test.each<[string, string[], boolean]>([
  ['/dev', ['nvidia0'], true],
  ['/dev', ['nvidiactl', 'null'], false],
  ['/dev/dri', ['renderD128'], true],
  ['/dev/dri', ['card0'], false],
])('a GPU node: %s %j: %s', (folder, names, expected) => {
  expect(hasGpuNode(machine({ list: (asked) => (asked === folder ? names : []) }))).toBe(expected);
});
