/**
 * @file Tracing: a layer's `call` is run on symbolic tensors to learn the shapes of its outputs. What happens meanwhile
 * leaves no mark in the graph: no nodes on layers, no names taken.
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
