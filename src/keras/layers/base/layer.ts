/**
 * @file Layer: an operation with weights. Called on symbolic tensors it becomes a node of a graph; called on tensors it
 * runs, and its outputs remember the call, which opens to the ops inside.
 */
import type { DType } from '../../../core/dtype.ts';
import { ValueError } from '../../../core/errors.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import type { OpenSpec } from '../../../core/spec.ts';
import { forReal } from '../../../webgpu/activeRecording.ts';
import { insideCall } from '../../../history/frames.ts';
import type { Operation } from '../../../history/node.ts';
import { isSymbolic, type SymbolicTensor, withRecorders } from '../../../ops/recorders.ts';
import { tidy } from '../../../tensor/scope.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import { configOf } from '../../namedObjects.ts';
import { KerasTensor } from '../../graph/kerasTensor.ts';
import { GraphNode } from '../../graph/graphNode.ts';
import { isTracing, trace } from '../../graph/tracing.ts';
import { maskOf, setMask } from '../../masks.ts';
import { inNameScope } from '../../names.ts';
import { leavesOf, type Mapped, mapNest, mapShapes, type Nest } from '../../tensorNest.ts';
import { type Regularizer, regularizerOf } from '../../regularizers/index.ts';
import { currentCall, insideLayerCall } from './callContext.ts';
import { runEagerly } from './eagerCall.ts';
import { findInProperties } from './findInProperties.ts';
import { checkInputs, type InputSpec } from './inputSpec.ts';
import { activityLoss, CallLosses, weightLosses } from './layerLosses.ts';
import { heldOptions, isMasked, requireTensors } from './callInputs.ts';
import { type LayerOptions, WeightedOperation } from './weightedOperation.ts';

export type { LayerOptions } from './weightedOperation.ts';
export type { WeightOptions } from './layerWeights.ts';

/** What a call is told beside its inputs. Other names are the layer's own (`initialState`), and may hold tensors. */
export interface CallOptions {
  /** Whether the layer acts as in training (dropout, batch statistics). Default: as the layer call around it, or false. */
  training?: boolean | undefined;
  /** Which steps of the inputs count, in their nest. Default: the masks that the inputs carry. */
  mask?: Nest<Tensor | null> | undefined;
  [kwarg: string]: unknown;
}

/** Options of a call on tensors or symbolic tensors. */
export interface ApplyOptions {
  training?: boolean | undefined;
  mask?: Nest<Tensor | SymbolicTensor | null> | undefined;
  [kwarg: string]: unknown;
}

/** A layer of any inputs and outputs. */
export type AnyLayer = Layer<Nest<Tensor>, Nest<Tensor>>;

/** Shapes, in the nest of the tensors. */
export type Shapes<S> = Mapped<S, OpenShape>;

/**
 * Base class of layers. A subclass names its class (`static className`), makes its weights in `build(inputShape)` and
 * computes in `call(inputs, options)`, with ops alone. Shapes of symbolic outputs are found by running `call` on
 * symbolic tensors, unless the subclass has a `computeOutputShape` of its own. `getConfig` gives all options, so that
 * `fromConfig` makes an equal layer. Layers and variables that it has as properties, in arrays or records, too, belong
 * to it.
 *
 * `In` and `Out` are what it takes and gives: a Tensor, or arrays and records of them.
 */
export abstract class Layer<
  In extends Nest<Tensor> = Tensor,
  Out extends Nest<Tensor> = Tensor,
> extends WeightedOperation<In, Out> {
  static override readonly className: string = 'Layer';

  /** The layer of a configuration that `getConfig` gave. */
  static fromConfig<T, C>(this: new (options: C) => T, config: C): T {
    return new this(config);
  }

  /** Whether the weights exist. */
  built = false;
  /** The shapes that `build` was given; null before. */
  buildShape: Shapes<In> | null = null;
  /** Whether masks of the inputs hold for the outputs, too. Otherwise they end here. */
  readonly supportsMasking: boolean = false;
  /** Whether `call` reads `options.mask`. A graph then counts masks among the inputs of a call, as Keras does. */
  readonly takesMask: boolean = false;
  /** Dtype that a model gives its input where this layer comes first, and nothing else says it. */
  readonly inputDType: DType = 'float32';
  /** What the outputs cost. */
  readonly activityRegularizer: Regularizer | null;
  /** What it demands of its inputs, one entry for each; checked before every call. */
  protected inputSpec: readonly InputSpec[] = [];
  readonly #added = new CallLosses();
  /** The outermost call during which this layer was called last. */
  #lastCall: object | null = null;
  /** History knows eager calls by this identity, so that `nodeIndex` of symbolic calls counts those alone. */
  readonly #eager: Operation;

  constructor({ activityRegularizer, ...options }: LayerOptions = {}) {
    super(options);
    this.activityRegularizer = regularizerOf(activityRegularizer);
    this.#eager = { name: this.name, className: this.className };
    // `build` called by hand counts, as in Keras: the subclass's own stays reachable as super.build.
    const build = this.build;
    const value = (inputShape: Shapes<In>) => this.#runBuild(inputShape, build);
    Object.defineProperty(this, 'build', { value, configurable: true, writable: true });
  }

  /** Makes the weights. Called once, before the first call; layers inside are built here by `ensureBuilt`. */
  build(_inputShape: Shapes<In>): void {}

  /** Computes the outputs, with ops. Written for tensors; it is run on symbolic ones, too, for their shapes. */
  abstract call(inputs: In, options: CallOptions): Out;

  /** Shapes of the outputs for shapes of inputs. Default: found by running `call` on symbolic tensors. */
  computeOutputShape(inputShape: Shapes<In>): Shapes<Out> {
    const shapes = inputShape as Nest<OpenShape>;
    const inputs = trace(() => mapShapes(shapes, (shape) => new KerasTensor({ shape, dtype: this.dtype })));
    return mapNest(this.traceCall(inputs, {}), ({ shape }) => shape) as Shapes<Out>;
  }

  /**
   * Stand-ins for the outputs, with their shapes and dtypes. Default: by `computeOutputShape` and `outputDType` where the
   * subclass has the first, else by running `call`.
   */
  protected computeOutputSpec(inputs: Nest<KerasTensor>, options: CallOptions): Nest<KerasTensor> {
    if (this.computeOutputShape === Layer.prototype.computeOutputShape)
      return this.traceCall(inputs, options);
    const dtype = this.outputDType(leavesOf(inputs));
    const shapes = this.computeOutputShape(mapNest(inputs, ({ shape }) => shape) as Shapes<In>);
    return trace(() => mapShapes(shapes as Nest<OpenShape>, (shape) => new KerasTensor({ shape, dtype })));
  }

  /** Dtype of the outputs, where a layer has a `computeOutputShape` of its own. Default: that of the weights. */
  protected outputDType(_inputs: readonly OpenSpec[]): DType {
    return this.dtype;
  }

  /** Masks of the outputs. Default: those of the inputs where `supportsMasking`, else null. */
  computeMask(_inputs: In, mask: Nest<Tensor | null>): Nest<Tensor | null> {
    return this.supportsMasking ? mask : null;
  }

  /** The configuration from which the layer can be made again. */
  getConfig(): Record<string, unknown> {
    const { name, trainable, dtype, activityRegularizer } = this;
    const config = { name, trainable, dtype };
    return activityRegularizer ? { ...config, activityRegularizer: configOf(activityRegularizer) } : config;
  }

  /**
   * Calls the layer: symbolic tensors give symbolic tensors and a node; tensors give tensors whose history is this call.
   * Errors: ValueError for anything else; ShapeError where the inputs don't fit the layer.
   */
  apply(inputs: Mapped<In, SymbolicTensor>, options?: ApplyOptions): Mapped<Out, KerasTensor>;
  apply(inputs: In, options?: ApplyOptions): Out;
  apply(inputs: In | Mapped<In, SymbolicTensor>, options: ApplyOptions = {}): unknown {
    const nest = inputs as Nest<unknown>;
    const symbolic = requireTensors(this.name, nest, options);
    checkInputs(this.name, this.inputSpec, leavesOf(nest) as OpenSpec[]);
    this.ensureBuilt(mapNest(nest, (leaf) => (leaf as OpenSpec).shape) as Shapes<In>);
    return symbolic
      ? this.#applySymbolic(nest as Nest<KerasTensor>, options as CallOptions)
      : this.#applyEager(inputs as In, options as CallOptions);
  }

  /** Makes the weights, if they aren't there. */
  ensureBuilt(inputShape: Shapes<In>): void {
    if (!this.built) this.#runBuild(inputShape, (shape) => this.build(shape));
  }

  #runBuild(inputShape: Shapes<In>, build: (inputShape: Shapes<In>) => void): void {
    const inScope = () => inNameScope(this, this.name, () => build.call(this, inputShape));
    // Weights are leaves: how they were drawn is no part of any recording, and no scope ends their life.
    forReal(() => withRecorders([], () => insideCall(null, () => tidy(inScope))));
    this.built = true;
    this.buildShape = inputShape;
  }

  override replay(_node: GraphNode, argument: Nest<unknown>, options: object): Nest<unknown> {
    return this.apply(argument as In, options as ApplyOptions);
  }

  /**
   * Adds a scalar to the loss of this call. For `call`; the next outermost call begins anew.
   * Errors: ValueError for what is no tensor, or outside of a call.
   */
  protected addLoss(loss: Tensor): void {
    const context = currentCall();
    if (isSymbolic(loss) && isTracing()) return;
    if (!(loss instanceof Tensor) || !context) {
      throw new ValueError({
        op: this.name,
        rule: '`addLoss` takes a tensor, inside of `call`.',
        received: context ? describe(loss) : 'a loss outside of any call',
        hint: 'compute the loss in `call`, from its inputs and weights.',
      });
    }
    this.#added.add(loss, context.outermost);
  }

  /** Layers inside this one: its properties, including those in arrays, records, maps and sets. */
  override get sublayers(): AnyLayer[] {
    return findInProperties(this, (value): value is AnyLayer => value instanceof Layer);
  }

  /** Layers inside this one at any depth, each once. */
  get layersInside(): AnyLayer[] {
    const found = new Set<AnyLayer>();
    const visit = ({ sublayers }: { sublayers: AnyLayer[] }) => {
      for (const inner of sublayers) {
        if (found.has(inner)) continue;
        found.add(inner);
        visit(inner);
      }
    };
    visit(this);
    return [...found];
  }

  /**
   * What this layer and those inside add to the loss: penalties of trained weights, computed now, and what the last call
   * added. Read it under the tape that recorded the call.
   */
  get losses(): Tensor[] {
    const during = this.#lastCall;
    const added = [this as unknown as AnyLayer, ...this.layersInside].flatMap((layer) =>
      during ? layer.#added.during(during) : [],
    );
    return [...added, ...weightLosses(this.trainableWeights)];
  }

  /** Lets go of what the last call added to the loss. Losses hold what their gradients need. */
  clearLosses(): void {
    for (const layer of [this as unknown as AnyLayer, ...this.layersInside]) layer.#added.clear();
  }

  /** Frees the weights, with those of the layers inside. The layer can't be called any more. */
  override dispose(): void {
    super.dispose();
    this.clearLosses();
    // Each layer knows best what it holds beside its weights.
    for (const inner of this.sublayers) inner.dispose();
  }

  #applySymbolic(inputs: Nest<KerasTensor>, given: CallOptions): Nest<KerasTensor> {
    const carried = mapNest(inputs, (input) => maskOf(input)) as Nest<never>;
    const masks = given.mask === undefined ? carried : given.mask;
    const options = heldOptions(
      this.takesMask && given.mask === undefined && isMasked(carried) ? { ...given, mask: carried } : given,
    );
    const outputs = mapNest(this.computeOutputSpec(inputs, options), (spec) => new KerasTensor(spec));
    new GraphNode({ operation: this, argument: inputs, outputs, options });
    this.#attachMasks(inputs as unknown as In, outputs, masks);
    return outputs;
  }

  /** What `call` gives for stand-ins of the inputs. */
  protected traceCall(inputs: Nest<KerasTensor>, options: CallOptions): Nest<KerasTensor> {
    return trace(() => {
      const standIns = mapNest(inputs, (spec) => new KerasTensor(spec)) as unknown as In;
      const call = () => this.#call(standIns, options) as unknown as Nest<KerasTensor>;
      return withRecorders([], () => insideCall(null, () => tidy(call)));
    });
  }

  #applyEager(inputs: In, given: CallOptions): Out {
    const nest = inputs as Nest<Tensor>;
    const carried = given.mask === undefined ? mapNest(nest, (input) => maskOf(input)) : given.mask;
    const options = isMasked(carried) ? { ...given, mask: carried } : given;
    return runEagerly({
      operation: this.#eager,
      inputs: nest,
      options,
      run: () => this.#call(inputs, options) as Nest<Tensor>,
      finish: (outputs) => this.#attachMasks(inputs, outputs, carried),
    }) as Out;
  }

  /** `call` within its scope of names, as in training or not, with what its outputs cost. */
  #call(inputs: In, options: CallOptions): Out {
    return insideLayerCall(options.training, ({ training, outermost }) => {
      if (!isTracing()) this.#lastCall = outermost;
      const outputs = inNameScope(this, this.name, () => this.call(inputs, { ...options, training }));
      const { activityRegularizer } = this;
      if (activityRegularizer && !isTracing()) {
        for (const output of leavesOf(outputs as Nest<Tensor>))
          this.addLoss(activityLoss(activityRegularizer, output));
      }
      return outputs;
    });
  }

  /** Lets outputs carry their masks, but for those that layers inside have given one. */
  #attachMasks(inputs: In, outputs: Nest<Tensor | KerasTensor>, masks: Nest<Tensor | null>): void {
    const leaves = leavesOf(outputs);
    if (leaves.every((output) => maskOf(output))) return;
    const computed = leavesOf(this.computeMask(inputs, masks));
    leaves.forEach((output, i) => {
      const mask = computed[i] ?? null;
      if (mask && !maskOf(output)) setMask(output, mask as never);
    });
  }
}
