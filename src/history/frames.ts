/**
 * @file Frames: the layer call inside which ops run, so that a layer can be shown as one node that expands to the ops
 * inside; and the call whose gradient is being computed.
 */
import type { Node } from './node.ts';

let parent: Node | null = null;

export function currentParent(): Node | null {
  return parent;
}

/** Records calls as made inside `node` from now on, or inside no layer if null. Returns what was there before, to enter it again. */
export function enterCall(node: Node | null): Node | null {
  const before = parent;
  parent = node;
  return before;
}

/** Runs `body`; calls made in it are recorded as made inside `node`, or inside no layer if null. */
export function insideCall<T>(node: Node | null, body: () => T): T {
  const before = enterCall(node);
  try {
    return body();
  } finally {
    enterCall(before);
  }
}

let gradientOf: Node | null = null;

/** Returns the call whose gradient is being computed; null outside a backward pass. */
export function currentGradient(): Node | null {
  return gradientOf;
}

/** Runs `body`; ops in it compute the gradient of `node`. */
export function insideGradient<T>(node: Node, body: () => T): T {
  const before = gradientOf;
  gradientOf = node;
  try {
    return body();
  } finally {
    gradientOf = before;
  }
}
