/**
 * @file The current layer call. Layers inside a call inherit its `training` flag, and the losses that they add belong to
 * the outermost call.
 */

import { registerAmbient } from '../../../ops/define/ambient.ts';

export interface CallContext {
  /** The layer whose `call` runs. */
  readonly layer: object;
  /** The call around it; null for the outermost. */
  readonly outer: CallContext | null;
  readonly training: boolean | undefined;
  /** Identifies the outermost call. */
  readonly outermost: object;
}

let current: CallContext | null = null;

registerAmbient(() => (current?.training === undefined ? '' : `, training ${current.training}`));

/** The innermost layer call; null outside of layer calls. */
export function currentCall(): CallContext | null {
  return current;
}

/** Runs `body` as a call of `layer`. If `training` is undefined, it is inherited from the surrounding call. */
export function insideLayerCall<T>(
  layer: object,
  training: boolean | undefined,
  body: (context: CallContext) => T,
): T {
  const outer = current;
  const context = {
    layer,
    outer,
    training: training ?? outer?.training,
    outermost: outer?.outermost ?? {},
  };
  current = context;
  try {
    return body(context);
  } finally {
    current = outer;
  }
}
