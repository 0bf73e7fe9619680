/** @file The sources of the gallery's programs. */

const sources = import.meta.glob<string>('../../../examples/playground/*.ts', {
  query: '?raw',
  import: 'default',
  eager: true,
});

export function sourceOf(name: string): string | undefined {
  return sources[`../../../examples/playground/${name}.ts`]?.trimEnd();
}
