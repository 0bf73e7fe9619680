/**
 * @file The part of a model that is written to files. Writing imports no class of models, since models load what writes them.
 */
import type { GraphOperation } from '../graph/graphNode.ts';
import type { GraphProgram } from '../graph/program.ts';
import type { AnyLayer } from '../layers/base/layer.ts';
import type { Configured } from '../namedObjects.ts';

/** The library's classes of models. */
export type ModelClass = 'Model' | 'Functional' | 'Sequential';

export interface WrittenModel {
  readonly name: string;
  readonly trainable: boolean;
  readonly dtypePolicy: string;
  readonly built: boolean;
  readonly layers: readonly AnyLayer[];
  /** @internal */
  readonly sublayers: readonly AnyLayer[];
  /**
   * Null for a model with a `call` of its own.
   * @internal
   */
  readonly program: GraphProgram | null;
  readonly operations: readonly GraphOperation[];
  /**
   * Null for a model that isn't compiled.
   * @internal
   */
  readonly compileOptions: WrittenCompileOptions | null;
  /** @internal */
  readonly createdOptimizer: Configured | null;
  getConfig(): Record<string, unknown>;
}

/** The options of `compile` that files contain. */
export interface WrittenCompileOptions {
  readonly optimizer?: unknown;
  readonly loss?: unknown;
  readonly lossWeights?: unknown;
  readonly metrics?: unknown;
  readonly weightedMetrics?: unknown;
  readonly runEagerly?: boolean;
  readonly stepsPerExecution?: number;
}

interface ModelConstructor {
  readonly modelClass?: ModelClass;
}

const constructorOf = (item: unknown) => (item as object | null | undefined)?.constructor as ModelConstructor;

export function isModel(item: unknown): item is WrittenModel {
  return modelClassOf(item) !== undefined;
}

/** Returns the library's class that a model is of, or that its class extends; undefined for anything else. */
export function modelClassOf(item: unknown): ModelClass | undefined {
  return constructorOf(item)?.modelClass;
}

/** Returns whether `layer` is a model whose class is the library's own, not one that extends it. */
export function isLibraryModel(layer: AnyLayer): boolean {
  return Object.hasOwn(constructorOf(layer), 'modelClass');
}
