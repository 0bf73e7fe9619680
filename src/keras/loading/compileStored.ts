/** @file Compiles a loaded model as it was saved, and restores the state of its optimizer. */
import { FormatError, RetrogradError } from '../../core/errors.ts';
import { Pacer } from '../../core/pacer.ts';
import { inTurns } from '../../core/pieces.ts';
import { sameShape } from '../../core/shape.ts';
import { formatSpec } from '../../core/spec.ts';
import type { StoredTensor } from '../../formats/storedTensor.ts';
import type { Tensor } from '../../tensor/tensor.ts';
import type { Json } from '../json/document.ts';
import { placed } from '../json/jsonErrors.ts';
import type { AnyModel } from '../models/model.ts';
import { readCompileConfig, type StoredCompileOptions } from '../json/readCompile.ts';
import { HostVariable } from '../optimizers/hostVariable.ts';
import { LossScaleOptimizer } from '../optimizers/lossScaleOptimizer.ts';
import { MultiOptimizer } from '../optimizers/multiOptimizer.ts';
import type { Optimizer } from '../optimizers/optimizer.ts';
import { type CustomObjects, withCustomObjects } from '../serialization/registered.ts';
import { Transfer, type TransferOptions } from '../saving/upload.ts';
import type { WeightFile } from '../saving/weightFile.ts';

interface CompileStoredOptions extends TransferOptions {
  readonly customObjects?: CustomObjects | undefined;
  /** Whether Keras 2 wrote the file: a model that can't be compiled as it was is useful without it, and warns. */
  readonly isOlder: boolean;
}

/** Errors: FormatError for options or a state that don't fit. */
export async function compileStored(
  model: AnyModel,
  config: Json,
  { optimizer: state, scalesLoss = false }: Pick<WeightFile, 'optimizer' | 'scalesLoss'>,
  options: CompileStoredOptions,
): Promise<void> {
  const { file } = options;
  try {
    await compileAsStored(model, config, scalesLoss, options);
  } catch (error) {
    if (!options.isOlder || !(error instanceof RetrogradError)) throw error;
    console.warn(
      `loadModel ${file}: the model isn't compiled: the file has ${error.received} among its optimizer, losses and metrics, which isn't known here. Compile it, or pass it in \`customObjects\`.`,
    );
    return;
  }
  if (!model.optimizer || !state || state.length === 0) return;
  try {
    await restoreState(model, model.optimizer, state, options);
  } catch (error) {
    if (!options.isOlder || !(error instanceof FormatError)) throw error;
    console.warn(
      `loadModel ${file}: ${model.optimizer.className} begins with a new state, since that of Keras 2 is another: ${error.rule} Received: ${error.received}.`,
    );
  }
}

/** Errors: those of `compile`, and FormatError. */
async function compileAsStored(
  model: AnyModel,
  config: Json,
  scalesLoss: boolean,
  { file, customObjects = {} }: CompileStoredOptions,
): Promise<void> {
  const reader = {
    source: file,
    lambdas: {},
    ids: new Map(),
    shared: new Map(),
    built: new Map(),
    scopes: [],
    made: [],
  };
  const read = readCompileConfig(reader, config, 'compile_config');
  if (!read) return;
  const compiled = scalesLoss ? { ...read, optimizer: scaled(read.optimizer) } : read;
  await model.loadTraining();
  // Few files have them, so that they aren't among the optimizers that every app loads.
  const rare = /"AdamW?8bit"/.test(JSON.stringify(config)) ? await loadRareOptimizers() : {};
  withCustomObjects({ ...rare, ...customObjects }, () =>
    placed(file, 'compile_config', () => {
      model.compile(compiled as Parameters<AnyModel['compile']>[0]);
    }),
  );
}

async function loadRareOptimizers(): Promise<CustomObjects> {
  const { Adam8bit, AdamW8bit } = await import('../optimizers/adam8bit.ts');
  return { Adam8bit, AdamW8bit };
}

/** Returns an optimizer that scales the loss. The configuration may have that inside it: Keras adds it when it compiles. */
function scaled(optimizer: StoredCompileOptions['optimizer']): StoredCompileOptions['optimizer'] {
  const inner = typeof optimizer === 'object' ? optimizer : { className: optimizer ?? 'rmsprop', config: {} };
  return inner.className === 'LossScaleOptimizer'
    ? inner
    : { className: 'LossScaleOptimizer', config: { innerOptimizer: inner } };
}

/** Sets the variables of an optimizer. Before its first step it has only the number of steps and the learning rate. */
async function restoreState(
  model: AnyModel,
  optimizer: Optimizer,
  stored: readonly StoredTensor[],
  options: CompileStoredOptions,
): Promise<void> {
  const state = options.isOlder ? upgradeState(optimizer, stored) : stored;
  const isNew = state.length === firstVariables(optimizer);
  const build = () => inTurns(optimizer.buildInPieces(model.trainableWeights), new Pacer(options.signal));
  if (!isNew) await build();
  const variables = isNew ? optimizer.variables.slice(0, state.length) : optimizer.variables;
  if (variables.length !== state.length) {
    throw invalid(
      options.file,
      `the state of ${optimizer.className} has ${variables.length} variables.`,
      `${state.length}`,
    );
  }
  const transfer = new Transfer(state, { file: options.file, signal: options.signal });
  const values: (Tensor | number)[] = [];
  try {
    for (const [i, variable] of variables.entries()) {
      const stored = state[i] as StoredTensor;
      requireLike(options.file, variable, stored);
      if (variable instanceof HostVariable)
        values.push(unrounded(variable, (await stored.read(0, 1))[0] as number));
      else values.push((await transfer.upload(stored, variable.device)).tensor);
    }
    placed(options.file, "the optimizer's state", () => {
      if (!isNew) optimizer.setWeights(values);
      else {
        setNumbers(variables, values);
        // Plain gradient descent has no other variables even after its first step.
        if (optimizer.iterations > 0) optimizer.build(model.trainableWeights);
      }
    });
  } finally {
    for (const value of values) if (typeof value !== 'number') value.dispose();
  }
}

/** Keras 2 had no variable for the learning rate, and momentums also where there is no momentum. */
function upgradeState(optimizer: Optimizer, state: readonly StoredTensor[]): readonly StoredTensor[] {
  const { variables, schedule, className } = optimizer;
  const hasSlots = className !== 'SGD' || optimizer.getConfig().momentum !== 0;
  const used = hasSlots ? state : state.slice(0, 1);
  const rate = variables[1];
  if (schedule || !(rate instanceof HostVariable)) return used;
  const { name, value } = rate;
  const read = async () => Float32Array.of(value);
  return used.toSpliced(1, 0, { place: `'${name}'`, shape: [], dtype: 'float32', read });
}

/** Returns the number of `variable` where `stored` is that number in float32: the configuration has all of its digits. */
function unrounded({ value }: HostVariable, stored: number): number {
  return Math.fround(value) === stored ? value : stored;
}

/** Returns the number of variables before the first step, including those of inner optimizers. */
function firstVariables(optimizer: Optimizer): number {
  const own = optimizer.schedule ? 1 : 2;
  if (optimizer instanceof LossScaleOptimizer) return 2 + firstVariables(optimizer.innerOptimizer);
  if (!(optimizer instanceof MultiOptimizer)) return own;
  return optimizer.optimizers.reduce((sum, inner) => sum + firstVariables(inner), own);
}

function setNumbers(variables: Optimizer['variables'], values: readonly (Tensor | number)[]): void {
  variables.forEach((variable, i) => {
    if (variable instanceof HostVariable) variable.value = values[i] as number;
  });
}

function requireLike(file: string, variable: Optimizer['variables'][number], stored: StoredTensor): void {
  if (sameShape(variable.shape, stored.shape) && variable.dtype === stored.dtype) return;
  throw invalid(file, `'${variable.name}' is ${formatSpec(variable)}.`, formatSpec(stored));
}

function invalid(file: string, rule: string, received: string): FormatError {
  return new FormatError({
    op: `loadModel ${file}`,
    rule,
    received,
    hint: 'load it with { compile: false } to start with a new optimizer.',
  });
}
