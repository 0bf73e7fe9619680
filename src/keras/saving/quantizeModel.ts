/**
 * @file Quantizes the layers of a model in place, as Keras 3.15's `model.quantize`: their weights become integers with scales. A layer
 * of a graph stays the object that it is, and becomes one of the quantized classes.
 */
import { ValueError } from '../../core/errors.ts';
import { checkOptions, type OptionNames } from '../../core/options.ts';
import { describe, requireInteger } from '../../core/shape.ts';
import { suggestionFor } from '../../core/suggest.ts';
import { type LayerTargets, layersFor, type PlacedLayer, placedLayers } from '../adapters/targets.ts';
import type { JsonObject } from '../json/document.ts';
import { rememberQuantization } from '../json/quantization.ts';
import { rememberPolicies } from '../json/storedPolicies.ts';
import { isModel } from '../json/writtenModel.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import type { Quantization } from '../layers/quantized/quantization.ts';
import type { QuantizedDense } from '../layers/quantized/quantizedDense.ts';
import { quantizedClasses } from '../layers/quantized/quantizedLayers.ts';
import { tidy } from '../../tensor/scope.ts';
import { tensor } from '../../tensor/create.ts';
import type { Variable } from '../../tensor/variable.ts';

/** Options of `model.quantize`. */
export interface QuantizeOptions {
  /** Number of weights with a common scale in int4; null for one scale for each output. Default 128. */
  blockSize?: number | null;
  /** The layers that are quantized: names, ends of paths or patterns. Default: all that can be. */
  filters?: LayerTargets;
}

const optionNames: OptionNames<QuantizeOptions> = { blockSize: false, filters: false };
const modes = ['int8', 'int4'];

/** As `Model.quantize`. */
export async function quantizeModel(model: AnyLayer, mode: unknown, options: QuantizeOptions): Promise<void> {
  const op = 'quantize';
  checkOptions(op, options, optionNames);
  if (mode !== 'int8' && mode !== 'int4') throw unknownMode(op, mode);
  const { blockSize = 128, filters } = options;
  if (blockSize !== null) requireInteger(op, 'blockSize', blockSize, 1);
  const own = layersOfModels(model);
  const placed = filters === undefined ? placedLayers(model) : layersFor(op, 'filters', model, filters);
  const found = placed.filter(({ layer }) => own.has(layer) && quantizedClasses.has(layer.constructor));
  if (found.length === 0) throw nothingToDo(op, model);
  for (const each of found) requireReady(op, each);
  for (const { layer } of found) await quantizeLayer(layer, mode, mode === 'int4' ? blockSize : null);
}

/** The layers of the model and of models inside it: files have a configuration for each. */
function layersOfModels(model: AnyLayer): ReadonlySet<AnyLayer> {
  const inside = model.sublayers.flatMap((layer) => (isModel(layer) ? [...layersOfModels(layer)] : [layer]));
  return new Set(inside);
}

async function quantizeLayer(layer: AnyLayer, mode: 'int8' | 'int4', block: number | null): Promise<void> {
  const [kernel, bias] = layer.weights as [Variable, Variable?];
  const values = (await kernel.data()) as Float32Array;
  const biasValues = bias ? await bias.data() : null;
  const { buildShape, trainable } = layer;
  const isTable = layer.className === 'Embedding';
  layer.releaseWeights();
  const type = quantizedClasses.get(layer.constructor) as unknown as { prototype: object };
  Object.setPrototypeOf(layer, type.prototype);
  // The constructor has kept the method of the other class.
  delete (layer as { build?: unknown }).build;
  const inputs = mode === 'int8' && !isTable ? ({ range: [-127, 127], epsilon: 1e-7 } as const) : null;
  const quantization: Quantization = { mode, bits: mode === 'int8' ? 8 : 4, block, history: 1024, inputs };
  const maps = { elementTypes: new Map(), fileForms: new Map() };
  Object.assign(layer, { quantization, savedVariables: [], ...maps, built: false });
  layer.ensureBuilt(buildShape as never);
  const quantized = layer as unknown as QuantizedDense;
  tidy(() => {
    for (const [variable, inFile] of quantized.requantized(values)) {
      const own = quantized.fileForms.get(variable)?.fromFile(inFile) ?? inFile;
      variable.assign(tensor(own as never, { shape: variable.shape, dtype: variable.dtype }));
    }
    if (biasValues && quantized.bias)
      quantized.bias.assign(tensor(biasValues as never, { shape: quantized.bias.shape }));
  });
  layer.trainable = trainable;
  remember(layer, mode, block);
}

/** Keeps what the configuration in a file says. */
function remember(layer: AnyLayer, mode: 'int8' | 'int4', block: number | null): void {
  const source = layer.dtypePolicy === 'mixedFloat16' ? 'mixed_float16' : 'float32';
  const policy =
    mode === 'int8'
      ? { class_name: 'QuantizedDTypePolicy', config: { mode, source_name: source } }
      : { class_name: 'Int4DTypePolicy', config: { mode: `int4/${block ?? -1}`, source_name: source } };
  const module = 'keras.dtype_policies';
  const dtype = { module, ...policy, registered_name: null } as unknown as JsonObject;
  rememberPolicies(layer, { dtype } as JsonObject, [layer.name]);
  rememberQuantization(layer, { quantization_config: configOf(mode, block) } as unknown as JsonObject);
}

function configOf(mode: 'int8' | 'int4', block: number | null): object {
  const module = 'keras.quantizers';
  const rounding = {
    module,
    class_name: 'AbsMaxQuantizer',
    config: { value_range: [-127, 127], epsilon: 1e-7, output_dtype: 'int8' },
    registered_name: null,
  };
  return {
    module,
    class_name: mode === 'int8' ? 'Int8QuantizationConfig' : 'Int4QuantizationConfig',
    config: {
      weight_quantizer: null,
      activation_quantizer: mode === 'int8' ? rounding : null,
      ...(mode === 'int4' && { block_size: block }),
    },
    registered_name: null,
  };
}

function requireReady(op: string, { path, layer }: PlacedLayer): void {
  const hasAdapter = ((layer as { adapters?: ReadonlyMap<string, unknown> }).adapters?.size ?? 0) > 0;
  if (layer.built && !hasAdapter) return;
  throw new ValueError({
    op,
    rule: 'a layer is quantized once it is built, and before it has an adapter.',
    received: `'${path}', ${layer.built ? 'which has an adapter' : "which isn't built"}`,
    hint: layer.built
      ? 'merge or remove the adapter first; add one again afterwards.'
      : 'call the model first.',
  });
}

function unknownMode(op: string, mode: unknown): ValueError {
  return new ValueError({
    op,
    rule: "a model is quantized to 'int8' or 'int4'.",
    received: describe(mode),
    hint: suggestionFor(mode, modes, 'other modes are read from files of Keras.'),
  });
}

function nothingToDo(op: string, model: AnyLayer): ValueError {
  return new ValueError({
    op,
    rule: 'dense, einsumDense and embedding layers are quantized, where they are layers of a model and not of another layer.',
    received: `'${model.name}' without any that is left`,
    hint: 'a model that was quantized stays so.',
  });
}
