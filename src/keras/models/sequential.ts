/** @file Sequential: a linear stack of layers. Without an input layer, it is built at its first call. */
import { isListOf } from '../../core/lists.ts';
import { type DType, isDType } from '../../core/dtype.ts';
import { ShapeError, ValueError } from '../../core/errors.ts';
import { rejectExtraArguments } from '../../core/options.ts';
import type { Pieces } from '../../core/pieces.ts';
import { describe, maxRank, type OpenShape, requireInteger } from '../../core/shape.ts';
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { KerasTensor } from '../graph/kerasTensor.ts';
import { GraphProgram } from '../graph/program.ts';
import type { ModelClass } from '../json/writtenModel.ts';
import { checkedOptions, type CommonOptions } from '../layers/base/layerOptions.ts';
import { InputLayer } from '../layers/core/inputLayer.ts';
import {
  type AnyLayer,
  type ApplyOptions,
  type CallOptions,
  Layer,
  type LayerOfModel,
} from '../layers/base/layer.ts';
import type { ClassConfig } from '../namedObjects.ts';
import { inNameScope, uniqueName } from '../names.ts';
import type { Nest } from '../tensorNest.ts';
import { deserializeLayer, serializeLayer } from '../serialization/layerConfigs.ts';
import { declaredModel } from './model.ts';
import { factoryOf } from '../options/factory.ts';
import { own } from '../options/kinds.ts';
import type { DescribedInput } from '../layers/base/describedInput.ts';
import { batchShapeOf, inputDTypeOf } from '../layers/base/inputSizes.ts';
import { knownOptionsOf } from '../options/declaration.ts';

/** Layers; the first may be the result of `input()`. */
export type Stackable = AnyLayer | Layer | SymbolicTensor | ClassConfig;

export interface SequentialOptions extends CommonOptions {
  /** The layers, from the first to the last. Default: none yet; `add` them. */
  layers?: readonly Stackable[];
  /** Shape of the input, the batch included, to build a model without an input layer immediately. */
  buildInputShape?: OpenShape | null;
}

export class Sequential extends /* @__PURE__ */ declaredModel('Sequential', () => ({
  layers: own,
  buildInputShape: own,
}))<Tensor, Tensor> {
  static override readonly modelClass: ModelClass = 'Sequential';

  /** The layers that were added, without the input layer. */
  readonly #stack: AnyLayer[] = [];
  /** Symbolic outputs of the layers in the stack, once the model is built, preceded by that of the input layer. */
  #outputs: KerasTensor[] = [];
  /** Dtype of the first tensors that the model is called on. */
  #inputDType: DType | undefined;
  /** Whether layers were added or removed since the program was made: many may be, one after the other. */
  #isStale = false;

  constructor(given: SequentialOptions = {}) {
    checkedOptions(new.target, given);
    const { layers = [], buildInputShape = null, ...options } = given;
    super(options);
    if (!Array.isArray(layers)) {
      throw new ValueError({
        op: this.name,
        rule: '`layers` is a list of layers.',
        received: `layers: ${describe(layers)}`,
        hint: 'pass [dense({ units: 8 }), dense({ units: 1 })].',
      });
    }
    for (const layer of layers) this.#push(layer);
    this.#extend();
    if (buildInputShape && !this.built) this.build(buildInputShape);
    if (options.trainable === false) this.trainable = false;
  }

  /** Extends `model` by `layers`, in pieces; it has no program in between. Errors: those of `add`. */
  static *extend(model: Sequential, layers: readonly Stackable[]): Pieces<void> {
    for (const layer of layers) model.#push(layer);
    while (model.#callNext()) yield;
    model.#noteProgram();
  }

  override get program(): GraphProgram | null {
    const [first] = this.#outputs;
    if (this.#isStale && first) {
      this.#isStale = false;
      super.program = new GraphProgram(first, this.#outputs.at(-1) as KerasTensor);
    }
    return super.program;
  }

  protected override set program(program: GraphProgram | null) {
    super.program = program;
  }

  /** The layers that were added, without the input layer. */
  override get layers(): readonly LayerOfModel[] {
    return Object.freeze(this.#input ? this.#stack.slice(1) : [...this.#stack]) as readonly LayerOfModel[];
  }

  /** The layers that were added, with the input layer. */
  override get sublayers(): AnyLayer[] {
    return [...new Set([...this.#stack, ...super.sublayers])];
  }

  get #input(): InputLayer | null {
    const first = this.#stack[0] as unknown;
    return first instanceof InputLayer ? first : null;
  }

  /**
   * Adds a layer on top. If the model knows its input, the layer is built immediately.
   * Errors: ValueError for anything but a layer, for a name that the model already has, and for a second input.
   */
  add(layer: Stackable, ...extra: never[]): void {
    rejectExtraArguments('add', extra, ['layer']);
    this.#push(layer);
    this.#extend();
  }

  /** Removes the topmost layer. Errors: ValueError if there is none. */
  pop(): AnyLayer {
    if (this.layers.length === 0) {
      throw new ValueError({
        op: this.name,
        rule: 'a layer is taken from a model that has one.',
        received: 'a model without layers',
        hint: 'add(layer) first.',
      });
    }
    const layer = this.#stack.pop() as AnyLayer;
    this.#outputs = this.#outputs.slice(0, this.#stack.length);
    this.#noteProgram();
    return layer;
  }

  /** Builds the model for inputs of `inputShape`, the batch included. */
  override build(inputShape: OpenShape): void {
    if (!isShape(inputShape)) return; // Nests of inputs go through the layers call by call.
    if (this.layers.length === 0) {
      throw new ValueError({
        op: this.name,
        rule: 'a model consists of layers.',
        received: 'a model without layers',
        hint: 'add(layer) first.',
      });
    }
    const { batchShape } = this.#input ?? {};
    if (!batchShape) {
      const dtype = this.#inputDType ?? (this.#stack[0] as AnyLayer).inputDType;
      this.#stack.unshift(new InputLayer({ batchShape: inputShape, dtype }) as unknown as AnyLayer);
    } else if (String(batchShape) !== String(inputShape)) {
      throw new ValueError({
        op: this.name,
        rule: `it was built for inputs of shape ${describe(batchShape)}.`,
        received: describe(inputShape),
        hint: 'create a second model with the same layers for inputs of another shape.',
      });
    }
    this.#extend();
  }

  /** Builds the model with an open batch size, regardless of the first batch. */
  override ensureBuilt(inputShape: OpenShape): void {
    if (this.built) return;
    const [, ...rest] = isShape(inputShape) ? inputShape : [];
    this.build(isShape(inputShape) && this.#stack.length > 0 ? [null, ...rest] : inputShape);
  }

  override apply(inputs: SymbolicTensor, options?: ApplyOptions): KerasTensor;
  override apply(inputs: Tensor, options?: ApplyOptions): Tensor;
  override apply(
    inputs: Tensor | SymbolicTensor,
    options?: ApplyOptions,
    ...extra: never[]
  ): Tensor | KerasTensor {
    rejectExtraArguments(`${this.name}.apply`, extra, ['inputs', 'options']);
    if (!this.built && (inputs instanceof Tensor || inputs instanceof KerasTensor))
      this.#inputDType = inputs.dtype;
    return super.apply(inputs as Tensor, options);
  }

  override call(inputs: Tensor, options: CallOptions): Tensor {
    if (this.program) return super.call(inputs, options);
    const { mask } = options;
    return this.layers.reduce<Nest<Tensor>>(
      (value, layer, i) => layer.apply(value, i === 0 && mask !== undefined ? { mask } : {}),
      inputs,
    ) as Tensor;
  }

  override get input(): KerasTensor {
    return this.program ? super.input : this.#undefined('input');
  }

  override get output(): KerasTensor {
    return this.program ? super.output : this.#undefined('output');
  }

  override getConfig(): Record<string, unknown> {
    const layers = this.#stack.map(serializeLayer);
    return { ...super.getConfig(), layers, buildInputShape: this.buildShape };
  }

  #undefined(what: string): never {
    throw new ValueError({
      op: this.name,
      rule: `a Sequential has an ${what} once it has layers and its input shape is known.`,
      received: `${this}, which was not built`,
      hint: 'start with input({ shape }), or call build([null, …]).',
    });
  }

  #push(given: Stackable): void {
    const layer = asLayer(this.name, given);
    const same = this.#stack.find((other) => other.name === layer.name && other !== layer);
    if (same) {
      throw new ValueError({
        op: this.name,
        rule: 'the layers of a model must have unique names.',
        received: `a second layer named '${layer.name}'`,
        hint: 'give one of them another name.',
      });
    }
    if ((layer as unknown) instanceof InputLayer && this.#stack.length > 0) {
      throw new ValueError({
        op: this.name,
        rule: 'a Sequential has one input, below its layers.',
        received: `${layer} above ${this.#stack.map(String).join(', ')}`,
        hint: 'put it first; for several inputs use model({ inputs, outputs }).',
      });
    }
    const input = this.#stack.length === 0 ? inputLayerFor(layer) : null;
    if (input) this.#stack.push(input as unknown as AnyLayer);
    this.#stack.push(layer);
  }

  /** Calls the layers that were not called yet. */
  #extend(): void {
    if (!this.#input) return;
    while (this.#callNext());
    this.#noteProgram();
  }

  /** Calls the next layer on the output of the one before. False if there is none, or nothing to call it on. */
  #callNext(): boolean {
    const bottom = this.#input;
    if (!bottom) return false;
    if (this.#outputs.length === 0) this.#outputs = [bottom.tensor];
    const layer = this.#stack[this.#outputs.length];
    if (!layer) return false;
    inNameScope(this, this.name, () => {
      this.#outputs.push(this.#single(layer, layer.apply(this.#outputs.at(-1) as SymbolicTensor)));
    });
    return true;
  }

  #single(layer: AnyLayer, output: Nest<KerasTensor>): KerasTensor {
    if (output instanceof KerasTensor) return output;
    throw new ValueError({
      op: this.name,
      rule: 'each layer of a Sequential has one input and one output.',
      received: `${layer}, which gives several tensors`,
      hint: 'describe the model by model({ inputs, outputs }).',
    });
  }

  /** Notes that the program has to be made again, where the model has one. */
  #noteProgram(): void {
    const [first] = this.#outputs;
    const hasProgram = first !== undefined && first !== this.#outputs.at(-1);
    this.program = null;
    this.#isStale = this.built = hasProgram;
    // Keras creates a Functional here, which takes up a name.
    if (hasProgram) uniqueName('functional');
    this.buildShape = hasProgram ? first.shape : null;
  }
}

function isShape(given: unknown): given is OpenShape {
  return isListOf(given, (n) => n === null || Number.isInteger(n));
}

function asLayer(model: string, given: unknown): AnyLayer {
  if (isConfig(given)) return deserializeLayer(given);
  const made = given instanceof KerasTensor ? given.kerasHistory?.operation : undefined;
  const layer: unknown = made instanceof InputLayer ? made : given;
  if (layer instanceof Layer) return layer as AnyLayer;
  throw new ValueError({
    op: model,
    rule: 'a Sequential consists of layers, the first of which may be input({ shape }).',
    received: given instanceof KerasTensor ? String(given) : describe(given),
    hint: 'pass layers such as layers.dense({ units: 8 }), not their outputs.',
  });
}

function isConfig(given: unknown): given is ClassConfig {
  return typeof given === 'object' && given !== null && Object.getPrototypeOf(given) === Object.prototype;
}

/**
 * Creates a linear stack of layers: `sequential([…layers])`, or `sequential({ layers, name })`. With `input({ shape })` at its
 * start it is built immediately; otherwise at its first call, `build` or `fit`.
 * Errors: ValueError for anything but layers, and for names given twice.
 */
export const sequential = /* @__PURE__ */ factoryOf(Sequential, ['layers']);

/**
 * Returns the layer of the input that `layer` describes; null if it describes none. The input's dtype is that of the layer if its
 * options have one, then `inputDType`, then what the layer reads.
 * Errors: ShapeError, ValueError, DTypeError for values that describe none.
 */
function inputLayerFor(layer: AnyLayer): InputLayer | null {
  const { describedInput: given, name } = layer;
  if (!given || (layer as unknown) instanceof InputLayer) return null;
  const { inputDType, dtype } = given;
  const own = inputDType === undefined ? layer.inputDType : inputDTypeOf(name, inputDType, 'inputDType');
  return new InputLayer({ batchShape: shapeOf(layer, given), dtype: isDType(dtype) ? dtype : own });
}

function shapeOf(layer: AnyLayer, given: DescribedInput): OpenShape {
  const { name: op } = layer;
  const { inputShape, batchInputShape: batchShape, batchSize } = given;
  const sizes = sizesOf(layer, given);
  const shape = inputShape ?? (batchShape ? undefined : sizes);
  const batched = batchShapeOf(op, { shape, batchShape, batchSize }, ['inputShape', 'batchInputShape']);
  if (!sizes || String(sizes) === String(batched.slice(1))) return batched;
  throw new ShapeError({
    op,
    rule: '`inputDim` and `inputLength` are sizes of `inputShape`.',
    received: `${describe(sizes)}, and ${describe(batched)}`,
    hint: 'leave them out.',
  });
}

/** Sizes by `inputDim` and `inputLength`: those of a sequence, or features alone. An embedding's `inputDim` is no size of its input. */
function sizesOf(layer: AnyLayer, { inputDim, inputLength }: DescribedInput): OpenShape | undefined {
  if (inputDim === undefined && inputLength === undefined) return undefined;
  if (inputDim !== undefined) requireInteger(layer.name, 'inputDim', inputDim, 1);
  const type = layer.constructor as typeof Layer;
  const isRecurrent = type.callOptionNames.includes('initialState');
  const given = inputLength ?? (isRecurrent ? [null] : []);
  // Checks the number of sizes before the others: a list may be of any length.
  const steps: readonly unknown[] = Array.isArray(given) && given.length <= maxRank ? given : [given];
  for (const size of steps) if (size !== null) requireInteger(layer.name, 'inputLength', size, 1);
  const features = knownOptionsOf(type)?.includes('inputDim') ? [] : [inputDim ?? null];
  return [...steps, ...features] as OpenShape;
}
