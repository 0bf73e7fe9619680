// @ts-check
/**
 * @file A GPU's compiler on a machine without the GPU: Mesa's RADV, opened for a chip that isn't present, under the layer of
 * bench/codegen/layer.c. Finds or installs what it needs, builds the layer, and returns the environment for a process whose
 * Dawn compiles with it.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { ROOT, thisShell } from '../setup.mjs';
import { installDebianPackages } from './apt.mjs';
import { privateFolder } from './node-gpu.mjs';

/** Chips by family, as RADV names them. */
export const families = /** @type {const} */ ({
  rdna2: { chip: 'navi21', name: 'RDNA2 (Navi 21)' },
  rdna3: { chip: 'gfx1100', name: 'RDNA3 (Navi 31)' },
  gcn5: { chip: 'vega10', name: 'GCN5 (Vega 10)' },
});

/** @typedef {keyof typeof families} GpuFamily */

const LAYER = 'VK_LAYER_RETROGRAD_codegen';
const SOURCE = path.join(ROOT, 'bench', 'codegen', 'layer.c');
const HEADER = '/usr/include/vulkan/vk_layer.h';
/** The paths of RADV's manifest in Linux distributions. */
const DRIVERS = ['radeon_icd.x86_64.json', 'radeon_icd.json', 'radeon_icd.aarch64.json'].flatMap((file) =>
  ['/usr/share/vulkan/icd.d', '/etc/vulkan/icd.d'].map((folder) => path.join(folder, file)),
);

/** The required parts, each with its Debian package. */
const parts = [
  { what: "Mesa's RADV", package: 'mesa-vulkan-drivers', isThere: () => driver() !== undefined },
  { what: 'the Vulkan loader', package: 'libvulkan1', isThere: hasLoader },
  { what: "Vulkan's headers", package: 'libvulkan-dev', isThere: () => fs.existsSync(HEADER) },
  { what: 'a C compiler (cc)', package: 'gcc', isThere: () => runs('cc', ['--version']) },
];

const driver = () => DRIVERS.find((file) => fs.existsSync(file));

function hasLoader() {
  const { stdout } = spawnSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' });
  return (stdout ?? '').includes('libvulkan.so.1');
}

/** @param {string} file @param {string[]} args */
const runs = (file, args) => spawnSync(file, args, { stdio: 'ignore' }).status === 0;

/**
 * Returns the environment in which Dawn compiles for `family`, or the reason why it isn't available. Pipelines are reported in
 * files of `out` (see bench/codegen/layer.c).
 *
 * @param {GpuFamily} family
 * @param {string} out
 * @returns {{ env: Record<string, string> } | { reason: string }}
 */
export function radvEnvironment(family, out) {
  const reason = missing();
  if (reason) return { reason };
  const built = buildLayer();
  if ('reason' in built) return built;
  const icd = /** @type {string} */ (driver());
  return {
    env: {
      RADV_FORCE_FAMILY: families[family].chip,
      VK_ICD_FILENAMES: icd,
      VK_DRIVER_FILES: icd,
      VK_LAYER_PATH: built.folder,
      VK_INSTANCE_LAYERS: LAYER,
      VK_LOADER_DEBUG: 'none',
      XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR ?? privateFolder('runtime'),
      RETROGRAD_ADAPTER: 'gpu',
      CODEGEN_OUT: out,
    },
  };
}

/** Installs missing parts; returns null, or the parts that are still missing. */
function missing() {
  if (process.platform !== 'linux') return `RADV runs on Linux. Received: ${process.platform}.`;
  const lacking = () => parts.filter(({ isThere }) => !isThere());
  const before = lacking();
  if (before.length === 0) return null;
  const { output } = installDebianPackages(
    thisShell(),
    before.map((part) => part.package),
  );
  const after = lacking();
  if (after.length === 0) return null;
  const names = after.map((part) => `${part.what} (Debian: ${part.package})`).join(', ');
  return `missing: ${names}. apt-get: ${output.trim().split('\n').at(-1)}.`;
}

/** Built once for each version of its source: checkouts share the folder. @returns {{ folder: string } | { reason: string }} */
function buildLayer() {
  const version = createHash('sha256').update(fs.readFileSync(SOURCE)).digest('hex').slice(0, 12);
  const folder = privateFolder('codegen', version);
  const library = path.join(folder, 'libretrograd_codegen.so');
  if (!fs.existsSync(library)) {
    // Two processes may build concurrently, so each renames its own file.
    const own = `${library}.${process.pid}`;
    const args = ['-O2', '-Wall', '-shared', '-fPIC', '-o', own, SOURCE, '-lpthread'];
    const { status, stderr } = spawnSync('cc', args, { encoding: 'utf8' });
    if (status !== 0) return { reason: `bench/codegen/layer.c doesn't compile: ${stderr}` };
    fs.writeFileSync(path.join(folder, `${LAYER}.json`), JSON.stringify(manifest(library), null, 2));
    fs.renameSync(own, library);
  }
  return { folder };
}

/** @param {string} library */
const manifest = (library) => ({
  file_format_version: '1.1.2',
  layer: {
    name: LAYER,
    type: 'GLOBAL',
    library_path: library,
    api_version: '1.3.239',
    implementation_version: '1',
    description: 'Compiles pipelines for a GPU that is not present, and reports the results',
    functions: { vkNegotiateLoaderLayerInterfaceVersion: 'vkNegotiateLoaderLayerInterfaceVersion' },
  },
});
