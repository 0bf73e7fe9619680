/**
 * @file Names of layers, operations and symbolic tensors: unique in a program, numbered as Keras numbers them.
 */

const counts = new Map<string, number>();

/** `base` at its first use, then `base_1`, `base_2`, … */
export function uniqueName(base: string): string {
  const count = counts.get(base) ?? 0;
  counts.set(base, count + 1);
  return count === 0 ? base : `${base}_${count}`;
}

/** Starts the numbering of names anew. Layers that exist keep theirs. */
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
