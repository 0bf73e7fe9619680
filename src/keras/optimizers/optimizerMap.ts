/** @file OptimizerMap: which optimizer updates which variables, by patterns of their paths. */
import { ValueError } from '../../core/errors.ts';
import { checkOptions } from '../../core/options.ts';
import { describe } from '../../core/shape.ts';
import { configOf } from '../namedObjects.ts';
import { factoryOf } from '../options/factory.ts';
import { Optimizer } from './optimizer.ts';

export interface OptimizerMapOptions {
  /** Updates variables that no pattern matches. */
  defaultOptimizer: Optimizer;
  /** Optimizers by path of a variable, or by regular expression for whole paths: `{ 'encoder/.*': adam }`. Default: none. */
  optimizerMap?: Readonly<Record<string, Optimizer>> | null;
}

interface Entry {
  readonly expression: RegExp;
  readonly optimizer: Optimizer;
}

export class OptimizerMap {
  static readonly className: string = 'OptimizerMap';
  readonly defaultOptimizer: Optimizer;
  readonly #entries = new Map<string, Entry>();

  constructor(options: OptimizerMapOptions) {
    checkOptions('OptimizerMap', options, ['defaultOptimizer', 'optimizerMap']);
    const { defaultOptimizer, optimizerMap: given = null } = options;
    requireOptimizer('defaultOptimizer', defaultOptimizer);
    this.defaultOptimizer = defaultOptimizer;
    if (given === null) return;
    if (typeof given !== 'object' || Array.isArray(given)) {
      throw invalid('`optimizerMap` is an object of optimizers.', `optimizerMap: ${describe(given)}`);
    }
    for (const [pattern, optimizer] of Object.entries(given)) this.set(pattern, optimizer);
  }

  /** Keras's name of the class, which survives minification. */
  get className(): string {
    return (this.constructor as typeof OptimizerMap).className;
  }

  /** The patterns, in the order in which they were added. */
  get patterns(): string[] {
    return [...this.#entries.keys()];
  }

  /** Its optimizers, each once: those of the patterns, then the default. */
  get optimizers(): Optimizer[] {
    const mapped = [...this.#entries.values()].map(({ optimizer }) => optimizer);
    return [...new Set([...mapped, this.defaultOptimizer])];
  }

  /**
   * Returns the optimizer of the variable at `path`: of the entry with this very key, else of the one whose pattern matches the
   * whole path, else the default. Errors: ValueError if several patterns match.
   */
  get(path: string): Optimizer {
    const exact = this.#entries.get(path);
    if (exact) return exact.optimizer;
    const found = [...this.#entries].filter(([, { expression }]) => expression.test(path));
    if (found.length > 1) {
      const patterns = found.map(([pattern]) => `'${pattern}'`).join(' and ');
      throw invalid('a variable has one optimizer.', `'${path}', which ${patterns} match`);
    }
    return found[0]?.[1].optimizer ?? this.defaultOptimizer;
  }

  /** Adds an optimizer for the paths that `pattern` matches. Errors: ValueError for a pattern that it has already. */
  set(pattern: string, optimizer: Optimizer): void {
    if (typeof pattern !== 'string') {
      throw invalid('a pattern is a string.', `pattern: ${describe(pattern)}`);
    }
    if (this.#entries.has(pattern)) throw invalid('each pattern is given once.', `'${pattern}' again`);
    requireOptimizer(`optimizerMap['${pattern}']`, optimizer);
    this.#entries.set(pattern, { expression: wholePath(pattern), optimizer });
  }

  /** Removes the entry of `pattern`. Returns whether there was one. */
  delete(pattern: string): boolean {
    return this.#entries.delete(pattern);
  }

  /** Returns all options. */
  getConfig(): Record<string, unknown> {
    const entries = [...this.#entries].map(
      ([pattern, { optimizer }]) => [pattern, configOf(optimizer)] as const,
    );
    return { defaultOptimizer: configOf(this.defaultOptimizer), optimizerMap: Object.fromEntries(entries) };
  }
}

function wholePath(pattern: string): RegExp {
  try {
    return new RegExp(`^(?:${pattern})$`);
  } catch (error) {
    const received = `optimizerMap: ${describe(pattern)} (${(error as Error).message})`;
    throw invalid('a pattern is a regular expression of JavaScript.', received);
  }
}

function requireOptimizer(what: string, optimizer: unknown): void {
  if (optimizer instanceof Optimizer) return;
  throw invalid(`\`${what}\` is an optimizer.`, `${what}: ${describe(optimizer)}`);
}

function invalid(rule: string, received: string): ValueError {
  return new ValueError({
    op: 'OptimizerMap',
    rule,
    received,
    hint: "pass { defaultOptimizer: optimizers.sgd(), optimizerMap: { 'encoder/.*': optimizers.adam() } }.",
  });
}

/**
 * Says which optimizer updates which variables, by their paths, for `multiOptimizer`. A pattern matches whole paths, as with
 * Python's `re.fullmatch`: `encoder/.*` is for all variables of the layer or model `encoder`.
 * Errors: ValueError for options, and for patterns that aren't regular expressions.
 */
export const optimizerMap = /* @__PURE__ */ factoryOf(OptimizerMap, ['defaultOptimizer']);
