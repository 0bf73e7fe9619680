/**
 * @file Rows of training steps: loss, gradient of the parameters, gradient descent with momentum. Each library runs them as
 * in its guide: Retrograd compiled, with its optimizer; TF.js with `minimize`; jax-js with one jitted function of parameters
 * and momenta.
 */
import { cast, compile, GradientTape, getDevice, init, type Tensor, Variable, variable } from 'retrograd';
import { optimizers } from 'retrograd/keras';
import recordedSteps from './expectedSteps.json' with { type: 'json' };
import {
  checkStep,
  type ExpectedStep,
  expectedStep,
  float16Tolerances,
  float32Tolerances,
  type StepTolerances,
  type TrainingStep,
} from './trainingStepCheck.ts';
import type { HostArray } from './host.ts';
import { type Contender, type Job, type Layout, laidOut, unable } from './job.ts';
import {
  type JaxArray,
  type JaxJs,
  openJaxJs,
  readJax,
  submitJax,
  uploadToJax,
  waitForJax,
} from './peers/jaxjs.ts';
import { deviceOfTfjs, openTfjs, readTfjs, type Tfjs, uploadTo, waitForTfjs } from './peers/tfjs.ts';
import { read, upload } from './retrograd.ts';
import type { Row } from './row.ts';

type TfTensor = ReturnType<typeof uploadTo>;

/** Tensors of a step: parameters, the batch, and constants. */
export interface Parts<T> {
  parameters: T[];
  batch: T[];
  constants: T[];
}

export interface Training extends Parts<HostArray> {
  rate: number;
  momentum: number;
}

export interface TrainingRow {
  name: string;
  family: string;
  training: () => Training;
  /** The loss in plain float64. */
  lossAt: TrainingStep['lossAt'];
  /** Number of central differences that the gradient is compared with; default: one for each parameter. */
  directions?: number;
  /** `operand` rounds an operand of a matmul or a convolution to float16, or returns it as it is. */
  retrograd(parts: Parts<Tensor>, operand: (x: Tensor) => Tensor): Tensor;
  tfjs(tf: Tfjs, parts: Parts<TfTensor>): TfTensor;
  /** Receives its own references, which it consumes. */
  jaxjs(jax: JaxJs, parts: Parts<JaxArray>): JaxArray;
  /** Layouts for jax-js of parameters, batch and constants, in this order. */
  jaxLayout?: Layout['inputs'];
  jaxRestore?: Layout['outputs'];
}

/** A row, and the oracle of its first step. */
export interface TrainingStepRow extends Row {
  /** Computes what the check expects, if that isn't recorded: for models of GPUs it takes minutes. */
  expected(): ExpectedStep;
}

/** Of `node scripts/record-steps.mjs`, by the names of rows. */
const recorded: Readonly<Record<string, ExpectedStep>> = recordedSteps;

export function trainingRow(given: TrainingRow): TrainingStepRow {
  const contenders = {
    tfjs: tfjsSteps(given, memoized(given.training)),
    jaxjs: jaxjsSteps(given, memoized(given.training)),
    ort: unable('no gradients'),
  };
  return rowOf(given, (x) => x, float32Tolerances, contenders);
}

/** The same with operands of matmuls and convolutions in float16, as `mixedFloat16` rounds them. */
export function float16TrainingRow(given: TrainingRow): TrainingStepRow {
  const missing = unable('float32 only');
  const contenders = { tfjs: missing, jaxjs: missing, ort: missing };
  const row = rowOf(given, (x) => cast(x, 'float16'), float16Tolerances, contenders);
  return { ...row, name: `${given.name}, float16` };
}

function memoized<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function rowOf(
  given: TrainingRow,
  operand: (x: Tensor) => Tensor,
  tolerances: StepTolerances,
  peers: Omit<Row['contenders'], 'retrograd'>,
): TrainingStepRow {
  const { name, family, lossAt, directions } = given;
  const training = memoized(given.training);
  const stepOf = (): TrainingStep => ({
    ...training(),
    lossAt,
    ...(directions === undefined ? {} : { directions }),
  });
  const expected = () => expectedStep(stepOf());
  const check = memoized(() => checkStep(stepOf(), recorded[name] ?? expected(), tolerances));
  return {
    name,
    family,
    inputs: () => {
      const { parameters, batch, constants } = training();
      return [...parameters, ...batch, ...constants];
    },
    check: (results) => check()(results),
    expected,
    contenders: { retrograd: retrogradSteps(given, training, operand), ...peers },
  };
}

function retrogradSteps(
  { name, retrograd }: TrainingRow,
  training: () => Training,
  operand: (x: Tensor) => Tensor,
): Contender {
  return async () => {
    await init();
    const { rate, momentum, ...host } = training();
    const parameters = host.parameters.map(variableOf);
    const [batch, constants] = [host.batch.map(upload), host.constants.map(upload)];
    const optimizer = optimizers.sgd({ learningRate: rate, momentum });
    optimizer.build(parameters);
    const step = compile(
      (...batch: Tensor[]) => {
        const tape = new GradientTape();
        tape.watch(parameters);
        const loss = retrograd({ parameters, batch, constants }, operand);
        optimizer.apply(tape.gradient(loss, parameters) as Tensor[], parameters);
        return loss;
      },
      { name },
    );
    return {
      run: () => step(...batch).dispose(),
      wait: () => getDevice().sync(),
      async results() {
        const loss = step(...batch);
        const results = await Promise.all([loss, ...parameters].map(read));
        loss.dispose();
        return results;
      },
      dispose() {
        step.dispose();
        const states = optimizer.variables.filter((state) => state instanceof Variable);
        for (const x of [...parameters, ...states, ...batch, ...constants]) x.dispose();
      },
      device: getDevice().gpu,
      stateful: true,
    } satisfies Job;
  };
}

function variableOf(array: HostArray): Variable {
  const initial = upload(array);
  const result = variable(initial);
  initial.dispose();
  return result;
}

function tfjsSteps({ tfjs }: TrainingRow, training: () => Training): Contender {
  return async () => {
    const tf = await openTfjs();
    const { rate, momentum, ...host } = training();
    const variables = host.parameters.map((array) => tf.tidy(() => tf.variable(uploadTo(tf, array))));
    const [batch, constants] = [host.batch, host.constants].map((arrays) =>
      arrays.map((array) => uploadTo(tf, array)),
    );
    const parts = { parameters: variables, batch: batch as TfTensor[], constants: constants as TfTensor[] };
    const optimizer = momentum === 0 ? tf.train.sgd(rate) : tf.train.momentum(rate, momentum);
    const step = () => optimizer.minimize(() => tfjs(tf, parts) as never, true, variables) as TfTensor;
    return {
      run: () => step().dispose(),
      wait: () => waitForTfjs(tf),
      async results() {
        const loss = step();
        const results = await Promise.all([loss, ...variables].map(readTfjs));
        loss.dispose();
        return results;
      },
      dispose() {
        optimizer.dispose();
        tf.dispose([...variables, ...parts.batch, ...parts.constants]);
      },
      device: deviceOfTfjs(tf),
      stateful: true,
    } satisfies Job;
  };
}

function jaxjsSteps({ jaxjs, jaxLayout, jaxRestore }: TrainingRow, training: () => Training): Contender {
  return async () => {
    const jax = await openJaxJs();
    const { rate, momentum, ...host } = training();
    const arrays = laidOut([...host.parameters, ...host.batch, ...host.constants], jaxLayout);
    const uploaded = arrays.map((array) => uploadToJax(jax, array));
    let parameters = uploaded.splice(0, host.parameters.length);
    const batch = uploaded.splice(0, host.batch.length);
    const constants = uploaded;
    let momenta = parameters.map((parameter) => jax.numpy.zeros(parameter.shape, { device: 'webgpu' }));
    const lossOf = (parameters: JaxArray[], batch: JaxArray[]) =>
      jaxjs(jax, { parameters, batch, constants: constants.map((constant) => constant.ref) });
    const plain = (parameters: JaxArray[], momenta: JaxArray[], batch: JaxArray[]) => {
      const held = parameters.map((parameter) => parameter.ref);
      const [loss, gradients] = jax.valueAndGrad(lossOf)(held, batch) as unknown as [JaxArray, JaxArray[]];
      const moved = momenta.map((m, i) => m.mul(momentum).add(gradients[i] as JaxArray));
      const next = parameters.map((parameter, i) => parameter.sub((moved[i] as JaxArray).ref.mul(rate)));
      return [loss, next, moved] as [JaxArray, JaxArray[], JaxArray[]];
    };
    const referenced = (arrays: readonly JaxArray[]) => arrays.map((array) => array.ref);
    const jitted = jax.jit(plain) as unknown as typeof plain & { dispose(): void };
    let step = plain;
    try {
      const [loss, next, moved] = jitted(referenced(parameters), referenced(momenta), referenced(batch));
      for (const array of [loss, ...next, ...moved]) array.dispose();
      step = jitted;
    } catch {
      // Some functions can't be compiled: they run op by op.
    }
    const advance = () => {
      const [loss, next, moved] = step(parameters, momenta, referenced(batch));
      parameters = next;
      momenta = moved;
      return loss;
    };
    return {
      // One submission computes all results of the step.
      run() {
        submitJax(advance());
      },
      wait: () => waitForJax(jax),
      async results() {
        const loss = await advance().blockUntilReady();
        const results = await Promise.all(
          [loss, ...parameters.map((parameter) => parameter.ref)].map(readJax),
        );
        return laidOut(results, [null, ...(jaxRestore ?? [])]);
      },
      dispose() {
        jitted.dispose();
        for (const array of [...parameters, ...momenta, ...batch, ...constants]) array.dispose();
      },
      device: jax.getWebGPUDevice(),
      stateful: true,
    } satisfies Job;
  };
}
