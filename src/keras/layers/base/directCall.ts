/** @file A `call` that an app calls itself, in place of `apply`. What it calls is checked as in `apply`: see `tracked.ts`. */
import { currentCall, insideLayerCall } from './callContext.ts';
import { observed } from './callObserver.ts';
import { requireTracked, type TrackedLayer } from './tracked.ts';

/**
 * The method `call` of `layer` for anyone to call. `begin` is called with the outermost call. Neither a node of history nor a name
 * scope is made, as in Keras.
 * Errors: those of `requireTracked`.
 */
export function checkedCall<In, Options extends { training?: boolean | undefined }, Out>(
  layer: TrackedLayer,
  call: (inputs: In, options: Options) => Out,
  begin: (outermost: object) => void,
): (inputs: In, options: Options) => Out {
  return (inputs, options) => {
    if (currentCall()?.layer === layer) return call.call(layer, inputs, options);
    requireTracked(layer, false);
    const given = options ?? {};
    return observed(layer, [inputs, given], () =>
      insideLayerCall(layer, given.training, ({ outermost }) => {
        begin(outermost);
        return call.call(layer, inputs, given);
      }),
    );
  };
}
