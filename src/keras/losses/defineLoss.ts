/** @file defineLoss: defines a loss that can be called as a function or created as an object. */
import type { DType } from '../../core/dtype.ts';
import { ValueError } from '../../core/errors.ts';
import { byPosition, isPlainObject } from '../../core/options.ts';
import { describe } from '../../core/shape.ts';
import type { TensorLike } from '../../ops/define/operands.ts';
import type { SymbolicTensor } from '../../ops/define/recorders.ts';
import { tidy } from '../../tensor/scope.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { completeOptions } from '../knownOptions.ts';
import { labelOf } from '../makers.ts';
import { ownObjects } from '../options/declaration.ts';
import { type Named, requireBroadcast, requireMinRank, requireSame } from './lossChecks.ts';
import { Loss, type LossOptions } from './loss.ts';
import { type LossInput, sameRank, toTensor } from './lossInputs.ts';

/** The names of a loss. */
export interface LossNames {
  /** Keras's name of the class. */
  className: string;
  /** Default name of loss objects. Default: the class name in snake case. */
  label?: string;
  /** Other names that `losses.get` accepts. */
  aliases?: readonly string[];
}

export interface LossDefinition<O extends object> extends LossNames {
  /** The options with their defaults. */
  defaults: Required<O>;
  /** Checks the options; throws. */
  check?: (options: Required<O>, op: string) => void;
  /**
   * The relation between the shapes of targets and predictions: 'broadcast' (NumPy's rule) or 'same', both after Keras's squeeze
   * of a last axis of size 1; 'own' leaves the check to `values`.
   */
  shapes: 'broadcast' | 'same' | 'own';
  /** The losses of samples. */
  values: (yTrue: Tensor, yPred: Tensor, options: Required<O>, op: string) => Tensor;
  /** Mask of the values that count. Default: all. */
  mask?: (values: Tensor, yTrue: Tensor, options: Required<O>) => Tensor | null;
  /** Dtype of targets. Default float32. */
  targets?: DType;
  /** Minimum rank of predictions. Default 1: most losses are means over the last axis. */
  minRank?: number;
}

/**
 * Call it as a function, `huber(yTrue, yPred, { delta })`, for the losses of samples; or create an object,
 * `huber({ delta, reduction, name })`, which applies weights and a reduction.
 */
export interface LossMaker<O extends object = object> {
  (options?: O & LossOptions): Loss;
  (yTrue: TensorLike, yPred: TensorLike, options?: O): Tensor;
  (yTrue: LossInput, yPred: LossInput, options?: O): SymbolicTensor;
  readonly names: LossNames;
}

/** Defines a loss. All losses of this folder are defined by it. */
/* @__NO_SIDE_EFFECTS__ */
export function defineLoss<O extends object = object>(definition: LossDefinition<O>): LossMaker<O> {
  const make = (...args: [O & LossOptions] | [LossInput, LossInput, O?]): unknown => {
    if (args.length < 2) return new DefinedLoss(definition, optionsOf(definition, args[0]));
    const [yTrue, yPred, ...settings] = args as [LossInput, LossInput, ...unknown[]];
    const op = labelOf(definition);
    const complete = completed<O>(
      definition,
      op,
      byPosition(op, settings, [], {
        known: Object.keys(definition.defaults),
        before: ['yTrue', 'yPred'],
      }) as O,
    );
    return tidy(() => {
      const targets = toTensor(op, 'yTrue', yTrue, definition.targets);
      return valuesOf(definition, op, targets, toTensor(op, 'yPred', yPred), complete);
    });
  };
  return Object.assign(make, { names: definition }) as unknown as LossMaker<O>;
}

/** A loss object of `defineLoss`. */
class DefinedLoss<O extends object = object> extends Loss {
  readonly definition: LossDefinition<O>;
  readonly options: Required<O>;

  constructor(definition: LossDefinition<O>, given: O & LossOptions) {
    const { name = labelOf(definition), reduction, dtype = null, ...options } = given;
    super(reduction === undefined ? { name, dtype } : { name, reduction, dtype });
    ownObjects.add(this);
    this.definition = definition;
    this.options = completed(definition, name, options as unknown as O);
  }

  override get className(): string {
    return this.definition.className;
  }

  override values(yTrue: Tensor, yPred: Tensor): Tensor {
    return valuesOf(this.definition, this.name, yTrue, yPred, this.options);
  }

  override maskOf(values: Tensor, yTrue: Tensor): Tensor | null {
    return this.definition.mask?.(values, yTrue, this.options) ?? null;
  }

  override get targetDType(): DType {
    return this.definition.targets ?? 'float32';
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), ...this.options };
  }
}

function optionsOf<O extends object>(names: LossNames, given: unknown = {}): O & LossOptions {
  if (isPlainObject(given)) return given as O & LossOptions;
  throw new ValueError({
    op: labelOf(names),
    rule: 'a loss takes targets and predictions, or one object of options.',
    received: describe(given),
    hint: 'call it with (yTrue, yPred), or create an object: losses.huber({ delta: 1 }).',
  });
}

/** Returns the options, with defaults for missing ones. */
function completed<O extends object>(definition: LossDefinition<O>, op: string, given?: O): Required<O> {
  const { defaults, check } = definition;
  const hint =
    'check the spelling. `reduction` and `name` are options of the loss object: losses.huber({ reduction }).';
  const options = completeOptions<O>(op, given ?? {}, defaults, { hint });
  check?.(options, op);
  return options;
}

function valuesOf<O extends object>(
  { shapes, values, minRank = 1 }: LossDefinition<O>,
  op: string,
  yTrue: Tensor,
  yPred: Tensor,
  options: Required<O>,
): Tensor {
  requireMinRank(op, yPred, minRank);
  if (shapes === 'own') return values(yTrue, yPred, options, op);
  const [targets, predictions] = sameRank(yTrue, yPred);
  const pair: [Named, Named] = [
    ['`yTrue`', targets],
    ['`yPred`', predictions],
  ];
  if (shapes === 'same') requireSame(op, ...pair);
  else requireBroadcast(op, ...pair);
  return values(targets, predictions, options, op);
}
