/**
 * @file The layer call under way. Layers inside a call act as in training where the call does, and what they add to the
 * loss belongs to the outermost call.
 */

export interface CallContext {
  readonly training: boolean | undefined;
  /** The outermost call, by identity. */
  readonly outermost: object;
}

let current: CallContext | null = null;

/** The innermost layer call under way; null outside of all. */
export function currentCall(): CallContext | null {
  return current;
}

/** Runs `body` as a layer call inside the one under way. `training` left out is that of the call around it. */
export function insideLayerCall<T>(training: boolean | undefined, body: (context: CallContext) => T): T {
  const before = current;
  const context = { training: training ?? before?.training, outermost: before?.outermost ?? {} };
  current = context;
  try {
    return body(context);
  } finally {
    current = before;
  }
}
