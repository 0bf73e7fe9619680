/**
 * @file The current layer call. Layers inside a call inherit its `training` flag, and the losses that they add belong to
 * the outermost call.
 */

export interface CallContext {
  readonly training: boolean | undefined;
  /** Identifies the outermost call. */
  readonly outermost: object;
}

let current: CallContext | null = null;

/** The innermost layer call; null outside of layer calls. */
export function currentCall(): CallContext | null {
  return current;
}

/** Runs `body` as a layer call. If `training` is undefined, it is inherited from the surrounding call. */
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
