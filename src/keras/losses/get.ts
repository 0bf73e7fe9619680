/** @file Losses by name. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { suggestionFor } from '../../core/suggest.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import { makerNamed } from '../makers.ts';
import type { RegisteredAs, Spelled } from '../nameTypes.ts';
import {
  customObjectOf,
  registeredAs,
  registeredNameOf,
  type Registrable,
} from '../serialization/registered.ts';
import { binaryCrossentropy, binaryFocalCrossentropy } from './binaryCrossentropy.ts';
import { categoricalCrossentropy, categoricalFocalCrossentropy } from './categoricalCrossentropy.ts';
import { categoricalGeneralizedCrossEntropy } from './categoricalGeneralizedCrossEntropy.ts';
import { categoricalHinge, hinge, squaredHinge } from './hinge.ts';
import { circle } from './circle.ts';
import {
  cosineSimilarity,
  huber,
  logCosh,
  meanAbsoluteError,
  meanAbsolutePercentageError,
  meanSquaredError,
  meanSquaredLogarithmicError,
} from './regression.ts';
import { ctc } from './ctc.ts';
import type { LossNames } from './defineLoss.ts';
import { dice, tversky } from './segmentation.ts';
import { klDivergence, poisson } from './probabilistic.ts';
import { Loss, type LossOptions } from './loss.ts';
import { sparseCategoricalCrossentropy } from './sparseCategoricalCrossentropy.ts';

const makers = {
  meanSquaredError,
  meanAbsoluteError,
  meanAbsolutePercentageError,
  meanSquaredLogarithmicError,
  huber,
  logCosh,
  cosineSimilarity,
  binaryCrossentropy,
  binaryFocalCrossentropy,
  categoricalCrossentropy,
  categoricalFocalCrossentropy,
  sparseCategoricalCrossentropy,
  categoricalGeneralizedCrossEntropy,
  klDivergence,
  poisson,
  hinge,
  squaredHinge,
  categoricalHinge,
  dice,
  tversky,
  circle,
  ctc,
};

type ShortName = 'mse' | 'mae' | 'mape' | 'msle' | 'bce' | 'kld';

/** A name of a loss, or of one that the app registered. */
export type LossName =
  | Spelled<keyof typeof makers>
  | ShortName
  | Uppercase<ShortName>
  | 'KLDivergence'
  | 'CTC'
  | RegisteredAs<'loss'>;

/** A function of targets and predictions that returns the losses of samples, using ops only. */
export type LossFunction = (yTrue: Tensor, yPred: Tensor) => Tensor;

/** A class by its name and its configuration, as files hold them. */
export interface LossConfig {
  className: string;
  config?: Record<string, unknown>;
}

/** Identifies a loss; a maker is a function such as `losses.huber`. */
export type LossLike = LossName | LossFunction | { readonly names: LossNames } | Loss | LossConfig;

/**
 * A loss by its name ('meanSquaredError', Keras's 'mean_squared_error', 'MeanSquaredError', or 'mse'), by the maker of
 * this folder, by a function of your own, or itself. A class or a function that was registered has a name, too. Null
 * stays null: an output without a loss.
 * Errors: ValueError for anything else.
 */
export function get(identifier: LossLike | string): Loss;
export function get(identifier: LossLike | string | null | undefined): Loss | null;
export function get(identifier: LossLike | string | null | undefined): Loss | null {
  if (identifier === null || identifier === undefined) return null;
  if (identifier instanceof Loss) return identifier;
  if (typeof identifier === 'string') return named(identifier, {});
  if (isMaker(identifier)) return identifier();
  if (typeof identifier === 'function') return new FunctionLoss(identifier);
  if (isConfig(identifier)) return named(identifier.className, identifier.config ?? {});
  return reject(identifier);
}

/** The loss of a custom function. */
class FunctionLoss extends Loss {
  static override readonly className = 'LossFunctionWrapper';

  constructor(
    readonly fn: LossFunction,
    options: LossOptions = {},
  ) {
    super({ name: fn.name || 'loss', ...options });
  }

  /** The registered name of the function; a function that isn't registered has none. */
  override get className(): string {
    return registeredNameOf(this.fn) ?? super.className;
  }

  override values(yTrue: Tensor, yPred: Tensor): Tensor {
    return this.fn(yTrue, yPred);
  }
}

type Maker = ((options?: object) => Loss) & { readonly names: LossNames };

function isMaker(identifier: object): identifier is Maker {
  return typeof identifier === 'function' && 'names' in identifier;
}

function isConfig(identifier: unknown): identifier is LossConfig {
  const { className } = identifier as Partial<LossConfig>;
  return typeof className === 'string';
}

function named(name: string, config: object): Loss {
  const custom = customObjectOf(name) ?? (makerOf(name) ? null : registeredAs(name));
  if (custom) return ofRegistered(custom, config);
  return (makerOf(name) ?? reject(name))(config);
}

function ofRegistered(item: Registrable, config: object): Loss {
  if (item.prototype instanceof Loss) return new (item as unknown as new (config: object) => Loss)(config);
  return new FunctionLoss(item as unknown as LossFunction, config);
}

/** Whether a class is defined in this folder. */
export function isBuiltInLoss(className: string): boolean {
  return makerOf(className) !== null;
}

function makerOf(identifier: string): Maker | null {
  return makerNamed(Object.values(makers) as unknown as Maker[], identifier);
}

function reject(identifier: unknown): never {
  throw new ValueError({
    op: 'losses.get',
    rule: `a loss is one of ${Object.keys(makers).join(', ')}; mse, mae, mape, msle, bce or kld; a Loss; or a function of yTrue and yPred.`,
    received: describe(identifier),
    hint: suggestionFor(
      identifier,
      [...Object.keys(makers), 'mse', 'mae', 'mape', 'msle', 'bce', 'kld'],
      "pass a name such as 'meanSquaredError', or (yTrue, yPred) => mean(square(sub(yTrue, yPred)), { axis: -1 }).",
    ),
  });
}
