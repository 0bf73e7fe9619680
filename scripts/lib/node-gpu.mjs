// @ts-check
/**
 * @file What Dawn for Node needs around it. A real GPU is used where there is one; a Linux machine without
 * one gets SwiftShader, the software adapter that ships with every Chromium.
 *
 * Dawn opens `libvulkan.so.1` when it is loaded, so these variables must be in the environment before the process starts:
 * pass them to a child (`spawn(…, { env: { ...process.env, ...nodeGpuEnv() } })`).
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBrowser } from './find-browser.mjs';

const PROBE = fileURLToPath(new URL('./probe-adapter.mjs', import.meta.url));
const SWIFTSHADER_ICD = 'vk_swiftshader_icd.json';
const LOADER = 'libvulkan.so.1';

/**
 * @typedef {object} GpuMachine what the choice depends on; a test passes its own
 * @property {Record<string, string | undefined>} env
 * @property {NodeJS.Platform} platform
 * @property {string | null} browser
 * @property {(file: string) => boolean} exists
 * @property {(file: string) => string} realpath
 * @property {(folder: string) => string[]} list
 * @property {() => string} loaderCache what `ldconfig -p` prints
 * @property {(added: Record<string, string>) => boolean} hasHardwareAdapter whether Dawn finds a real GPU with these variables
 * @property {(library: string) => string} writeManifest writes a manifest of a Vulkan driver, and returns its path
 * @property {(target: string) => string} linkLoader creates a folder with `libvulkan.so.1` -> target, and returns it
 * @property {() => string} runtimeDir a private folder to use if XDG_RUNTIME_DIR is unset
 */

/** @type {Record<string, string> | undefined} */
let known;

/**
 * Returns the variables to add to a child's environment so that Dawn finds an adapter in it. Empty if none are needed.
 * `RETROGRAD_ADAPTER=swiftshader` selects the software adapter even if there is a GPU; `RETROGRAD_ADAPTER=gpu` never falls
 * back to it.
 *
 * @returns {Record<string, string>}
 */
export function nodeGpuEnv() {
  known ??= chooseGpuEnv(thisGpuMachine());
  return known;
}

/**
 * @param {GpuMachine} machine
 * @returns {Record<string, string>}
 */
export function chooseGpuEnv(machine) {
  const { env } = machine;
  if (machine.platform !== 'linux') return {}; // Metal and Direct3D bring their adapters along.
  /** @type {Record<string, string>} */
  const added = env.XDG_RUNTIME_DIR ? {} : { XDG_RUNTIME_DIR: machine.runtimeDir() };
  const wish = env.RETROGRAD_ADAPTER;
  if (wish === 'gpu') return added;
  if (wish !== 'swiftshader') {
    if (env.VK_ICD_FILENAMES || env.VK_DRIVER_FILES) return added; // Chosen by the caller.
    if (hasGpuNode(machine)) {
      if (machine.hasHardwareAdapter({})) return added;
      // Containers get NVIDIA's libraries, but often not the manifest by which Vulkan finds them.
      for (const manifest of nvidiaManifests(machine)) {
        const driver = { VK_ICD_FILENAMES: manifest, VK_DRIVER_FILES: manifest };
        if (machine.hasHardwareAdapter(driver)) return { ...added, ...driver };
      }
    }
  }
  const folder = swiftShaderFolder(machine);
  if (!folder) {
    if (wish === 'swiftshader') throw new Error(noSwiftShader(machine.browser));
    return added;
  }
  const icd = path.join(folder, SWIFTSHADER_ICD);
  added.VK_ICD_FILENAMES = icd;
  added.VK_DRIVER_FILES = icd;
  if (!machine.loaderCache().includes(LOADER)) {
    added.LD_LIBRARY_PATH = [loaderFolder(machine, folder), env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  }
  return added;
}

/** NVIDIA's driver, with and without an X server's libraries. */
const NVIDIA_DRIVERS = ['libGLX_nvidia.so.0', 'libEGL_nvidia.so.0'];
const NVIDIA_MANIFEST_FOLDERS = [
  '/usr/local/nvidia/share/vulkan/icd.d',
  '/usr/share/vulkan/icd.d',
  '/etc/vulkan/icd.d',
  '/usr/local/share/vulkan/icd.d',
];

/** Manifests of NVIDIA's Vulkan driver: installed ones in any usual folder, then ones for its libraries. @param {GpuMachine} machine */
function* nvidiaManifests(machine) {
  if (!machine.list('/dev').some((name) => /^nvidia\d+$/.test(name))) return;
  for (const folder of NVIDIA_MANIFEST_FOLDERS)
    for (const name of machine.list(folder)) if (/^nvidia.*\.json$/.test(name)) yield path.join(folder, name);
  for (const library of NVIDIA_DRIVERS) yield machine.writeManifest(library);
}

/**
 * Returns whether the operating system reports a GPU at all (DRM render node, NVIDIA, WSL). Cheap, so that machines without one
 * need no probe.
 *
 * @param {GpuMachine} machine
 */
export function hasGpuNode(machine = thisGpuMachine()) {
  return (
    machine.list('/dev/dri').some((name) => name.startsWith('renderD')) ||
    machine.list('/dev').some((name) => /^nvidia\d+$/.test(name)) ||
    machine.exists('/dev/dxg')
  );
}

/** @param {GpuMachine} machine */
function swiftShaderFolder(machine) {
  const nextToBrowser = machine.browser ? [path.dirname(machine.realpath(machine.browser))] : [];
  const usual = [
    '/usr/lib/chromium',
    '/usr/lib/chromium-browser',
    '/usr/lib64/chromium',
    '/usr/lib64/chromium-browser',
    '/opt/google/chrome',
    '/snap/chromium/current/usr/lib/chromium-browser',
  ];
  return [...nextToBrowser, ...usual].find((folder) => machine.exists(path.join(folder, SWIFTSHADER_ICD)));
}

/**
 * Returns a folder to search for the Vulkan loader if the system has none. Chrome ships its own loader; if not, SwiftShader
 * exports `vkGetInstanceProcAddr` itself and can replace the loader.
 *
 * @param {GpuMachine} machine
 * @param {string} folder
 */
function loaderFolder(machine, folder) {
  const own = path.join(folder, LOADER);
  return machine.linkLoader(machine.exists(own) ? own : path.join(folder, 'libvk_swiftshader.so'));
}

/** @param {string | null} browser */
function noSwiftShader(browser) {
  return (
    `RETROGRAD_ADAPTER=swiftshader needs the SwiftShader that comes with Chromium. ` +
    `Received: ${browser ? `browser ${browser}, with no ${SWIFTSHADER_ICD} next to it` : 'no browser'}. ` +
    `Hint: install Chromium, or name it in RETROGRAD_CHROME.`
  );
}

/** @returns {GpuMachine} */
function thisGpuMachine() {
  return {
    env: process.env,
    platform: process.platform,
    browser: findBrowser(),
    exists: fs.existsSync,
    realpath: (file) => fs.realpathSync(file),
    list: (folder) => (fs.existsSync(folder) ? fs.readdirSync(folder) : []),
    loaderCache: () => output('ldconfig', ['-p']) || output('/sbin/ldconfig', ['-p']),
    hasHardwareAdapter: (added) => output(process.execPath, [PROBE], added).includes('"hardware":true'),
    writeManifest: (library) => {
      const file = path.join(privateFolder('vulkan'), `${library}.json`);
      const ICD = { library_path: library, api_version: '1.3.0' };
      fs.writeFileSync(file, JSON.stringify({ file_format_version: '1.0.0', ICD }));
      return file;
    },
    linkLoader: (target) => {
      // A folder for each target, so that processes that start concurrently with different browsers don't overwrite each
      // other's link.
      const folder = privateFolder('vulkan', target.replaceAll(path.sep, '_'));
      const link = path.join(folder, LOADER);
      try {
        fs.symlinkSync(target, link);
      } catch (error) {
        if (!fs.existsSync(link)) throw error;
      }
      return folder;
    },
    runtimeDir: () => privateFolder('runtime'),
  };
}

/**
 * Returns a folder of the user, outside the repository: checkouts may share it.
 *
 * @param {...string} names
 */
export function privateFolder(...names) {
  const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  const roots = [
    path.join(cache, 'retrograd'),
    path.join(os.tmpdir(), `retrograd-${process.getuid?.() ?? ''}`),
  ];
  for (const root of roots) {
    const folder = path.join(root, ...names);
    try {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      return folder;
    } catch {
      // The home isn't writable: try the next folder.
    }
  }
  throw new Error(
    `A folder to write to is needed. Received: none of ${roots.join(', ')}. Hint: set XDG_CACHE_HOME.`,
  );
}

/** @param {string} file @param {string[]} args @param {Record<string, string>} [added] variables */
function output(file, args, added = {}) {
  try {
    return execFileSync(file, args, {
      encoding: 'utf8',
      env: { ...process.env, ...added },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 30_000,
    });
  } catch {
    return '';
  }
}
