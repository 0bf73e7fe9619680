/**
 * @file Layer: an operation with weights. Called on symbolic tensors it becomes a node of a graph; called on tensors it
 * runs, and the history of its outputs is this call, which can be expanded to the ops inside.
 */
import { runAll } from '../../../core/cleanup.ts';
import type { DType } from '../../../core/dtype.ts';
import { ValueError } from '../../../core/errors.ts';
import { addMethodHints } from '../../../core/methodHints.ts';
import { rejectExtraArguments } from '../../../core/options.ts';
import { describe, type OpenShape } from '../../../core/shape.ts';
import type { OpenSpec } from '../../../core/spec.ts';
import { rejectUnknownProperties } from '../../../core/unknownProperties.ts';
import type { Operation } from '../../../history/node.ts';
import { detached, isSymbolic, type SymbolicTensor } from '../../../ops/define/recorders.ts';
import { tidy } from '../../../tensor/scope.ts';
import { Tensor } from '../../../tensor/tensor.ts';
import { configOf } from '../../namedObjects.ts';
import { declarationOf } from '../../options/declaration.ts';
import { KerasTensor } from '../../graph/kerasTensor.ts';
import { GraphNode } from '../../graph/graphNode.ts';
import { SymbolicOperation } from '../../graph/operation.ts';
import { traceCall } from '../../graph/traceCall.ts';
import { isTracing, notingReads, trace, withoutProbe } from '../../graph/tracing.ts';
import { inNameScope } from '../../names.ts';
import { leavesOf, type Mapped, mapNest, mapShapes, type Nest } from '../../tensorNest.ts';
import { type Regularizer, regularizerOf } from '../../regularizers/index.ts';
import { freeBuilt, keepingBuilt } from './builtTensors.ts';
import { currentCall, insideLayerCall } from './callContext.ts';
import { runEagerly } from './eagerCall.ts';
import { findInProperties } from './findInProperties.ts';
import { requireFittingMasks } from './givenMasks.ts';
import { checkInputs, checkShapes, type InputSpec } from './inputSpec.ts';
import { activityLoss, CallLosses, weightLosses } from './layerLosses.ts';
import { heldOptions, requireTensors } from './callInputs.ts';
import { attachMasks, masksOf, withMasks } from './callMasks.ts';
import { observed, observedLosses } from './callObserver.ts';
import { type DescribedInput, separateInput } from './describedInput.ts';
import { callDirectly, enterBy } from './directCall.ts';
import { autocast, type CastPolicy, resultDType, rounded, withPolicy } from './dtypePolicy.ts';
import { checkCallOptions, type LayerOptions } from './layerOptions.ts';
import { adviceOn, layerHints } from './propertyAdvice.ts';
import { requireShapes } from '../../graph/callResult.ts';
import { requireTracked } from './tracked.ts';
import { rematerializer } from './rematerializer.ts';
import { WeightedOperation } from './weightedOperation.ts';

export type { LayerOptions } from './layerOptions.ts';
export type { WeightOptions } from './layerWeights.ts';

/** Options of a call. Further options depend on the layer (`initialState`) and may contain tensors. */
export interface CallOptions {
  /** Whether the layer runs in training mode (dropout, batch statistics). Default: that of the surrounding call, or false. */
  training?: boolean | undefined;
  /** Masks of the inputs, in the same nest. Default: the masks attached to the inputs, unless the options have tensors. */
  mask?: Nest<Tensor | null> | undefined;
  [kwarg: string]: unknown;
}

/** Options of a call on tensors or symbolic tensors. */
export interface ApplyOptions {
  /**
   * Whether the layer runs in training mode (dropout, batch statistics). Default: that of the surrounding
   * call, or false.
   */
  training?: boolean | undefined;
  /**
   * Masks of the inputs, in the same nest. Default: the masks that the inputs carry. As in Keras, that isn't so where the
   * options have other tensors, such as `initialState`: then the layer uses no mask, and only passes it on.
   */
  mask?: Nest<Tensor | SymbolicTensor | null> | undefined;
  [kwarg: string]: unknown;
}

/** A layer of any inputs and outputs. */
export type AnyLayer = Layer<Nest<Tensor>, Nest<Tensor>>;

/** A layer of a list of layers: whatever it takes and returns, TypeScript reads it as one tensor. */
export type LayerOfModel = Layer & AnyLayer;

/** Shapes, in the same nest as the tensors. */
export type Shapes<S> = Mapped<S, OpenShape>;

/**
 * Base class of layers. A subclass defines `static className`, creates its weights in `build(inputShape)` and computes
 * its outputs in `call(inputs, options)`, using ops only. Shapes of symbolic outputs are inferred by running `call` on
 * symbolic tensors, unless the subclass overrides `computeOutputShape`. `getConfig` returns all options, so that
 * `fromConfig` creates an equal layer. Layers and variables in its properties, including arrays and records, belong to
 * it.
 *
 * `In` and `Out` are the types of inputs and outputs: a Tensor, or arrays and records of tensors.
 */
export abstract class Layer<
  In extends Nest<Tensor> = Tensor,
  Out extends Nest<Tensor> = Tensor,
> extends WeightedOperation<In, Out> {
  static override readonly className: string = 'Layer';

  /** Options that `apply` takes. Not checked for an app's own classes, whose `call` may take others. */
  static readonly callOptionNames: readonly string[] = ['training', 'mask'];

  /** Creates a layer from the result of `getConfig`. */
  static fromConfig<T, C>(this: new (options: C) => T, config: C): T {
    return new this(config);
  }

  /** Whether the weights exist. */
  built = false;
  /** The argument of `build`; null before it was called. */
  buildShape: Shapes<In> | null = null;
  /** Whether the masks of the inputs are passed on to the outputs. */
  readonly supportsMasking: boolean = false;
  /**
   * Whether `call` reads `options.mask` and has one input. If so, its mask is an input of the call in a graph, as in Keras;
   * tensors of several inputs only carry their masks along.
   * @internal
   */
  readonly takesMask: boolean = false;
  /**
   * Whether `call` gets the masks of its inputs even where the options have tensors: in multi-head attention, where each input has
   * its own mask, and in layers of models from before Keras 3.
   * @internal
   */
  masksEachInput = false;
  /**
   * Whether `call` may use trained layers that are not properties of this one.
   * @internal
   */
  readonly callsForeignLayers: boolean = false;
  /**
   * The dtype of a model's input if this is its first layer and nothing else determines it.
   * @internal
   */
  readonly inputDType: DType = 'float32';
  /** Not a public property: those are searched for layers and variables. */
  readonly #describedInput: DescribedInput | null;
  /** Penalty on the outputs. */
  readonly activityRegularizer: Regularizer | null;
  /** Accepted shapes, one entry per input; checked before every call. */
  protected inputSpec: readonly InputSpec[] = [];
  readonly #added = new CallLosses();
  /** The outermost call of this layer's last call. */
  #lastCall: object | null = null;
  /** Identifies eager calls in history, so that `nodeIndex` counts symbolic calls only. */
  readonly #eager: Operation;

  constructor(given?: LayerOptions) {
    const [options, described] = separateInput(new.target, given);
    super(options);
    this.#describedInput = described;
    rejectUnknownProperties(SymbolicOperation.prototype, adviceOn);
    addMethodHints(SymbolicOperation.prototype, 'a layer or model', layerHints);
    this.activityRegularizer = regularizerOf(options?.activityRegularizer);
    this.#eager = { name: this.name, className: this.className };
    rematerializer()?.created(this);
    Layer.giveMethods(this as unknown as AnyLayer, Object.getPrototypeOf(this));
  }

  /**
   * Gives `layer` the methods of a class's `prototype`, with what an app's own calls of `build` and `call` do besides, as in Keras:
   * `build` marks the layer as built, and `call` runs in the context of a call.
   * @internal
   */
  static giveMethods(layer: AnyLayer, prototype: AnyLayer): void {
    enterBy(layer, prototype, {
      build(this: AnyLayer, ...shapes: readonly unknown[]) {
        const build = (shape: Shapes<Nest<Tensor>>) => {
          if (shape !== undefined) checkShapes(this.name, this.inputSpec, shape as Nest<OpenShape>);
          prototype.build.call(this, shape);
        };
        this.#runBuild(this.shapesToBuild(shapes), build, prototype.build.length > 0);
      },
      call(this: AnyLayer, inputs: Nest<Tensor>, options: CallOptions) {
        const call = (given: CallOptions) => prototype.call.call(this, inputs, given);
        return callDirectly(this, inputs, options, call, (outermost) => this.#begin(outermost));
      },
    });
  }

  /**
   * Options that describe the input, for the first layer of a Sequential; null if there are none.
   * @internal
   */
  get describedInput(): DescribedInput | null {
    return this.#describedInput;
  }

  /** Returns the argument of `build` from those of an app's call. Errors: ValueError for more than one. */
  protected shapesToBuild([inputShape, ...extra]: readonly unknown[]): Shapes<In> {
    rejectExtraArguments(`${this.name}.build`, extra, ['inputShape']);
    return inputShape as Shapes<In>;
  }

  /**
   * Creates the weights, and tensors that `call` reads: they live as long as the layer. Called once, before the first call.
   * Build layers inside with `ensureBuilt`.
   */
  build(_inputShape: Shapes<In>): void {}

  /** Computes the outputs with ops. It is also run on symbolic tensors, to infer shapes. */
  abstract call(inputs: In, options: CallOptions): Out;

  /** Shapes of the outputs. Default: inferred by running `call` on symbolic tensors, once the layer is built. */
  computeOutputShape(inputShape: Shapes<In>): Shapes<Out> {
    const shapes = inputShape as Nest<OpenShape>;
    this.ensureBuilt(inputShape);
    const inputs = trace(() => mapShapes(shapes, (shape) => new KerasTensor({ shape, dtype: this.dtype })));
    return mapNest(this.traceCall(inputs, {}), ({ shape }) => shape) as Shapes<Out>;
  }

  /**
   * Symbolic outputs with their shapes and dtypes. Default: from `computeOutputShape` and `outputDType` if the subclass
   * overrides the former, otherwise by running `call`.
   */
  protected computeOutputSpec(inputs: Nest<KerasTensor>, options: CallOptions): Nest<KerasTensor> {
    if (this.computeOutputShape === Layer.prototype.computeOutputShape)
      return this.traceCall(inputs, options);
    const { castPolicy, roundsResults } = this;
    const given = leavesOf(inputs).map(({ shape, dtype }) => ({ shape, dtype: this.#given(dtype) }));
    const found = this.outputDType(given);
    const dtype = roundsResults ? resultDType(found, castPolicy) : found;
    const shapes = this.computeOutputShape(mapNest(inputs, ({ shape }) => shape) as Shapes<In>);
    requireShapes(this.name, shapes, 'computeOutputShape', 'returns the shape of the output');
    return trace(() => mapShapes(shapes as Nest<OpenShape>, (shape) => new KerasTensor({ shape, dtype })));
  }

  /** The policy by which it casts what it takes and returns; null for a model, whose layers do. */
  protected get castPolicy(): CastPolicy {
    return this.dtypePolicy;
  }

  /**
   * Whether its results have the dtype that its policy computes in. False where, as in Keras, those of integers are float32, or the layer
   * returns what another one with a policy of its own does.
   */
  protected get roundsResults(): boolean {
    return true;
  }

  /**
   * Whether `call` gets integers and booleans as floats. Missing where they pass through the layer, and in custom layers, as in Keras.
   * @internal
   */
  needsFloats?(): boolean;

  /** The dtype in which `call` gets an input. */
  #given(dtype: DType): DType {
    return this.inputDType === 'int32' ? dtype : resultDType(dtype, this.castPolicy);
  }

  /** Dtype of the outputs, for layers that override `computeOutputShape`. Default: that of the weights. */
  protected outputDType(_inputs: readonly OpenSpec[]): DType {
    return this.dtype;
  }

  /** Returns the masks of the outputs. Default: the input masks if `supportsMasking`, otherwise null. */
  computeMask(_inputs: In, mask: Nest<Tensor | null>): Nest<Tensor | null> {
    return this.supportsMasking ? mask : null;
  }

  /** Returns the number of values in the weights. Errors: ValueError before the layer is built. */
  override countParams(): number {
    if (this.built) return super.countParams();
    throw new ValueError({
      op: this.name,
      rule: 'weights are counted once it is built.',
      hint: 'build it first: call it by apply(x).',
    });
  }

  /** Returns the configuration, from which `fromConfig` creates an equal layer. */
  getConfig(): Record<string, unknown> {
    const { name, trainable, dtypePolicy: dtype, activityRegularizer } = this;
    const penalty = activityRegularizer ? { activityRegularizer: configOf(activityRegularizer) } : {};
    return { name, trainable, dtype, ...penalty, ...this.declaredConfig() };
  }

  /**
   * Calls the layer. For symbolic tensors it returns symbolic tensors and adds a node to the graph; for tensors it returns
   * tensors whose history is this call.
   * Errors: ValueError for other inputs, and inside the `call` of a layer that doesn't have this one in a property;
   * ShapeError for inputs that the layer does not accept.
   */
  apply(inputs: Mapped<In, SymbolicTensor>, options?: ApplyOptions): Mapped<Out, KerasTensor>;
  apply(inputs: In, options?: ApplyOptions): Out;
  apply(inputs: In | Mapped<In, SymbolicTensor>, options: ApplyOptions = {}, ...extra: never[]): unknown {
    if (extra.length > 0) rejectExtraArguments(`${this.name}.apply`, extra, ['inputs', 'options']);
    // Shapes that the library reads don't count as read by the `call` that is traced.
    return isTracing() ? notingReads(null, () => this.#apply(inputs, options)) : this.#apply(inputs, options);
  }

  #apply(inputs: In | Mapped<In, SymbolicTensor>, options: ApplyOptions): unknown {
    const nest = inputs as Nest<unknown>;
    checkCallOptions(this.constructor as typeof Layer, this.name, options);
    const symbolic = requireTensors(this.name, nest, options);
    checkInputs(this.name, this.inputSpec, nest as Nest<OpenSpec>);
    if (options.mask) this.#checkMasks(nest as Nest<OpenSpec>, options.mask as Nest<OpenSpec | null>);
    const isNew = !this.built;
    this.ensureBuilt(mapNest(nest, (leaf) => (leaf as OpenSpec).shape) as Shapes<In>);
    requireTracked(this, isNew);
    return symbolic
      ? this.#applySymbolic(nest as Nest<KerasTensor>, options as CallOptions)
      : this.#applyEager(inputs as In, options as CallOptions);
  }

  /** Layers that read a mask check it themselves; custom layers may take any. */
  #checkMasks(inputs: Nest<OpenSpec>, masks: Nest<OpenSpec | null>): void {
    const type = this.constructor as typeof Layer;
    if (this.takesMask || !this.supportsMasking || !declarationOf(type)) return;
    requireFittingMasks(this.name, inputs, masks, type.callOptionNames !== Layer.callOptionNames);
  }

  /** Builds the layer unless it is built. */
  ensureBuilt(inputShape: Shapes<In>): void {
    if (!this.built) this.#runBuild(inputShape, (shape) => this.build(shape), true);
  }

  /** Runs `build`, which may do without a shape unless it `takesShape`. */
  #runBuild(inputShape: Shapes<In>, build: (inputShape: Shapes<In>) => void, takesShape: boolean): void {
    if (typeof this.call !== 'function') throw withoutCall(this.name, this);
    if (inputShape !== undefined || takesShape)
      requireShapes(this.name, inputShape, 'build', 'takes the shape of the input');
    const shape = withoutProbe(inputShape as Nest<OpenShape>) as Shapes<In>;
    const inScope = () => inNameScope(this, this.name, () => build(shape));
    // Weights are leaves: their initialization is not recorded, and they outlive scopes.
    this.addingWeights(() => keepingBuilt(this, inScope));
    this.built = true;
    this.buildShape = shape;
  }

  /** @internal */
  override replay(_node: GraphNode, argument: Nest<unknown>, options: object): Nest<unknown> {
    return this.apply(argument as In, options as ApplyOptions);
  }

  /**
   * Adds a scalar loss. Call it in `call`; the next outermost call discards it.
   * Errors: ValueError if it is not a tensor, or outside of a call.
   */
  protected addLoss(loss: Tensor): void {
    const context = currentCall();
    if (isSymbolic(loss) && isTracing()) return;
    if (!(loss instanceof Tensor) || !context) {
      throw new ValueError({
        op: this.name,
        rule: '`addLoss` takes a tensor and must be called inside `call`.',
        received: context ? describe(loss) : 'a loss outside of any call',
        hint: 'compute the loss in `call`, from its inputs and weights.',
      });
    }
    this.#added.add(loss, context.outermost);
  }

  /**
   * Layers inside this one: its properties, including those in arrays, records, maps and sets.
   * @internal
   */
  override get sublayers(): AnyLayer[] {
    return findInProperties(this, (value): value is AnyLayer => value instanceof Layer);
  }

  /**
   * Layers inside this one at any depth, each once.
   * @internal
   */
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
   * The losses of this layer and of layers inside: those added by the last call, and penalties on trainable weights,
   * computed now. Read it under the tape that recorded the call.
   */
  get losses(): Tensor[] {
    const during = this.#lastCall;
    const added = [this as unknown as AnyLayer, ...this.layersInside].flatMap((layer) =>
      during ? layer.#added.during(during) : [],
    );
    const layer = this as unknown as AnyLayer;
    return [...added, ...observedLosses(layer, () => weightLosses(this.trainableWeights))];
  }

  /**
   * The losses that calls of this layer and of layers inside have added and that weren't released.
   * @internal
   */
  get addedLosses(): Tensor[] {
    return this.#lossesInside().flatMap((added) => [...added.all]);
  }

  /**
   * Puts other tensors in the place of added losses, such as those that a tape has recorded.
   * @internal
   */
  replaceLosses(by: (loss: Tensor) => Tensor): void {
    for (const added of this.#lossesInside()) added.replace(by);
  }

  #lossesInside(): CallLosses[] {
    if (!CallLosses.areAny) return [];
    return [this as unknown as AnyLayer, ...this.layersInside].map((layer) => layer.#added);
  }

  /** Releases the losses of the last call, which keep tensors alive for their gradients. */
  clearLosses(): void {
    for (const added of this.#lossesInside()) added.clear();
  }

  protected override disposeParts(isOutermost: boolean): void {
    // Layers may own more than weights.
    const inner = this.sublayers.map((layer) => () => layer.dispose());
    runAll([
      () => super.disposeParts(isOutermost),
      () => this.#added.clear(),
      () => freeBuilt(this),
      ...inner,
    ]);
  }

  #applySymbolic(inputs: Nest<KerasTensor>, given: CallOptions): Nest<KerasTensor> {
    const masks = masksOf(inputs as unknown as Nest<Tensor>, given);
    const options = heldOptions(this.takesMask ? withMasks(this, given, masks) : given);
    const outputs = mapNest(this.computeOutputSpec(inputs, options), (spec) => new KerasTensor(spec));
    new GraphNode({ operation: this, argument: inputs, outputs, options });
    attachMasks(outputs, () => this.computeMask(inputs as unknown as In, masks));
    return outputs;
  }

  /** Symbolic outputs of `call`, run on placeholders of the inputs. */
  protected traceCall(inputs: Nest<KerasTensor>, options: CallOptions): Nest<KerasTensor> {
    const call = (given: Nest<KerasTensor>, settings: object) =>
      this.#call(given as unknown as In, settings as CallOptions) as unknown as Nest<KerasTensor>;
    return trace(() => detached(() => tidy(() => traceCall(this.name, inputs, options, call))));
  }

  #applyEager(inputs: In, given: CallOptions): Out {
    const nest = inputs as Nest<Tensor>;
    const masks = masksOf(nest, given);
    const options = withMasks(this, given, masks);
    const again = rematerializer();
    const call = again
      ? () =>
          again.run(
            this,
            nest,
            options.training,
            (training) => this.#call(inputs, { ...options, training }) as Nest<Tensor>,
          )
      : () => this.#call(inputs, options) as Nest<Tensor>;
    return runEagerly({
      operation: this.#eager,
      inputs: nest,
      options,
      run: () => observed(this, [inputs, given], call),
      finish: (outputs) => attachMasks(outputs, () => this.computeMask(inputs, masks)),
    }) as Out;
  }

  /** Runs `call` in its name scope and call context, and adds the activity loss. */
  #call(inputs: In, options: CallOptions): Out {
    return insideLayerCall(this, options.training, ({ training, outermost }) => {
      this.#begin(outermost);
      const { castPolicy } = this;
      // Indices stay as they are: float16 has no odd numbers above 2048.
      const given =
        this.inputDType === 'int32'
          ? inputs
          : (autocast(inputs as Nest<Tensor>, castPolicy, this.needsFloats?.()) as In);
      const outputs = inNameScope(this, this.name, () =>
        withPolicy(castPolicy, () => this.call(given, Object.assign({}, options, { training }))),
      );
      const { activityRegularizer } = this;
      if (activityRegularizer && !isTracing()) {
        for (const output of leavesOf(outputs as Nest<Tensor>))
          this.addLoss(activityLoss(activityRegularizer, output));
      }
      return this.roundsResults ? (rounded(outputs as Nest<Tensor>, castPolicy) as Out) : outputs;
    });
  }

  /** Notes the outermost call: losses that this call adds belong to it. */
  #begin(outermost: object): void {
    if (!isTracing()) this.#lastCall = outermost;
  }
}

function withoutCall(name: string, layer: object): ValueError {
  return new ValueError({
    op: name,
    rule: 'a layer computes its outputs in a method `call(inputs, options)`.',
    received: `${layer}, which has none`,
    hint: 'write call(inputs) { return … } with ops and layers.',
  });
}
