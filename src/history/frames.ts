/**
 * @file Frames: the layer call inside which ops run, so that a layer can be shown as one node that opens to the ops
 * inside.
 */
import type { Node } from './node.ts';

let parent: Node | null = null;

export function currentParent(): Node | null {
  return parent;
}

/** Runs `body`; calls made in it are recorded as made by `node`; with null, as made by no layer. */
export function insideCall<T>(node: Node | null, body: () => T): T {
  const before = parent;
  parent = node;
  try {
    return body();
  } finally {
    parent = before;
  }
}
