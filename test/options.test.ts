/**
 * @file Options and positional arguments of every public export: a misspelt option is rejected with a suggestion, and so is
 * an argument that nothing reads. Each export is called with an unknown option; its error lists the options, each of which
 * is then misspelt. An export that takes no options is listed here.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import * as retrograd from '../src/index.ts';
import * as io from '../src/io/index.ts';
import * as keras from '../src/keras/index.ts';
import { init, RetrogradError, ValueError } from '../src/index.ts';

beforeAll(async () => {
  await init();
});

type Call = (...args: unknown[]) => unknown;

/** Exports that take no options, by entry: they are functions of their arguments alone. */
const withoutOptions = new Set([
  // Device, scopes and counters
  'getDevice',
  'setDevice',
  'keep',
  'scope',
  'tidy',
  'memory',
  'enableFloat16',
  'resetPeakMemory',
  'setRandomSeed',
  'debugMode',
  'checkNumerics',
  'onReplay',
  'Tensor',
  'DynamicScalar',
  // Functions of functions; the last two of each take arguments of theirs
  'checkpoint',
  'remat',
  'utils.trainedWeights',
  'utils.weightDelta',
  'customGradient',
  'customJvp',
  'hessian',
  'hvp',
  'jacfwd',
  'jacobian',
  'jvp',
  'linearize',
  'warmup',
  'tune',
  'explainChoice',
  // Definitions, whose fields TypeScript checks
  'defineOp',
  'defineKernel',
  'runKernel',
  // History
  'lineage',
  'Lineage',
  'requireHistory',
  'Node',
  // Keras
  'KerasTensor',
  'GraphNode',
  'getSourceInputs',
  'maskOf',
  'setMask',
  'clearSession',
  'getDTypePolicy',
  'setDTypePolicy',
  'modelToConfig',
  'modelToJSON',
  // Lookups by name, and what makes classes of one's own
  'activationOf',
  'serializeActivation',
  'splitActivation',
  'constraintOf',
  'initializerOf',
  'regularizerOf',
  'optimizerOf',
  'scheduleOf',
  'metricOf',
  'losses.get',
  'ops.select',
  'HostVariable',
  'defineStep',
  'CallbackList',
  'LambdaCallback',
  'lambdaCallback',
  'History',
  'defaultFiles',
  'memoryFiles',
  'nodeFiles',
  'originFiles',
  'downloads',
  // io
  'writeSafetensors',
  'saveTensors',
  'BytesTarget',
  'FilesTarget',
  'listFiles',
  'removeFile',
  'saveWeights',
  // Weights in few bits, and what makes them
  'dequantize',
  'packInt4',
  'unpackInt4',
]);

/** Base classes: what an app's subclass may be given is the app's affair. */
const bases = ['Layer', 'Model', 'Loss', 'Metric', 'Optimizer', 'FusedOptimizer', 'Callback', 'RNNCell'];

const tensorOfOne = Object.create(retrograd.Tensor.prototype);

/** What stands before the options, where that isn't nothing. */
const before: Record<string, unknown[]> = {
  tensor: [[1]],
  freshTensor: [[1]],
  fromBuffer: [{ usage: 128, size: 4 }],
  fromImage: [{}],
  toCanvas: [{}, { getContext: () => ({}) }],
  toPixels: [{}],
  Variable: [tensorOfOne],
  variable: [tensorOfOne],
  compile: [() => {}],
  grad: [() => {}],
  grads: [() => {}],
  valueAndGrad: [() => {}],
  valueAndGrads: [() => {}],
  vjp: [() => {}, [tensorOfOne]],
  vmap: [() => {}],
  scan: [() => {}, tensorOfOne, tensorOfOne],
  gpuTime: [() => {}],
  profile: [() => {}],
  explainHistory: [{}],
  fill: [[1], 1],
  ones: [[1]],
  zeros: [[1]],
  eye: [1],
  linspace: [0, 1, 2],
  range: [0, 1],
  'ops.arange': [0, 1],
  'ops.identity': [2],
  randomNormal: [[1]],
  randomUniform: [[1]],
  truncatedNormal: [[1]],
  gatherOnHost: [tensorOfOne, [0]],
  booleanMask: [tensorOfOne, tensorOfOne],
  nonzero: [tensorOfOne],
  'ops.nonzero': [tensorOfOne],
  unique: [tensorOfOne],
  nonMaxSuppression: [tensorOfOne, tensorOfOne],
  randomGamma: [[1]],
  randomBeta: [[1]],
  randomPoisson: [[1]],
  permutation: [1],
  'applications.decodePredictions': [tensorOfOne],
  'utils.padSequences': [[[1]]],
  'utils.toCategorical': [[1]],
  'utils.causalExamples': [[[1, 2]]],
  'utils.averageDeltas': [[new Map()]],
  'utils.applyDelta': [{ name: 'm', trainableWeights: [] }, new Map()],
  'utils.splitDataset': [tensorOfOne],
  cloneModel: [{}],
  'ops.ctcDecode': [tensorOfOne, [1]],
  'ops.bartlett': [1],
  'ops.blackman': [1],
  'ops.hamming': [1],
  'ops.hanning': [1],
  'ops.kaiser': [1],
  'ops.tri': [1],
  'ops.logspace': [0, 1],
  'ops.geomspace': [1, 2],
  'ops.zeros': [[1]],
  'ops.ones': [[1]],
  'ops.full': [[1], 1],
  'ops.fullLike': [tensorOfOne, 1],
  'ops.linspace': [0, 1],
  'ops.eye': [1],
  'ops.convertToTensor': [1],
  'ops.bincount': [[1]],
  'ops.image.scaleAndTranslate': [1, [1], [1], [1], [0], 'linear'],
  modelFromJSON: ['{}'],
  registerClass: [class {}],
  loadCheckpoint: [{ name: 'm', weights: [] }, new Uint8Array()],
  saveCheckpoint: [{ name: 'm', weights: [] }],
  readCheckpoint: [new Uint8Array()],
  readSafetensors: [new Uint8Array()],
  loadTensors: [new Uint8Array()],
  loadGraphModel: [new Uint8Array()],
  loadModel: [new Uint8Array()],
  readPyTorch: [new Uint8Array()],
  cachedAttention: [1, 1, 1, 1, {}],
  linearCrossEntropy: [1, 1, 1],
  quantizedGather: [1, 1],
  quantizedMatMul: [1, 1],
  gradients: [() => tensorOfOne, tensorOfOne],
  loadWeights: [{ name: 'm', weights: [] }, new Uint8Array()],
  loadAdapter: [{ name: 'm', sublayers: [] }, new Uint8Array()],
  saveAdapter: [{ name: 'm', sublayers: [] }, 'adapter'],
};

// An alias is the same function, which is tried once.
const { hardSwish: _, swish: __, ...activations } = keras.activations;
for (const name of Object.keys(activations)) before[`activations.${name}`] = [1];
for (const name of ['celu', 'glu', 'hardShrink', 'hardTanh', 'softShrink', 'sparsemax', 'sparsePlus'])
  before[`ops.${name}`] = [1];
for (const name of ['sparseSigmoid', 'squareplus', 'tanhShrink', 'threshold']) before[`ops.${name}`] = [1];

function isClass(value: unknown): boolean {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}

function asCall(value: Call): Call {
  return isClass(value)
    ? (...args) => new (value as unknown as new (...args: unknown[]) => unknown)(...args)
    : value;
}

/** Returns the public exports, namespaces included, by a name that says where they are. */
function exportsOf(entry: object, prefix = ''): [string, Call][] {
  return Object.entries(entry).flatMap(([name, value]): [string, Call][] => {
    if (typeof value === 'object' && value?.[Symbol.toStringTag] === 'Module')
      return exportsOf(value, `${prefix}${name}.`);
    return typeof value === 'function' && !/Error$/.test(name) ? [[`${prefix}${name}`, value]] : [];
  });
}

/** What has several names is tested under the first. */
const all = [
  ...new Map(
    [...exportsOf(retrograd), ...exportsOf(keras), ...exportsOf(io)]
      .map(([path, value]): [Call, string] => [value, path])
      .toReversed(),
  ),
].map(([value, path]): [string, Call] => [path, value]);
const covered = all.filter(([path]) => {
  const name = path.split('.').at(-1) as string;
  return !withoutOptions.has(name) && !withoutOptions.has(path) && !bases.includes(name);
});

/** Returns the arguments in front of the options: the tensors of an op, whatever they are. */
function argumentsOf(path: string, value: Call): unknown[] {
  const { definition } = value as { definition?: { inputs: string[] } };
  if (definition) return definition.inputs.map((input) => (input.startsWith('...') ? [1, 2] : 1));
  return before[path] ?? [];
}

/** What the call throws; null for nothing. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return null;
  } catch (error) {
    return error;
  }
}

async function namesOf(call: Call, args: readonly unknown[]): Promise<string[] | string> {
  const error = await errorOf(() => call(...args, { qqqqqq: 1 }));
  if (!(error instanceof ValueError)) return `takes { qqqqqq: 1 }: ${error}`;
  if (!error.received?.includes('qqqqqq')) return `doesn't name the option: ${error.message}`;
  if (error.rule === 'it has no options.') return [];
  return (
    /^its options are ([^.]*)\.$/.exec(error.rule)?.[1]?.split(', ') ?? `lists no options: ${error.rule}`
  );
}

/** Misspelt forms of a name: as in Python, in lower case, and with a letter left out. */
function misspelt(name: string, names: readonly string[]): string[] {
  const snake = name.replace(/(?<=.)([A-Z])/g, '_$1').toLowerCase();
  const middle = Math.ceil(name.length / 2);
  const shorter = name.slice(0, middle) + name.slice(middle + 1);
  const forms = [snake, name.toLowerCase(), name.toUpperCase(), ...(name.length > 4 ? [shorter] : [])];
  return forms.filter((form) => !names.includes(form));
}

describe('misspelt options', () => {
  test.each(covered)('%s', async (path, value) => {
    const call = asCall(value);
    const args = argumentsOf(path, value);
    const names = await namesOf(call, args);
    expect(names).toBeInstanceOf(Array);
    for (const name of names as string[]) {
      for (const form of misspelt(name, names as string[])) {
        const error = await errorOf(() => call(...args, { [form]: 1 }));
        expect(error).toBeInstanceOf(ValueError);
        expect((error as ValueError).hint, form).toBe(`did you mean '${name}'?`);
      }
    }
  });

  test('what is listed here is exported', () => {
    const known = new Set(all.flatMap(([path]) => [path, path.split('.').at(-1)]));
    expect([...withoutOptions, ...bases, ...Object.keys(before)].filter((name) => !known.has(name))).toEqual(
      [],
    );
  });
});

describe('arguments that nobody reads', () => {
  const extra = Array.from({ length: 20 }, () => 'extra');

  test.each(covered.filter(([, value]) => !isClass(value)))('%s', async (path, value) => {
    const error = await errorOf(() => value(...argumentsOf(path, value), ...extra));
    expect(error).toBeInstanceOf(RetrogradError);
  });
});
