/**
 * @file Layer: an operation with weights. Called on symbolic tensors it becomes a node of a graph; called on tensors it
 * runs, and its outputs remember the call, which opens to the ops inside.
 */
import type { DType } from '../../core/dtype.ts';
import { RetrogradError, ShapeError, ValueError } from '../../core/errors.ts';
import { describe, type OpenShape, type Shape } from '../../core/shape.ts';
import type { OpenSpec } from '../../core/spec.ts';
import { callSite } from '../../history/callSite.ts';
import { insideCall, currentParent } from '../../history/frames.ts';
import { type KerasHistory, Node, type Operation } from '../../history/node.ts';
import { inputRecord } from '../../ops/dispatch.ts';
import { identity } from '../../ops/identity.ts';
import { activeRecorders, isSymbolic, type SymbolicTensor, withRecorders } from '../../ops/recording.ts';
import { tidy } from '../../tensor/scope.ts';
import { Tensor } from '../../tensor/tensor.ts';
import { Variable } from '../../tensor/variable.ts';
import { KerasTensor } from '../graph/kerasTensor.ts';
import { GraphNode, type GraphOperation } from '../graph/node.ts';
import { trace } from '../graph/tracing.ts';
import { initializerOf, type InitializerLike } from '../initializers/index.ts';
import { snakeCase, uniqueName } from '../names.ts';
import { checkInput, type InputSpec } from './inputSpec.ts';
import { leavesOf, type Mapped, mapNest, mapShapes, type Nest, packNest } from '../nest.ts';

export interface LayerOptions {
  /** Default: the class's name with a number, such as `conv2d_1`. */
  name?: string;
  /** Whether its weights are trained. Default true. */
  trainable?: boolean;
  /** Dtype of the weights. Default float32. */
  dtype?: DType;
}

/** What a call may be told beside its inputs. */
export interface CallOptions {
  /** Whether the layer acts as in training (dropout, batch statistics). Default false. */
  training?: boolean;
}

export interface WeightOptions {
  shape: Shape;
  initializer?: InitializerLike;
  trainable?: boolean;
  dtype?: DType;
}

/** A layer of any inputs and outputs. */
export type AnyLayer = Layer<Nest<Tensor>, Nest<Tensor>>;

/** Shapes, in the nest of the tensors. */
export type Shapes<S> = Mapped<S, OpenShape>;

/**
 * Base class of layers. A subclass names its class (`static className`), makes its weights in `build(inputShape)` and
 * computes in `call(inputs, options)`, with ops alone. Shapes of symbolic outputs are found by running `call` on
 * symbolic tensors, unless the subclass has a `computeOutputShape` of its own.
 *
 * `In` and `Out` are what it takes and gives: a Tensor, or arrays and records of them.
 */
export abstract class Layer<In extends Nest<Tensor> = Tensor, Out extends Nest<Tensor> = Tensor>
  implements GraphOperation
{
  static readonly className: string = 'Layer';

  readonly name: string;
  readonly dtype: DType;
  readonly inboundNodes: GraphNode[] = [];
  readonly outboundNodes: GraphNode[] = [];
  /** Whether the weights exist. */
  built = false;
  /** What it demands of its inputs, one entry for each; checked before every call. */
  protected inputSpec: readonly InputSpec[] = [];
  readonly #weights: { variable: Variable; trainable: boolean }[] = [];
  #trainable: boolean;
  /** History knows eager calls by this identity, so that `nodeIndex` of symbolic calls counts those alone. */
  readonly #eager: Operation;

  constructor({ name, trainable = true, dtype = 'float32' }: LayerOptions = {}) {
    if (name !== undefined && (typeof name !== 'string' || name === '' || name.includes('/'))) {
      throw new ValueError({
        op: this.className,
        rule: '`name` is a string without a slash: weights are named `layer/weight`.',
        received: `name: ${describe(name)}`,
        mend: 'choose another name, or leave it out.',
      });
    }
    this.name = name ?? uniqueName(snakeCase(this.className));
    this.dtype = dtype;
    this.#trainable = trainable;
    this.#eager = { name: this.name, className: this.className };
  }

  /** The class by its Keras name, which survives minification. */
  get className(): string {
    return (this.constructor as typeof Layer).className;
  }

  /** Makes the weights. Called once, before the first call. */
  build(_inputShape: Shapes<In>): void {}

  /** Computes the outputs, with ops. Written for tensors; it is run on symbolic ones, too, for their shapes. */
  abstract call(inputs: In, options: CallOptions): Out;

  /** Shapes of the outputs for shapes of inputs. Default: found by running `call` on symbolic tensors. */
  computeOutputShape(inputShape: Shapes<In>): Shapes<Out> {
    const shapes = inputShape as Nest<OpenShape>;
    const inputs = trace(() => mapShapes(shapes, (shape) => new KerasTensor({ shape, dtype: this.dtype })));
    return mapNest(this.#traceCall(inputs, {}), ({ shape }) => shape) as Shapes<Out>;
  }

  /** Dtype of the outputs, where a layer has a `computeOutputShape` of its own. Default: that of the weights. */
  protected outputDType(_inputs: readonly OpenSpec[]): DType {
    return this.dtype;
  }

  /** The configuration from which the layer can be made again. */
  getConfig(): Record<string, unknown> {
    return { name: this.name, trainable: this.trainable, dtype: this.dtype };
  }

  /**
   * Calls the layer: symbolic tensors give symbolic tensors and a node; tensors give tensors whose history is this call.
   * Errors: ValueError for anything else; ShapeError where the inputs don't fit the layer.
   */
  apply(inputs: Mapped<In, SymbolicTensor>, options?: CallOptions): Mapped<Out, KerasTensor>;
  apply(inputs: In, options?: CallOptions): Out;
  apply(inputs: In | Mapped<In, SymbolicTensor>, options: CallOptions = {}): unknown {
    const nest = inputs as Nest<unknown>;
    const leaves = leavesOf(nest);
    mapNest(nest, (leaf, path) => this.#checkLeaf(leaf, path));
    const symbolic = leaves.some(isSymbolic);
    if (symbolic && !leaves.every(isSymbolic)) {
      throw new ValueError({
        op: this.name,
        rule: 'the inputs of a layer are all symbolic or all tensors.',
        received: leaves.map(String).join(', '),
        mend: 'bring constants in by an op, or give them to the model as an input.',
      });
    }
    this.#checkInputs(leaves as OpenSpec[]);
    this.ensureBuilt(mapNest(nest, (leaf) => (leaf as OpenSpec).shape) as Shapes<In>);
    return symbolic
      ? this.#applySymbolic(nest as Nest<KerasTensor>, options)
      : this.#applyEager(inputs as In, options);
  }

  /** Makes the weights, if they aren't there. */
  ensureBuilt(inputShape: Shapes<In>): void {
    if (this.built) return;
    // Weights are leaves: how they were drawn is no part of any recording, and no scope ends their life.
    withRecorders([], () => insideCall(null, () => tidy(() => this.build(inputShape))));
    this.built = true;
  }

  replay(node: GraphNode, argument: Nest<unknown>, options: object): Nest<unknown> {
    return this.apply(argument as In, { ...(node.options as CallOptions), ...options });
  }

  /** Makes a weight, named `layer/name`. For `build`. */
  protected addWeight(
    name: string,
    { shape, initializer = 'glorotUniform', trainable = true, dtype = this.dtype }: WeightOptions,
  ): Variable {
    const initial = initializerOf(initializer).call(shape, dtype);
    const made = new Variable(initial, {
      name: `${this.name}/${name}`,
      trainable: trainable && this.#trainable,
    });
    initial.dispose();
    this.#weights.push({ variable: made, trainable });
    return made;
  }

  /** Layers inside this one: those that it has as properties. */
  get sublayers(): AnyLayer[] {
    return Object.values(this)
      .flat()
      .filter((value) => value instanceof Layer);
  }

  /** All weights, with those of the layers inside. */
  get weights(): Variable[] {
    const all = [
      ...this.#weights.map(({ variable }) => variable),
      ...this.sublayers.flatMap((l) => l.weights),
    ];
    return [...new Set(all)];
  }

  get trainableWeights(): Variable[] {
    return this.weights.filter((weight) => weight.trainable);
  }

  get nonTrainableWeights(): Variable[] {
    return this.weights.filter((weight) => !weight.trainable);
  }

  /** Number of values in the weights. */
  countParams(): number {
    return this.weights.reduce((total, { size }) => total + size, 0);
  }

  /** Whether the weights are trained; setting it holds for layers inside, too. Tapes watch trainable weights only. */
  get trainable(): boolean {
    return this.#trainable;
  }

  set trainable(value: boolean) {
    this.#trainable = value;
    for (const { variable, trainable } of this.#weights) variable.trainable = value && trainable;
    for (const layer of this.sublayers) layer.trainable = value;
  }

  /** Frees the weights, with those of the layers inside. The layer can't be called any more. */
  dispose(): void {
    for (const weight of this.weights) weight.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Takes the values of `values`, in the order of `weights`. Errors: ShapeError where count, shape or dtype differ. */
  setWeights(values: readonly Tensor[]): void {
    const { weights } = this;
    if (values.length !== weights.length) {
      throw new ShapeError({
        op: this.name,
        rule: `it has ${weights.length} weights, and takes a value for each.`,
        received: `${values.length} values`,
        mend: `pass them in the order of \`weights\`: ${weights.map((w) => w.name).join(', ') || 'none; build the layer first'}.`,
      });
    }
    weights.forEach((weight, i) => {
      weight.assign(values[i] as Tensor);
    });
  }

  /** The symbolic input of its first call. Errors: ValueError where it was never called. */
  get input(): Mapped<In, KerasTensor> {
    return this.#firstNode('input').argument as Mapped<In, KerasTensor>;
  }

  /** The symbolic output of its first call. Errors: ValueError where it was never called. */
  get output(): Mapped<Out, KerasTensor> {
    return this.#outputsOf(this.#firstNode('output')) as Mapped<Out, KerasTensor>;
  }

  /** The symbolic output of call `nodeIndex`. Errors: ValueError where there is no such call. */
  getOutputAt(nodeIndex: number): Mapped<Out, KerasTensor> {
    return this.#outputsOf(this.#nodeAt(nodeIndex)) as Mapped<Out, KerasTensor>;
  }

  /** The symbolic input of call `nodeIndex`. Errors: ValueError where there is no such call. */
  getInputAt(nodeIndex: number): Mapped<In, KerasTensor> {
    return this.#nodeAt(nodeIndex).argument as Mapped<In, KerasTensor>;
  }

  toString(): string {
    return `${this.className} '${this.name}'`;
  }

  /** The nest in which each node's outputs were given. */
  readonly #outputNests = new WeakMap<GraphNode, Nest<unknown>>();

  #outputsOf(node: GraphNode): Nest<unknown> {
    return packNest(this.#outputNests.get(node) ?? null, node.outputTensors);
  }

  #nodeAt(index: number): GraphNode {
    const node = this.inboundNodes[index];
    if (node) return node;
    throw new ValueError({
      op: this.name,
      rule: `\`nodeIndex\` counts the symbolic calls of a layer; ${this} has ${this.inboundNodes.length}.`,
      received: `nodeIndex: ${describe(index)}`,
      mend: 'call the layer on a symbolic tensor first, or name an earlier call.',
    });
  }

  #firstNode(what: string): GraphNode {
    const [node] = this.inboundNodes;
    if (node) return node;
    throw new ValueError({
      op: this.name,
      rule: `a layer has an ${what} once it was called on a symbolic tensor.`,
      received: `${this}, which was never called so`,
      mend: 'call it in a model: layer.apply(input({ shape })).',
    });
  }

  #checkLeaf(leaf: unknown, path: string): void {
    if (leaf instanceof Tensor || leaf instanceof KerasTensor) return;
    throw new ValueError({
      op: this.name,
      rule: 'a layer is called on tensors or symbolic tensors.',
      received: `${path}: ${describe(leaf)}`,
      mend: 'make a tensor of host values first: tensor(values).',
    });
  }

  #checkInputs(specs: readonly OpenSpec[]): void {
    this.inputSpec.forEach((wanted, i) => {
      const given = specs[i];
      if (given) checkInput(this.name, wanted, given);
    });
  }

  #applySymbolic(inputs: Nest<KerasTensor>, options: CallOptions): Nest<KerasTensor> {
    const inferred = this.#inferOutputs(inputs, options);
    const outputs = mapNest(inferred, (spec) => new KerasTensor(spec));
    const node = new GraphNode({ operation: this, argument: inputs, outputs: leavesOf(outputs), options });
    this.#outputNests.set(node, outputs);
    return outputs;
  }

  /** Stand-ins for the outputs, for their specs. */
  #inferOutputs(inputs: Nest<KerasTensor>, options: CallOptions): Nest<KerasTensor> {
    if (this.computeOutputShape === Layer.prototype.computeOutputShape)
      return this.#traceCall(inputs, options);
    const dtype = this.outputDType(leavesOf(inputs));
    const shapes = this.computeOutputShape(mapNest(inputs, ({ shape }) => shape) as Shapes<In>);
    return trace(() => mapShapes(shapes as Nest<OpenShape>, (shape) => new KerasTensor({ shape, dtype })));
  }

  #traceCall(inputs: Nest<KerasTensor>, options: CallOptions): Nest<KerasTensor> {
    return trace(() => {
      const standIns = mapNest(inputs, (spec) => new KerasTensor(spec)) as unknown as In;
      const call = () => this.call(standIns, options) as unknown as Nest<KerasTensor>;
      return withRecorders([], () => insideCall(null, () => tidy(call)));
    });
  }

  #applyEager(inputs: In, options: CallOptions): Out {
    const recording = activeRecorders()[0]?.recording ?? 0;
    const made: OpenSpec[] = [];
    const node = new Node({
      operation: this.#eager,
      inputs: leavesOf(inputs as Nest<Tensor>).map((input) => inputRecord(input, recording)),
      outputs: made,
      options: options as Record<string, unknown>,
      parent: currentParent(),
      callSite: callSite(),
      recording,
    });
    return tidy(() => {
      const outputs = insideCall(node, () =>
        mapNest(this.call(inputs, options) as Nest<Tensor>, (output) => ownOutput(output, node)),
      );
      const inside: KerasHistory[] = [];
      leavesOf(outputs).forEach((output, i) => {
        made.push({ shape: output.shape, dtype: output.dtype });
        if (output.provenance.cause !== 'recorded') return;
        inside.push(output.provenance.history);
        output.provenance = { cause: 'recorded', history: node.historyOf(i) };
      });
      node.inside = inside;
      return outputs as Out;
    });
  }
}

/**
 * An output that this call made. What came from elsewhere (an input handed through, a kept tensor) gets a handle of its
 * own, so that its history stays what it was; what was detached on purpose stays detached.
 */
function ownOutput(output: Tensor, node: Node): Tensor {
  if (!(output instanceof Tensor)) {
    throw new RetrogradError({
      op: node.operation.name,
      rule: '`call` returns tensors.',
      received: describe(output),
      mend: 'return what an op gave, or arrays or records of that.',
    });
  }
  const { provenance } = output;
  if (provenance.cause === 'detached') return output;
  return provenance.cause === 'recorded' && provenance.history.node.parent === node
    ? output
    : identity(output);
}
