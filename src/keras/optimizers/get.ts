/** @file Optimizers by name. */
import { ValueError } from '../../core/errors.ts';
import { describe } from '../../core/shape.ts';
import { foldName, suggestionFor } from '../../core/suggest.ts';
import type { ClassConfig } from '../namedObjects.ts';
import type { RegisteredAs, Spelled } from '../nameTypes.ts';
import { customObjectOf, type Registrable, registeredAs } from '../serialization/registered.ts';
import { Adadelta } from './adadelta.ts';
import { Adafactor } from './adafactor.ts';
import { Adagrad } from './adagrad.ts';
import { Adam, AdamW } from './adam.ts';
import { Adamax } from './adamax.ts';
import { Ftrl } from './ftrl.ts';
import { Lamb } from './lamb.ts';
import { Lion } from './lion.ts';
import { LossScaleOptimizer } from './lossScaleOptimizer.ts';
import { MultiOptimizer } from './multiOptimizer.ts';
import { Muon } from './muon.ts';
import { Nadam } from './nadam.ts';
import { Optimizer } from './optimizer.ts';
import { OptimizerMap, type OptimizerMapOptions } from './optimizerMap.ts';
import { RMSprop } from './rmsprop.ts';
import { ScheduleFreeAdamW } from './scheduleFreeAdamW.ts';
import { SGD } from './sgd.ts';

type OptimizerClass = new (options: never) => Optimizer;

const classes: readonly OptimizerClass[] = [
  Adadelta,
  Adafactor,
  Adagrad,
  Adam,
  Adamax,
  AdamW,
  Ftrl,
  Lamb,
  Lion,
  LossScaleOptimizer,
  MultiOptimizer,
  Muon,
  Nadam,
  RMSprop,
  ScheduleFreeAdamW,
  SGD,
];

const nameOf = (type: OptimizerClass) => (type as unknown as typeof Optimizer).className;

type OwnName =
  | 'adadelta'
  | 'adafactor'
  | 'adagrad'
  | 'adam'
  | 'adamax'
  | 'adamW'
  | 'ftrl'
  | 'lamb'
  | 'lion'
  | 'lossScaleOptimizer'
  | 'multiOptimizer'
  | 'muon'
  | 'nadam'
  | 'rmsprop'
  | 'scheduleFreeAdamW'
  | 'sgd';

/** A name of an optimizer, or of one that the app registered. */
export type OptimizerName = Spelled<OwnName> | 'RMSprop' | 'SGD' | RegisteredAs<'optimizer'>;
/** Identifies an optimizer: a name, a name with options, or an optimizer. */
export type OptimizerLike = OptimizerName | Optimizer | ClassConfig;

/**
 * An optimizer by its name (`adam`, `rmsprop` or `RMSprop`; in any case), by `{ className, config }`, or itself.
 * Errors: ValueError.
 */
export function optimizerOf(identifier: OptimizerLike | string): Optimizer {
  if (identifier instanceof Optimizer) return identifier;
  if (typeof identifier === 'string') return make(identifier, {});
  const { className, config = {} } = (identifier ?? {}) as Partial<ClassConfig>;
  if (typeof className === 'string') return make(className, config);
  throw rejected(identifier);
}

function make(name: string, config: object): Optimizer {
  const builtIn = classes.find((type) => foldName(nameOf(type)) === foldName(name));
  const type = customObjectOf(name) ?? builtIn ?? registeredAs(name);
  if (!isOptimizerClass(type)) throw rejected(name);
  return new type(withInner(config) as never);
}

/** Returns the configuration of an optimizer that wraps others, which are configurations in files, too. */
function withInner(config: object): object {
  const { innerOptimizer: inner, optimizerMap: map } = config as Record<string, unknown>;
  const isMap = (map as ClassConfig | undefined)?.className === OptimizerMap.className;
  if (isMap && !(map instanceof OptimizerMap)) {
    return { ...config, optimizerMap: mapOf((map as ClassConfig).config ?? {}) };
  }
  return isIdentifier(inner) ? { ...config, innerOptimizer: optimizerOf(inner) } : config;
}

function mapOf(config: Readonly<Record<string, unknown>>): OptimizerMap {
  const { defaultOptimizer, optimizerMap } = config;
  const entries = Object.entries(optimizerMap ?? {});
  return new OptimizerMap({
    ...config,
    defaultOptimizer: instanceOf(defaultOptimizer),
    optimizerMap: Object.fromEntries(entries.map(([pattern, item]) => [pattern, instanceOf(item)])),
  } as OptimizerMapOptions);
}

/** Returns the optimizer that `given` identifies; any other value is returned unchanged, for the caller to check. */
function instanceOf(given: unknown): unknown {
  return isIdentifier(given) ? optimizerOf(given) : given;
}

function isIdentifier(given: unknown): given is OptimizerLike {
  return typeof given === 'string' || (typeof given === 'object' && given !== null);
}

function isOptimizerClass(type: Registrable | null | undefined): type is OptimizerClass {
  return typeof type === 'function' && type.prototype instanceof Optimizer;
}

function rejected(received: unknown): ValueError {
  return new ValueError({
    op: 'optimizer',
    rule: `it is named by one of ${classes.map(nameOf).join(', ')}, by { className, config }, or is an Optimizer.`,
    received: describe(received),
    hint: suggestionFor(
      received,
      classes.map((type) => nameOf(type)),
      "pass 'adam', or optimizers.adam({ learningRate: 0.01 }); register your own classes with registerClass.",
    ),
  });
}
