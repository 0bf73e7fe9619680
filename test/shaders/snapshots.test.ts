/**
 * @file The principal variants of every kernel, as WGSL that lies next to this file: a change of a shader shows in review.
 * `npx vitest run --project unit test/shaders -u` writes the snapshots again. What is in a snapshot compiles.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create } from 'webgpu';
import { layOut } from '../../shaders/lib/wgsl.ts';
import { subgroupMatrixFeatures } from '../../src/webgpu/subgroupMatrices.ts';
import { loadKernels } from '../../scripts/wgsl/kernels.mjs';
import { withOptions } from '../../scripts/wgsl/options.mjs';

const { catalog, kernels, sourceOf } = await loadKernels();

/** Dawn's null adapter compiles everything, subgroup matrices included, and runs nothing. A collected `gpu` takes it along. */
const gpu = create(['backend=null', 'enable-dawn-features=allow_unsafe_apis']);
let device: GPUDevice | undefined;

beforeAll(async () => {
  const adapter = await gpu.requestAdapter();
  device = await adapter?.requestDevice({ requiredFeatures: subgroupMatrixFeatures });
  if (!device) throw new Error('Dawn has a null adapter with every feature');
});

afterAll(() => device?.destroy());

/** What Dawn's compiler says of a module. */
async function compile(code: string): Promise<string[]> {
  const module = device?.createShaderModule({ code }) as GPUShaderModule;
  const { messages } = await module.getCompilationInfo();
  return messages.map(({ message, lineNum }) => `${lineNum}: ${message}`);
}

test('the catalogue has every kernel', () => {
  const listed = Object.values(catalog).flatMap((family) => Object.keys(family));
  expect(listed.sort()).toEqual(kernels.map(({ name }) => name).sort());
});

describe.each(Object.entries(catalog))('%s', (family, entries) => {
  const variants = Object.entries(entries).flatMap(([name, { defaults, variants }]) =>
    Object.entries(variants).map(([variant, options]) => ({
      name,
      variant,
      source: () => `${sourceOf(name, withOptions(name, defaults, options) as typeof defaults).trim()}\n`,
    })),
  );

  test.each(variants)('$name: $variant', async ({ name, variant, source }) => {
    const code = source();
    expect(await compile(code)).toEqual([]);
    expect(code, 'is laid out').toBe(`${layOut(code).trim()}\n`);
    expect(code, 'has no empty statement').not.toMatch(/;\s*;/);
    const file = `${name} ${variant}`.replaceAll(/[^\w.]+/g, '-').replace(/-$/, '');
    await expect(code).toMatchFileSnapshot(`wgsl/${family}/${file}.wgsl`);
  });
});
