/**
 * @file Names of layers, operations and symbolic tensors, unique in a program and numbered as in Keras; and the name
 * scopes of weights.
 */

const counts = new Map<string, number>();

/** Returns `base` at its first use, then `base_1`, `base_2`, … */
export function uniqueName(base: string): string {
  const count = counts.get(base) ?? 0;
  counts.set(base, count + 1);
  return count === 0 ? base : `${base}_${count}`;
}

/** Restarts the numbering of names. Existing layers keep their names. */
export function clearSession(): void {
  counts.clear();
}

/** `MaxPooling2D` → `max_pooling2d`, `matMul` → `mat_mul`. */
export function snakeCase(name: string): string {
  return name
    .replace(/(.)([A-Z][a-z]+)/g, '$1_$2')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase();
}

/** Keras's internal name of a class, if it isn't the public one. It is used for layers, groups in files and rows of summaries. */
export function kerasClassName(className: string): string {
  return className === 'GroupQueryAttention' ? 'GroupedQueryAttention' : className;
}

/** Weights are named after the layers that create them, as in Keras: `encoder/lstm_cell/kernel`. */
const scopes: { readonly owner: object; readonly name: string }[] = [];

/** Runs `body` inside the name scope of `owner`. Nested scopes of one owner count once. */
export function inNameScope<T>(owner: object, name: string, body: () => T): T {
  if (scopes.at(-1)?.owner === owner) return body();
  scopes.push({ owner, name });
  try {
    return body();
  } finally {
    scopes.pop();
  }
}

/** Returns `name`, prefixed by the current scopes. */
export function scopedName(name: string): string {
  return [...scopes.map((scope) => scope.name), name].join('/');
}
