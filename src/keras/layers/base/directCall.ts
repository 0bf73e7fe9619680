/**
 * @file An app's own calls of a layer's `build` and `call`, instead of `apply`. Layers inside are checked as in `apply`: see
 * `tracked.ts`.
 */
import { currentCall, insideLayerCall } from './callContext.ts';
import { observed } from './callObserver.ts';
import { requireTracked, type TrackedLayer } from './tracked.ts';

/** The methods of layers that apps override and also call. */
type Methods = Readonly<Record<'build' | 'call', (...args: never[]) => unknown>>;

/** The prototype of a class -> that of its layers. */
const entrances = new WeakMap<object, object>();

/**
 * Puts `methods` between `layer` and the `prototype` of its class, once per class: calls from outside enter by them, and `super.call`
 * in a class still is the method of the class above. They are bound, so that `compile(layer.call)` works. A class without `call` gets
 * none.
 */
export function enterBy(layer: object, prototype: object, methods: Methods): void {
  let entrance = entrances.get(prototype);
  if (!entrance) {
    entrance = Object.create(prototype) as object;
    for (const [name, method] of Object.entries(methods))
      if (name in prototype) Object.defineProperty(entrance, name, bound(name, method));
    entrances.set(prototype, entrance);
  }
  Object.setPrototypeOf(layer, entrance);
}

/** A property that is `method`, bound to its owner. An app may assign another method to its layer. */
const bound = (name: string, method: Methods[keyof Methods]): PropertyDescriptor & ThisType<object> => ({
  get() {
    return method.bind(this as never);
  },
  set(value: unknown) {
    Object.defineProperty(this, name, { value, writable: true, configurable: true });
  },
});

/**
 * Runs `call` as an app's direct call of `layer`. `begin` is called with the outermost call. As in Keras, a direct call creates
 * neither a history node nor a name scope.
 * Errors: those of `requireTracked`.
 */
export function callDirectly<In, Options extends { training?: boolean | undefined }, Out>(
  layer: TrackedLayer,
  inputs: In,
  options: Options,
  call: (options: Options) => Out,
  begin: (outermost: object) => void,
): Out {
  // `apply` has done the rest.
  if (currentCall()?.layer === layer) return call(options);
  requireTracked(layer, false);
  const given = options ?? {};
  return observed(layer, [inputs, given], () =>
    insideLayerCall(layer, given.training, ({ outermost }) => {
      begin(outermost);
      return call(given);
    }),
  );
}
