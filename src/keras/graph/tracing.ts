/**
 * @file Tracing: running a layer's `call` on symbolic tensors to infer the shapes of its outputs. Calls made while tracing
 * are not added to the graph and use no names.
 */

let depth = 0;

export function isTracing(): boolean {
  return depth > 0;
}

export function trace<T>(body: () => T): T {
  depth++;
  try {
    return body();
  } finally {
    depth--;
  }
}
