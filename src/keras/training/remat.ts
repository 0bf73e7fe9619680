/**
 * @file Rematerialization: layers whose calls run again for their gradients, so that what they compute inside isn't kept. Modes and
 * names are those of Keras 3.15's RematScope and remat.
 */
import { ValueError } from '../../core/errors.ts';
import { checkOptions, type OptionNames } from '../../core/options.ts';
import { describe, type OpenShape, requireFinite, sizeOf } from '../../core/shape.ts';
import { suggestionFor } from '../../core/suggest.ts';
import { checkpoint } from '../../autodiff/checkpoint.ts';
import { activeRecorders } from '../../ops/define/recorders.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Activation } from '../activations.ts';
import { currentCall } from '../layers/base/callContext.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import { type LayerCall, provideRematerializer } from '../layers/base/rematerializer.ts';
import { mapNest, mapShapes, type Nest } from '../tensorNest.ts';

/** Options of `RematScope`. */
export interface RematOptions {
  /**
   * 'full' (the default): all layers; 'activations': only the activation functions of layers; 'largerThan': layers with larger outputs
   * than `outputSizeThreshold`; 'listOfLayers': those called `layerNames`; null: none.
   */
  mode?: 'full' | 'activations' | 'largerThan' | 'listOfLayers' | null;
  /** Number of values in the outputs of a call, for 'largerThan'. Default 1024. */
  outputSizeThreshold?: number;
  /** Names of layers, for 'listOfLayers'. */
  layerNames?: readonly string[];
}

const optionNames: OptionNames<RematOptions> = { mode: false, outputSizeThreshold: false, layerNames: false };
const modes = ['full', 'activations', 'largerThan', 'listOfLayers'];

type Mode = Required<RematOptions>;

let scopes: readonly RematScope[] = [];
const always: Mode = { mode: 'full', outputSizeThreshold: 0, layerNames: [] };
const modeOf = new WeakMap<object, Mode>();
/** Layers that a plan of memory has chosen. */
const planned = new WeakSet<object>();
/** Whether a call that may run again is running: what is inside runs again with it. */
let isInside = false;

/**
 * Layers that are created while it is open don't keep what they compute for the gradient: the backward pass runs their calls again,
 * with the same random numbers. It takes a third more time, and the memory of one layer. A layer with layers inside is one call; the
 * layers of a model are separate ones. The gradients are the same to the bit.
 *
 *     using scope = new RematScope({ mode: 'listOfLayers', layerNames: ['block_1', 'block_2'] });
 *
 * Without `using`, call `dispose`. Inside, further scopes take its place while they are open. Errors: ValueError for invalid options.
 */
export class RematScope implements Disposable {
  readonly mode: Mode['mode'];
  readonly outputSizeThreshold: number;
  readonly layerNames: readonly string[];

  constructor(options: RematOptions = {}) {
    checkOptions('RematScope', options, optionNames);
    const { mode = 'full', outputSizeThreshold = 1024, layerNames = [] } = options;
    if (mode !== null && !modes.includes(mode)) throw unknownMode(mode);
    requireFinite('RematScope', 'outputSizeThreshold', outputSizeThreshold);
    if (!Array.isArray(layerNames) || layerNames.some((name) => typeof name !== 'string'))
      throw notNames(layerNames);
    this.mode = mode;
    this.outputSizeThreshold = outputSizeThreshold;
    this.layerNames = layerNames;
    provide();
    scopes = [...scopes, this];
  }

  /** Closes the scope. */
  dispose(): void {
    scopes = scopes.filter((scope) => scope !== this);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/**
 * Returns a function that keeps only its inputs for the gradient, and runs again for it; a layer or a model is returned itself, and
 * its calls do the same. As `checkpoint`, with its errors.
 *
 *     const block = remat(layers.multiHeadAttention({ numHeads: 8, keyDim: 64 }));
 */
export function remat<F extends AnyLayer | ((...inputs: never[]) => unknown)>(f: F): F {
  // Not instanceof: training is loaded without the class of layers.
  if (typeof f !== 'object' || !('sublayers' in f)) return checkpoint(f as never) as unknown as F;
  provide();
  modeOf.set(f, always);
  return f;
}

/** Chooses whether the calls of a layer that has no mode of its own run again. */
export function recomputeCalls(layer: object, isWanted: boolean): void {
  provide();
  if (isWanted) planned.add(layer);
  else planned.delete(layer);
}

function provide(): void {
  provideRematerializer({ created, run });
}

/** A model is computed layer by layer, unless `remat` says otherwise. */
function created(layer: object): void {
  const scope = scopes.at(-1);
  if (!scope?.mode || 'trainStep' in layer) return;
  const { mode, outputSizeThreshold, layerNames } = scope;
  modeOf.set(layer, { mode, outputSizeThreshold, layerNames });
}

function run(
  given: object,
  inputs: Nest<Tensor>,
  training: boolean | undefined,
  call: LayerCall,
): Nest<Tensor> {
  const layer = given as AnyLayer;
  const mode = modeOf.get(layer) ?? (planned.has(layer) ? always : null);
  if (!mode || isInside || activeRecorders().length === 0) return call(training);
  if (mode.mode === 'activations') return withActivation(layer, () => call(training));
  if (!isChosen(layer, inputs, mode)) return call(training);
  // The second run is outside of the calls around this one, which it inherits the mode from.
  const inherited = training ?? currentCall()?.training;
  const found: { losses: Tensor[] } = { losses: [] };
  const again = checkpoint(() =>
    inside(() => {
      const before = new Set(layer.addedLosses);
      const outputs = call(inherited);
      return { outputs, losses: layer.addedLosses.filter((loss) => !before.has(loss)) };
    }),
  );
  const before = new Set(layer.addedLosses);
  const { outputs, losses } = again() as unknown as { outputs: Nest<Tensor>; losses: Tensor[] };
  found.losses = losses;
  // What the call added isn't recorded; what the checkpoint returns is.
  layer.replaceLosses((loss) => (before.has(loss) ? loss : (found.losses.shift() as Tensor)));
  return outputs;
}

function inside<T>(body: () => T): T {
  isInside = true;
  try {
    return body();
  } finally {
    isInside = false;
  }
}

function isChosen(
  layer: AnyLayer,
  inputs: Nest<Tensor>,
  { mode, outputSizeThreshold, layerNames }: Mode,
): boolean {
  if (mode === 'listOfLayers') return layerNames.includes(layer.name);
  return mode === 'full' || outputSize(layer, inputs) > outputSizeThreshold;
}

/** Sizes of outputs by the shapes of inputs: finding one takes as long as a call. */
const sizes = new WeakMap<AnyLayer, Map<string, number>>();

/** Number of values in the outputs. */
function outputSize(layer: AnyLayer, inputs: Nest<Tensor>): number {
  const known = sizes.get(layer) ?? new Map<string, number>();
  sizes.set(layer, known);
  const shapes = mapNest(inputs, ({ shape }) => shape);
  const key = JSON.stringify(shapes);
  let size = known.get(key);
  if (size === undefined) {
    size = 0;
    mapShapes(layer.computeOutputShape(shapes as never) as Nest<OpenShape>, (shape) => {
      size = (size ?? 0) + sizeOf(shape.map((n) => n ?? 1));
    });
    known.set(key, size);
  }
  return size;
}

/** Runs `call` with an activation that runs again. */
function withActivation<T>(layer: AnyLayer, call: () => T): T {
  const owner = layer as { activation?: Activation };
  const { activation } = owner;
  if (typeof activation !== 'function') return call();
  owner.activation = checkpoint((x: Tensor) => activation(x)) as Activation;
  try {
    return call();
  } finally {
    owner.activation = activation;
  }
}

function unknownMode(mode: unknown): ValueError {
  return new ValueError({
    op: 'RematScope',
    rule: `\`mode\` is ${modes.map((name) => `'${name}'`).join(', ')} or null.`,
    received: `mode: ${describe(mode)}`,
    hint: suggestionFor(mode, modes, 'leave it out for all layers.'),
  });
}

function notNames(given: unknown): ValueError {
  return new ValueError({
    op: 'RematScope',
    rule: '`layerNames` are names of layers.',
    received: `layerNames: ${describe(given)}`,
    hint: "pass ['block_1', 'block_2'].",
  });
}
