/**
 * @file The weights of a model by the names of a checkpoint: a table of PyTorch's modules, and the names and layouts of the tensors
 * in each.
 */
import { Layer } from '../../keras/layers/base/layer.ts';
import { Dense } from '../../keras/layers/core/dense.ts';
import { ReversibleEmbedding } from '../../keras/layers/core/reversibleEmbedding.ts';
import { type NarrowMatrix, narrowMatrixIn } from '../../keras/layers/quantized/narrowMatrix.ts';
import type { Variable } from '../../tensor/variable.ts';

/** A tensor of a checkpoint. */
export interface Parameter {
  readonly name: string;
  readonly variable: Variable;
  /** The layer that the weight is of, if an adapter may be added to it. */
  readonly layer?: Layer;
  /** The matrix that the variable has the words of, if it is in 16 bits. */
  readonly matrix?: NarrowMatrix | null;
  /** Whether the checkpoint has the matrix transposed. */
  readonly isTransposed: boolean;
}

/** A dense layer whose matrix a checkpoint has as Keras does, [in, out]. */
interface Conv1D {
  readonly conv1d: Dense;
}

/** What the parameters of a module are: the weights of a layer, or weights listed by name. Null: there is no such module. */
export type Module = Layer | Conv1D | readonly Parameter[] | null;

/** Layers by the names of their modules. */
export type Modules = Readonly<Record<string, Module>>;

/** PyTorch's names of parameters, by the roles of weights. */
const roles: Readonly<Record<string, string>> = {
  kernel: 'weight',
  embeddings: 'weight',
  gamma: 'weight',
  scale: 'weight',
  bias: 'bias',
  beta: 'bias',
};

/** The modules of a list of layers: `${name}.${index}.` before the names that `of` gives. */
export function each<T>(
  name: string,
  layers: readonly T[],
  of: (layer: T, index: number) => Modules,
): Modules {
  return Object.fromEntries(
    layers.flatMap((layer, i) => Object.entries(prefixed(`${name}.${i}`, of(layer, i)))),
  );
}

/** The modules inside a module called `prefix`. */
export function prefixed(prefix: string, modules: Modules): Modules {
  if (prefix === '') return modules;
  return Object.fromEntries(Object.entries(modules).map(([name, module]) => [`${prefix}.${name}`, module]));
}

/** A dense layer that a checkpoint has as GPT-2's Conv1D, whose matrix is [in, out]. */
export function conv1d(dense: Dense | null | undefined): Module {
  return dense ? { conv1d: dense } : null;
}

/** The matrix of an output layer that isn't tied to the embeddings. */
export function reverseWeights({ reverseEmbeddings }: ReversibleEmbedding): Module {
  if (!reverseEmbeddings) return null;
  const matrix = narrowMatrixIn(reverseEmbeddings);
  return [{ name: 'weight', variable: reverseEmbeddings, matrix, isTransposed: !matrix }];
}

/** One weight under a name of its own. */
export function only(name: string, variable: Variable | null): readonly Parameter[] {
  return variable ? [{ name, variable, isTransposed: false }] : [];
}

/** All parameters, by their whole names. */
export function parametersOf(modules: Modules): readonly Parameter[] {
  return Object.entries(modules).flatMap(([module, found]) =>
    parametersIn(found).map((parameter) => ({ ...parameter, name: `${module}.${parameter.name}` })),
  );
}

/** The layers of the modules that are one. */
export function layersOf(modules: Modules): ReadonlyMap<string, Layer> {
  const layers = Object.entries(modules).flatMap(([name, module]) => {
    const layer = module && 'conv1d' in module ? module.conv1d : module;
    return layer instanceof Layer ? [[name, layer] as const] : [];
  });
  return new Map(layers);
}

function parametersIn(module: Module): readonly Parameter[] {
  if (module === null) return [];
  if (module instanceof Layer) return weightsOf(module);
  if ('conv1d' in module)
    // Lines of a matrix in 16 bits are those of units.
    return weightsOf(module.conv1d).map((weight) => ({ ...weight, isTransposed: Boolean(weight.matrix) }));
  return module;
}

/** The parameters of a layer: not those of an adapter, nor a matrix of logits, which checkpoints have elsewhere. */
function weightsOf(layer: Layer): readonly Parameter[] {
  const elsewhere = layer instanceof ReversibleEmbedding ? layer.reverseEmbeddings : null;
  return layer.weights.flatMap((variable) => {
    const name = roles[roleOf(variable)];
    if (name === undefined || variable === elsewhere) return [];
    const isTransposed = layer instanceof Dense && variable === layer.kernel;
    return [{ name, variable, layer, matrix: narrowMatrixIn(variable), isTransposed }];
  });
}

function roleOf({ path }: Variable): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
