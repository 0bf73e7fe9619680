/** @file Direct calls of `call` by an app, instead of `apply`. Layers inside are checked as in `apply`: see `tracked.ts`. */
import { currentCall, insideLayerCall } from './callContext.ts';
import { observed } from './callObserver.ts';
import { requireTracked, type TrackedLayer } from './tracked.ts';

/**
 * Wraps the method `call` of `layer` for direct calls. `begin` is called with the outermost call. As in Keras, a direct call
 * creates neither a history node nor a name scope.
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
