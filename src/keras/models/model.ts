/**
 * @file Model: layers that are trained and saved together. Defined by symbolic inputs and outputs, or written as a subclass
 * with `build` and `call`.
 */
import { checkOptions, rejectExtraArguments } from '../../core/options.ts';
import { ValueError } from '../../core/errors.ts';
import { describe, type OpenShape } from '../../core/shape.ts';
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { alias, Tensor } from '../../tensor/tensor.ts';
import type { ModelClass } from '../json/writtenModel.ts';
import { KerasTensor } from '../graph/kerasTensor.ts';
import { GraphNode, type GraphOperation, nodeOf } from '../graph/graphNode.ts';
import { GraphProgram } from '../graph/program.ts';
import { notingReads, trace } from '../graph/tracing.ts';
import { currentCall } from '../layers/base/callContext.ts';
import {
  type AnyLayer,
  type CallOptions,
  Layer,
  type LayerOfModel,
  type Shapes,
} from '../layers/base/layer.ts';
import { type CommonOptions, layerOptionNames } from '../layers/base/layerOptions.ts';
import { setMask } from '../masks.ts';
import { declared } from '../options/declaration.ts';
import type { Options } from '../options/option.ts';
import { keysOf, leavesOf, mapNest, type Mapped, mapShapes, type Nest, packNest } from '../tensorNest.ts';
import type { Slots } from '../training/index.ts';
import { bindInputs } from './binding.ts';
import { summarize, summaryOptionNames, type SummaryOptions } from './summary.ts';
import { TrainedLayer } from './trainedLayer.ts';
import { InputLayer } from '../layers/core/inputLayer.ts';

/** A model defined by symbolic inputs and outputs. */
export interface GraphModelOptions<I, O> extends CommonOptions {
  /** Symbolic tensors: one, or arrays or records of them. */
  inputs: I;
  /** The outputs: a symbolic tensor, or a list or record of them. The model's results have the same form. */
  outputs: O;
}

/**
 * A layer that can be trained. With `inputs` and `outputs` it computes the calls between them. A subclass may be created
 * like that, too (`new MyModel({ inputs, outputs })`, for a custom `trainStep`), or define its own `call`:
 *
 *     class Classifier extends Model {
 *       readonly hidden = layers.dense({ units: 64, activation: 'relu' });
 *       readonly top = layers.dense({ units: 10 });
 *       override call(x: Tensor): Tensor {
 *         return this.top.apply(this.hidden.apply(x));
 *       }
 *     }
 */
export class Model<In extends Nest<Tensor> = Tensor, Out extends Nest<Tensor> = Tensor> extends TrainedLayer<
  In,
  Out
> {
  static override readonly className: string = 'Model';
  /** The library's class that this class is, or extends: files describe each in another form. */
  static readonly modelClass: ModelClass = 'Model';
  /** The graph, if the model was created from one. */
  #program: GraphProgram | null = null;

  constructor(
    options: CommonOptions | GraphModelOptions<Mapped<In, SymbolicTensor>, Mapped<Out, SymbolicTensor>> = {},
  ) {
    super(options);
    if (!('inputs' in options) && !('outputs' in options)) return;
    const { inputs, outputs } = options as GraphModelOptions<Nest<KerasTensor>, Nest<KerasTensor>>;
    this.program = withInputLayers(new GraphProgram(inputs, outputs));
  }

  /**
   * The graph of the model; null for a model with its own `call`.
   * @internal
   */
  get program(): GraphProgram | null {
    return this.#program;
  }

  protected set program(program: GraphProgram | null) {
    this.#program = program;
    this.built = program !== null;
  }

  /** @internal */
  override get slots(): Slots {
    const { program } = this;
    if (!program) return super.slots;
    const inputs = named(program.inputNest, this.inputNames, program.inputs);
    const names = pathsIn(program.outputNest, [...this.outputNames]);
    // Targets keep their dtype: losses convert them as needed.
    return { inputs, outputs: program.outputs.map(({ shape }, i) => ({ name: names[i] as string, shape })) };
  }

  /**
   * Layers in order from the inputs, including input layers; for a model with its own `call`, those in its properties. A
   * frozen list: a model is changed by `add` and `pop`, or made of other layers.
   */
  get layers(): readonly LayerOfModel[] {
    const { program } = this;
    const layers: readonly AnyLayer[] = program ? program.operations.filter(isLayer) : super.sublayers;
    return Object.freeze(layers) as readonly LayerOfModel[];
  }

  /**
   * The layers of the graph, and those in properties of a subclass.
   * @internal
   */
  override get sublayers(): AnyLayer[] {
    return [...new Set([...this.layers, ...super.sublayers])];
  }

  /** Layers and ops, in order from the inputs. Errors: ValueError for a model without a graph. */
  get operations(): readonly GraphOperation[] {
    return this.#graph('operations').operations;
  }

  /** Calls in execution order. Errors: ValueError for a model without a graph. */
  get nodes(): readonly GraphNode[] {
    return this.#graph('nodes').nodes;
  }

  /** The symbolic inputs in a list. */
  get inputs(): readonly KerasTensor[] {
    return this.program?.inputs ?? leavesOf(this.input as Nest<KerasTensor>);
  }

  /** The symbolic outputs in a list. */
  get outputs(): readonly KerasTensor[] {
    return this.program?.outputs ?? leavesOf(this.output as Nest<KerasTensor>);
  }

  /** Names of the inputs. */
  get inputNames(): string[] {
    return this.inputs.map(({ name }) => name);
  }

  /** For each output, the name of the layer or op that computes it. */
  get outputNames(): string[] {
    return this.outputs.map(({ kerasHistory, name }) => kerasHistory?.operation.name ?? name);
  }

  override get input(): Mapped<In, KerasTensor> {
    return this.program ? (this.program.inputNest as Mapped<In, KerasTensor>) : super.input;
  }

  override get output(): Mapped<Out, KerasTensor> {
    return this.program ? (this.program.outputNest as Mapped<Out, KerasTensor>) : super.output;
  }

  /**
   * Returns the layer with that name, or at that index of `layers`. TypeScript assumes a layer with one input and one output;
   * to use more, give its class: `getLayer<layers.Dense>('top').kernel`.
   * Errors: ValueError if there is none.
   */
  getLayer<L extends GraphOperation = Layer>(which: string | number, ...extra: never[]): L {
    rejectExtraArguments('getLayer', extra, ['which']);
    const { layers } = this;
    const found = Number.isInteger(which)
      ? layers.at(Number(which))
      : layers.find(({ name }) => name === which);
    if (found) return found as GraphOperation as L;
    throw new ValueError({
      op: 'getLayer',
      rule: `a layer is selected by its name, or by its index in [0, ${layers.length}).`,
      received: describe(which),
      hint: `'${this.name}' has ${layers.map(({ name }) => `'${name}'`).join(', ') || 'no layers'}.`,
    });
  }

  /**
   * Prints the layers with their shapes and parameters, in the format of Keras. Returns the text.
   * Errors: ValueError for columns that are too narrow, and for a `layerRange` that no layer matches.
   */
  summary(options: SummaryOptions = {}, ...extra: never[]): string {
    rejectExtraArguments('summary', extra, ['options']);
    checkOptions('summary', options, summaryOptionNames);
    const { print = console.log } = options;
    const { name, className, program, layers, trainableWeights, nonTrainableWeights } = this;
    const described = { name, className, program, layers, trainableWeights, nonTrainableWeights };
    const text = summarize({ ...described, optimizer: this.createdOptimizer }, options);
    print(text);
    return text;
  }

  override computeOutputShape(inputShape: Shapes<In>): Shapes<Out> {
    const { program } = this;
    if (!program) return super.computeOutputShape(inputShape);
    const shapes: OpenShape[] = [];
    mapShapes(inputShape as Nest<OpenShape>, (shape) => shapes.push(shape));
    const inputs = trace(() =>
      program.inputs.map(({ dtype }, i) => new KerasTensor({ shape: shapes[i] ?? [], dtype })),
    );
    const outputs = this.computeOutputSpec(packNest(program.inputNest, inputs), {});
    return mapNest(outputs, ({ shape }) => shape) as Shapes<Out>;
  }

  /** A graph is traced, because its layers determine the dtypes. */
  protected override computeOutputSpec(inputs: Nest<KerasTensor>, options: CallOptions): Nest<KerasTensor> {
    const { program } = this;
    if (!program) return super.computeOutputSpec(inputs, options);
    const training = options.training ?? currentCall()?.training ?? false;
    return program.outputsFor(inputs, training, () => this.traceCall(inputs, options));
  }

  override call(inputs: In, options: CallOptions): Out {
    const { inputNest, inputs: wanted } = this.#graph('call');
    // Its layers and ops infer their shapes themselves.
    const values = notingReads(null, () => bindInputs(this.name, inputNest, wanted, inputs as Nest<unknown>));
    const masks = options.mask === undefined ? [] : leavesOf(options.mask);
    // Masks are attached to separate handles, so that the caller's tensors are unchanged.
    const handles = new Map<unknown, unknown>();
    const given = values.map((value, i) => {
      const handle = withMask(value, masks[i] ?? null);
      if (handle !== value) handles.set(handle, value);
      return handle;
    });
    const outputs = mapNest(this.#graph('call').run(given), (output) => handles.get(output) ?? output);
    for (const handle of handles.keys()) (handle as Tensor).dispose();
    return outputs as Out;
  }

  #graph(what: string): GraphProgram {
    const { program } = this;
    if (program) return program;
    throw new ValueError({
      op: this.name,
      rule:
        what === 'call'
          ? 'a Model needs a `call` method, or `inputs` and `outputs`.'
          : `only a model with a graph has \`${what}\`.`,
      received: `${this}, which has neither`,
      hint: 'write `call(inputs, options)`, or pass { inputs, outputs }.',
    });
  }
}

/** A model with any inputs and outputs. */
export type AnyModel = Model<Nest<Tensor>, Nest<Tensor>>;

/** Returns a handle on `value` with `mask` attached; the caller's tensor is unchanged. */
function withMask(value: unknown, mask: Tensor | null): unknown {
  if (!(value instanceof Tensor) || mask === null || value.attachment?.id === mask.id) return value;
  return setMask(alias(value), mask);
}

/** Names of outputs, as in Keras: keys of records, otherwise names of layers; inside a record, both: 'q/dense'. */
function pathsIn(nest: Nest<KerasTensor>, layers: string[], key = ''): string[] {
  if (nest instanceof KerasTensor) {
    const layer = layers.shift() as string;
    return [key || layer];
  }
  const inside = Array.isArray(nest)
    ? nest.flatMap((one) => pathsIn(one, layers))
    : keysOf(nest).flatMap((name) =>
        pathsIn((nest as Record<string, Nest<KerasTensor>>)[name] as never, layers, name),
      );
  return key ? inside.map((name) => `${key}/${name}`) : inside;
}

/** Symbolic tensors as data slots, named by the keys of a record or by `names`. */
function named(nest: Nest<KerasTensor>, names: readonly string[], tensors: readonly KerasTensor[]) {
  const keys = nest instanceof KerasTensor || Array.isArray(nest) ? [] : keysOf(nest);
  const known = keys.length === tensors.length ? keys : names;
  return tensors.map(({ shape, dtype }, i) => ({ name: known[i] as string, shape, dtype }));
}

function isLayer(operation: GraphOperation): operation is AnyLayer & GraphOperation {
  return operation instanceof Layer;
}

/** The class that a class of models of the library extends: Model, with options of its own besides those of layers. */
export function declaredModel(className: string, table: () => Options): typeof Model {
  return declared(Model, className, table, layerOptionNames);
}

/**
 * Returns `program` with input layers for all of its inputs, which may be intermediate tensors of another model. As in Keras, the
 * calls after these are repeated on the same layers, so that the model can be printed and saved by itself.
 */
function withInputLayers(program: GraphProgram): GraphProgram {
  const given = new Set(program.inputs);
  if (program.inputs.every(isInput)) return program;
  const copies = new Map<KerasTensor, KerasTensor>();
  for (const input of given) {
    const { shape, dtype, name } = input;
    const copy = isInput(input) ? input : new InputLayer({ batchShape: shape, dtype, name }).tensor;
    copies.set(input, copy);
  }
  const copyOf = (tensor: KerasTensor) => copies.get(tensor) ?? tensor;
  for (const node of program.nodes) {
    const outputs = mapNest(node.outputNest, (tensor) => {
      const copy = new KerasTensor(tensor, tensor.name);
      if (!given.has(tensor)) copies.set(tensor, copy);
      return copy;
    });
    const { operation } = node;
    const argument = node.argumentWith(copyOf);
    new GraphNode({ operation, argument, outputs, options: node.optionsWith(copyOf) });
  }
  return new GraphProgram(mapNest(program.inputNest, copyOf), mapNest(program.outputNest, copyOf));
}

function isInput(tensor: KerasTensor): boolean {
  return nodeOf(tensor)?.isInput ?? false;
}
