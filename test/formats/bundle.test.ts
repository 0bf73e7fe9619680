/** @file An app that loads only safetensors downloads none of the other readers. */
import { fileURLToPath } from 'node:url';
import { type OutputChunk, rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { withImports } from '../../scripts/lib/chunks.mjs';

const src = fileURLToPath(new URL('../../src/', import.meta.url));
const entry = '\0entry';

/** Returns the chunks of an app with these lines. */
async function chunksOf(source: string): Promise<OutputChunk[]> {
  const build = await rolldown({
    input: entry,
    treeshake: { moduleSideEffects: false },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? source : null),
      },
    ],
  });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  return output.filter((file): file is OutputChunk => file.type === 'chunk');
}

/** Modules in the app, and in the parts that are loaded later for `wanted`. */
function modulesWith(chunks: readonly OutputChunk[], wanted: readonly string[]): string[] {
  const isWanted = ({ moduleIds }: OutputChunk) => wanted.some((name) => moduleIds.at(-1) === src + name);
  const loaded = withImports(
    chunks.filter((chunk) => chunk.isEntry || isWanted(chunk)),
    chunks,
  );
  return modulesOf(loaded);
}

const modulesOf = (chunks: readonly OutputChunk[]) =>
  chunks.flatMap(({ moduleIds }) => moduleIds.map((id) => id.replace(src, '')));

const readers = /^formats\/(?!safetensors)[^/]+\//;

test('reading tensors, and weights of a model, from safetensors loads no other reader', async () => {
  const chunks = await chunksOf(`
    export { readSafetensors, loadTensors } from '${src}io/index.ts';
    import { input, layers, model } from '${src}keras/index.ts';
    const x = input({ shape: [2] });
    const net = model({ inputs: x, outputs: layers.dense({ units: 1 }).apply(x) });
    export const load = (file) => net.loadWeights(file);`);
  const modules = modulesWith(chunks, ['keras/saving/loadWeights.ts', 'formats/safetensors/open.ts']);
  expect(modules).toContain('formats/safetensors/open.ts');
  expect(modules).toContain('keras/saving/loadWeights.ts');
  expect(modules.filter((id) => readers.test(id))).toEqual([]);
  // They exist, for files that need them.
  expect(modulesOf(chunks)).toContain('formats/hdf5/file.ts');
});
