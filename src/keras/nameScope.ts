/**
 * @file Name scopes: weights are named by the layers in which they are made, as in Keras (`encoder/lstm_cell/kernel`).
 */

const scopes: { readonly owner: object; readonly name: string }[] = [];

/** Runs `body` inside the scope of `owner`. One owner within itself is one scope. */
export function inNameScope<T>(owner: object, name: string, body: () => T): T {
  if (scopes.at(-1)?.owner === owner) return body();
  scopes.push({ owner, name });
  try {
    return body();
  } finally {
    scopes.pop();
  }
}

/** `name` with the scopes around it. */
export function scopedName(name: string): string {
  return [...scopes.map((scope) => scope.name), name].join('/');
}
