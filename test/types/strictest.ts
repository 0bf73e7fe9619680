/**
 * @file A program that uses every kind of declaration of the package: classes of an app's own, data of all forms, transforms, files.
 * `scripts/check-package.mjs` compiles it against the packed types with TypeScript's strictest settings, such as
 * `exactOptionalPropertyTypes` and `noUncheckedIndexedAccess`. It isn't run.
 */
import {
  add,
  argMax,
  compile,
  cumsum,
  defineKernel,
  defineOp,
  type DType,
  grad,
  gradients,
  GradientTape,
  greater,
  init,
  jvp,
  matMul,
  maximum,
  mean,
  memory,
  mul,
  type Op,
  randomNormal,
  RetrogradError,
  runKernel,
  scan,
  square,
  sub,
  sum,
  type Tensor,
  tensor,
  tidy,
  topK,
  type Variable,
  variable,
  vmap,
  where,
} from 'retrograd';
import { inspect, recordSteps } from 'retrograd/inspect';
import { loadCheckpoint, loadModel, loadTensors, saveTensors } from 'retrograd/io';
import * as kernels from 'retrograd/kernels';
import {
  type Batch,
  callbacks,
  input,
  Layer,
  layers,
  type Logs,
  losses,
  metrics,
  Model,
  model,
  optimizers,
  registerClass,
  sequential,
} from 'retrograd/keras';
import { dense } from 'retrograd/keras/layers';

interface ScaleOptions extends layers.LayerOptions {
  by?: number;
}

/** A layer with options and a weight. */
class Scale extends Layer {
  static override readonly className = 'Scale';
  readonly by: number;
  offset: Variable | null = null;

  constructor({ by = 1, ...options }: ScaleOptions = {}) {
    super(options);
    this.by = by;
  }

  override build(inputShape: readonly (number | null)[]): void {
    this.offset = this.addWeight('offset', { shape: [inputShape.at(-1) ?? 1], initializer: 'zeros' });
  }

  override call(x: Tensor, { training = false }: layers.CallOptions): Tensor {
    const scaled = mul(x, training ? this.by : 1);
    return this.offset ? add(scaled, this.offset) : scaled;
  }

  override getConfig(): Record<string, unknown> {
    return { ...super.getConfig(), by: this.by };
  }
}
registerClass(Scale, { package: 'strictest' });

/** A layer of two inputs. */
class Difference extends Layer<readonly [Tensor, Tensor]> {
  override call([a, b]: readonly [Tensor, Tensor]): Tensor {
    return sub(a, b);
  }
}

class Pinball extends losses.Loss {
  static override readonly className = 'Pinball';
  override values(yTrue: Tensor, yPred: Tensor): Tensor {
    const error = sub(yTrue, yPred);
    return mean(maximum(mul(error, 0.9), mul(error, -0.1)), { axis: -1 });
  }
}

class Announce extends callbacks.Callback {
  readonly seen: number[] = [];
  override onEpochEnd(_epoch: number, logs: Logs): void {
    this.seen.push(logs.loss ?? Number.NaN);
    if (this.seen.length > 3) this.model.stopTraining = true;
  }
}

class Network extends Model {
  readonly hidden = layers.dense(4, 'relu');
  readonly error = metrics.mean({ name: 'error' });

  override call(x: Tensor): Tensor {
    return this.hidden.apply(x);
  }

  override trainStep({ x, y }: Batch) {
    return GradientTape.run((tape) => {
      const loss = mean(square(sub(this.apply(x, { training: true }), y)));
      this.optimizer?.apply(tape.gradient(loss, this.trainableWeights), this.trainableWeights);
      this.error.updateState(loss);
      return { loss, error: this.error.result() };
    });
  }
}

const doubled: Op<[x: Tensor], { by?: number }> = defineOp({
  name: 'doubled',
  inputs: ['x'],
  infer: ([{ shape, dtype }], { by = 2 }) => ({ shape, dtype, by }),
  forward: ([x], { by }) => {
    const { y } = runKernel(kernel, {
      inputs: { x },
      outputs: { y: x },
      params: { by },
      workgroups: 1,
    });
    return y;
  },
  backward: ([dy], { plan: { by } }) => [mul(dy, by)],
});

const kernel = defineKernel({
  name: 'doubled',
  bindings: { x: 'read f32', y: 'write f32' },
  params: { by: 'f32' },
  source: () => '@compute @workgroup_size(1) fn main() { y[0] = params.by * x[0]; }',
});

async function dtypes(w: Variable<'float32'>) {
  const flags: Uint8Array = await greater(w, 0).data();
  const floats: Float32Array = await w.data();
  const ints: Int32Array = await tensor([1, 2], [2], 'int32').data();
  const classes: Int32Array = await argMax(w, { axis: -1 }).data();
  const [values, indices] = topK(w, 2);
  const known: DType = where(greater(values, 0), values, 0).dtype;
  return { flags, floats, ints, classes, known, counted: await cumsum(indices).data() };
}

function differentiate(w: Variable) {
  const zeros: Tensor = GradientTape.run((tape) =>
    tape.gradient(sum(w), w, { unconnectedGradients: 'zero' }),
  );
  const [nullable] = GradientTape.run((tape) => tape.gradient(sum(w), [w]));
  const maybe: Tensor | null = nullable;
  const { value, gradients: all } = gradients(() => sum(square(w)), { w });
  const dw: Tensor | null = all.w;
  const { tangent } = jvp((t: Tensor) => square(t), [w], [w]);
  const batched = vmap((t: Tensor) => sum(t))(w);
  const [last] = scan((carry: Tensor, t: Tensor) => [add(carry, t), carry], sum(w), w);
  const step = compile((t: Tensor, rate: number) => ({ y: mul(t, rate) }), { name: 'step' });
  const { y } = step(w, 2);
  return [zeros, maybe, value, dw, tangent, batched, last, y, grad((t: Tensor) => sum(t))(w)];
}

async function train(file: File, given: { seed?: number; epochs?: number } = {}) {
  const net = sequential([input([4]), layers.dense(10, 'relu'), new Scale({ by: 2 }), dense(1)]);
  await net.compile({ optimizer: optimizers.adam(0.01), loss: new Pinball(), metrics: ['mae', 'mse'] });
  const batches = async function* () {
    yield [[[1, 2, 3, 4]], [[1]]] as const;
  };
  const { history } = await net.fit([[1, 2, 3, 4]], [[1]], {
    epochs: 2,
    callbacks: [new Announce(), callbacks.earlyStopping({ monitor: 'loss' }), { onTrainEnd: () => {} }],
    ...given,
  });
  const losses: number[] | undefined = history.loss;
  await net.fit(batches, { stepsPerEpoch: 1 });
  const [loss, mae] = await net.evaluate([[1, 2, 3, 4]], [[1]]);
  const { training } = loadCheckpoint(net, await file.arrayBuffer());
  await net.fit([[1, 2, 3, 4]], [[1]], { initialEpoch: training.epoch, seed: training.seed });

  const image = input({ shape: [28, 28, 1], name: 'image' });
  const flat = layers.flatten({ name: 'flat' }).apply(image);
  const branches = model({ inputs: { image }, outputs: { a: flat, b: layers.dense(2).apply(flat) } });
  const { a } = branches.apply({ image: randomNormal([1, 28, 28, 1]) });
  const features = model({ inputs: branches.input, outputs: branches.getLayer('flat').output });
  const loaded = await loadModel(file, { onProgress: ({ loaded: bytes }) => void bytes });
  const { kernel: weights } = net.getLayer<layers.Dense>(1);
  return { losses, loss, mae, a, features, loaded, weights, summary: net.summary({ print: () => {} }) };
}

export async function main(file: File): Promise<unknown> {
  await init({ powerPreference: 'high-performance' });
  const w = variable(randomNormal([4, 1], { seed: 1 }), { name: 'w' });
  const network = new Network();
  await network.compile({ optimizer: 'adam' });
  const report = await inspect(network, [[1]], [[1]]);
  const recording = recordSteps(network);
  const tensors = await loadTensors(await saveTensors({ w, twice: doubled(w, { by: 2 }) }));
  const { bytes } = memory();
  try {
    tidy(() => matMul(w, w, { transposeA: true }));
  } catch (error) {
    if (error instanceof RetrogradError) return error.hint;
  }
  const difference = new Difference().apply([w, w]);
  return [
    await dtypes(w),
    differentiate(w),
    await train(file),
    report,
    recording,
    tensors,
    bytes,
    difference,
    kernels,
  ];
}

/** What TypeScript rejects. */
export function rejected(w: Variable, network: Network): void {
  // @ts-expect-error: an unexpected argument.
  network.compile({ optimizer: 'sgd' }, 3);
  // @ts-expect-error: it is activation.
  layers.dense({ units: 2, activaton: 'relu' });
  // @ts-expect-error: a shape is frozen.
  w.shape.push(3);
  // @ts-expect-error: the learning rate is learningRate.
  optimizers.adam().lr = 0.1;
  // @ts-expect-error: options are fixed.
  optimizers.sgd().momentum = 0.9;
  // @ts-expect-error: it is stopTraining.
  network.stop_training = true;
  // @ts-expect-error: it takes nothing.
  void w.data(3);
}
