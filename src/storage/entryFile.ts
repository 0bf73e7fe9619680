/** @file Which file of a folder to open: the one that refers to the others, or else the one that holds weights. */

/** In the order of preference. A file of one kind may refer to files of the kinds below it. */
const kinds: readonly ((name: string, names: ReadonlySet<string>) => boolean)[] = [
  // TF.js.
  (name) => name === 'model.json',
  // Keras, with `zipped=False`. Other libraries describe their models in a config.json, too.
  (name, names) =>
    name === 'config.json' && (names.has('model.weights.h5') || names.has('model.weights.json')),
  (name) => /\.weights\.json$/i.test(name),
  (name) => /\.(safetensors|bin)\.index\.json$/i.test(name),
  (name) => /\.keras$/i.test(name),
  (name) => /\.(safetensors|h5|hdf5|pth?)$/i.test(name),
  (name) => /\.json$/i.test(name),
];

/** Returns the names that can be meant among the files of a folder: one if it is clear, none if nothing is known. */
export function entriesAmong(names: readonly string[]): readonly string[] {
  const all = new Set(names);
  for (const isOfKind of kinds) {
    const found = names.filter((name) => isOfKind(name, all));
    if (found.length > 0) return found;
  }
  return [];
}
