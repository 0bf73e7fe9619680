/** @file The sources of the gallery's programs. */
import { fillImports } from '../../../scripts/website/fillImports.mjs';

/** Number of characters per line that are visible next to the output. */
const WIDTH = 72;

const sources = import.meta.glob<string>('../../../examples/playground/*.ts', {
  query: '?raw',
  import: 'default',
  eager: true,
});

export function sourceOf(name: string): string | undefined {
  const source = sources[`../../../examples/playground/${name}.ts`];
  return source && fillImports(source.trimEnd(), WIDTH);
}
