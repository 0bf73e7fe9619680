/**
 * @file Modules created from text, without `eval`: a blob: address is imported, which a Content-Security-Policy allows with
 * `script-src 'self' blob:`.
 */

export function addressOfText(text: string): string {
  return URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
}

/** Values passed to modules that are created from text. */
const given = new Map<string, object>();
(globalThis as unknown as { notebookModules: typeof given }).notebookModules = given;

let count = 0;

/** The address of a module that exports the properties of `exports`. */
export function addressOfExports(exports: object): string {
  const key = `module${count++}`;
  given.set(key, exports);
  const names = Object.keys(exports).filter((name) => name !== 'default');
  return addressOfText(
    `const given = globalThis.notebookModules.get('${key}');\n${names.map((name) => `const ${name}_ = given.${name};`).join('\n')}\nexport { ${names.map((name) => `${name}_ as ${name}`).join(', ')} };`,
  );
}

export const importAddress = (address: string): Promise<unknown> => import(/* @vite-ignore */ address);
