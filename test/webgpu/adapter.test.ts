/** @file The kind of an adapter, from the names that browsers and runtimes give real ones, and what helps without one. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type AdapterKind,
  adviceWithoutAdapter,
  kindOfAdapter,
  openDevice,
} from '../../src/webgpu/adapter.ts';

type Names = readonly [vendor: string, architecture: string, device?: string, description?: string];

const adapters: Record<AdapterKind, readonly Names[]> = {
  software: [
    ['google', 'swiftshader', '', 'SwiftShader Device (LLVM 16.0.0)'],
    ['google', 'swiftshader'],
    ['', '', '', 'llvmpipe (LLVM 15.0.7, 256 bits)'],
    ['mesa', 'software'],
    ['mesa', 'software', '0x0000', 'llvmpipe (LLVM 17.0.6, 256 bits)'],
    ['microsoft', 'warp', '', 'Microsoft Basic Render Driver'],
    ['5140', '', '140', 'Microsoft Basic Render Driver'],
  ],
  discrete: [
    ['nvidia', 'ampere'],
    ['nvidia', 'lovelace', '0x2684', 'NVIDIA GeForce RTX 4090'],
    ['4318', '', '9348', 'NVIDIA GeForce RTX 3070'],
    ['amd', 'rdna-3'],
    ['amd', 'rdna-2', '0x73bf', 'AMD Radeon RX 6800 XT (RADV NAVI21)'],
    ['amd', 'rdna-1', '', 'AMD Radeon Pro 5500M'],
    ['amd', 'rdna-2', '', 'AMD Radeon RX 6700M'],
    ['intel', 'gen-12hp'],
    ['intel', 'gen-12hp', '0x56a0', 'Intel(R) Arc(TM) A770 Graphics'],
    ['intel', 'xe-2hpg'],
    ['32902', '', '', 'Intel(R) Arc(TM) B580 Graphics'],
    ['32902', '', '', 'Intel Arc A380 Graphics'],
    // An unknown adapter.
    ['', ''],
    ['somebody', 'new'],
  ],
  apple: [
    ['apple', 'metal-3'],
    ['apple', 'common-3', '', 'Apple M2 Pro'],
    ['apple', ''],
    ['', '', '', 'Apple M1'],
    ['apple', 'apple-9', '', 'Apple A17 Pro GPU'],
  ],
  integrated: [
    ['intel', 'gen-9'],
    ['intel', 'gen-11'],
    ['intel', 'gen-12lp', '0x9a49', 'Intel(R) Iris(R) Xe Graphics'],
    ['intel', 'xe-lpg', '', 'Intel(R) Arc(TM) Graphics'],
    ['intel', 'xe-2lpg', '', 'Intel(R) Arc(TM) 140V GPU (16GB)'],
    ['intel', 'xe-3lpg-xs'],
    ['32902', '', '', 'Intel(R) UHD Graphics 630'],
    ['32902', '', '', 'Mesa Intel(R) UHD Graphics 620 (KBL GT2)'],
    ['intel', ''],
    ['amd', 'gcn-5', '', 'AMD Radeon(TM) Graphics'],
    ['amd', 'gcn-5', '', 'AMD Radeon Vega 8 Graphics'],
    ['amd', 'rdna-3', '', 'AMD Radeon 780M Graphics (RADV PHOENIX)'],
    ['4098', '', '', 'AMD Radeon(TM) R7 Graphics'],
  ],
  mobile: [
    ['qualcomm', 'adreno-7xx'],
    ['qualcomm', 'adreno-6xx', '', 'Adreno (TM) 640'],
    ['20803', '', '', 'Adreno (TM) 740'],
    ['arm', 'valhall'],
    ['arm', 'bifrost', '', 'Mali-G76'],
    ['5045', '', '', 'Mali-G710'],
    ['arm', '5th-gen', '', 'Immortalis-G925'],
    ['img-tec', 'd-series', '', 'PowerVR DXT-48-1536'],
    ['samsung', 'rdna-2', '', 'Samsung Xclipse 920'],
    ['broadcom', 'videocore', '', 'V3D 7.1.7'],
  ],
};

const rows = Object.entries(adapters).flatMap(([kind, all]) => all.map((names) => [names, kind] as const));

describe('the kind of an adapter', () => {
  test.each(rows)('%j: %s', ([vendor, architecture, device = '', description = ''], kind) => {
    expect(kindOfAdapter({ vendor, architecture, device, description })).toBe(kind);
  });
});

describe('without an adapter', () => {
  test('browsers have a page and flags', () => {
    expect(adviceWithoutAdapter(undefined)).toMatch(/chrome:\/\/gpu/);
  });

  test.each(['linux', 'freebsd'])('Node on %s needs a Vulkan driver', (platform) => {
    const advice = adviceWithoutAdapter(platform);
    expect(advice).toMatch(
      /mesa-vulkan-drivers on Debian, Ubuntu and Fedora, vulkan-radeon or vulkan-intel on Arch/,
    );
    expect(advice).toMatch(/VK_ICD_FILENAMES/);
  });

  test.each(['darwin', 'win32'])('Node on %s needs no package', (platform) => {
    expect(adviceWithoutAdapter(platform)).not.toMatch(/mesa|VK_ICD|chrome/i);
  });

  test('the error in Node has the advice for its platform', async () => {
    const none = { requestAdapter: async () => null } as unknown as GPU;
    const error = await openDevice(none, {}).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ name: 'DeviceError', hint: adviceWithoutAdapter(process.platform) });
    expect((error as Error).message).not.toMatch(/chrome:\/\/gpu|navigator/);
  });
});

describe('without WebGPU', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test('Node needs a package, browsers another version', async () => {
    vi.stubGlobal('navigator', {});
    const inNode = await openDevice(undefined, {}).catch((thrown: Error) => thrown);
    expect(inNode).toMatchObject({ name: 'DeviceError', hint: expect.stringContaining("'webgpu'") });
    expect((inNode as Error).message).not.toMatch(/Chrome|Safari|https/);
    vi.stubGlobal('process', undefined);
    const inPage = await openDevice(undefined, {}).catch((thrown: Error) => thrown);
    expect((inPage as Error).message).toMatch(/Chrome/);
    expect((inPage as Error).message).not.toMatch(/Node|create\(\[\]\)/);
  });
});
