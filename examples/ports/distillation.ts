/** @file Knowledge distillation: a small network learns from labels and from the softened predictions of a larger one. */
import { init, type Tensor } from 'retrograd';
import { layers, losses, Model, ops, optimizers, type Predicted, sequential } from 'retrograd/keras';
import { type Curves, integers, setKernels, uniform } from './formula.ts';

const temperature = 3;

function network(filters: number) {
  return sequential([
    layers.inputLayer({ shape: [8, 8, 1] }),
    layers.conv2d(filters, 3, { strides: 2, padding: 'same' }),
    layers.leakyReLU({ negativeSlope: 0.2 }),
    layers.maxPooling2d({ poolSize: 2, strides: 1, padding: 'same' }),
    layers.conv2d(2 * filters, 3, { strides: 2, padding: 'same' }),
    layers.flatten(),
    layers.dense(3),
  ]);
}

class Distiller extends Model {
  readonly labelLoss = losses.sparseCategoricalCrossentropy({ fromLogits: true });
  readonly divergence = losses.klDivergence();

  constructor(
    readonly student: Model,
    readonly teacher: Model,
  ) {
    super();
    teacher.trainable = false;
  }

  override call(x: Tensor): Tensor {
    return this.student.apply(x);
  }

  override computeLoss({ x, y, yPred }: Predicted): Tensor {
    const soft = (logits: Tensor) => ops.softmax(ops.divide(logits, temperature), { axis: 1 });
    const taught = soft(this.teacher.apply(x as Tensor, { training: false }));
    const distillation = ops.multiply(this.divergence.call(taught, soft(yPred as Tensor)), temperature ** 2);
    return ops.add(
      ops.multiply(0.1, this.labelLoss.call(y as Tensor, yPred as Tensor)),
      ops.multiply(0.9, distillation),
    );
  }
}

export async function run(): Promise<Curves> {
  await init();
  const [images, labels] = [uniform([16, 8, 8, 1], 1), integers([16], 2, 3)];
  const [teacher, student] = [network(6), network(3)];
  setKernels(teacher, student);
  const logits = losses.sparseCategoricalCrossentropy({ fromLogits: true });
  teacher.compile({ optimizer: optimizers.adam({ learningRate: 0.005 }), loss: logits });
  const taught = await teacher.fit(images, labels, { epochs: 3, batchSize: 8, shuffle: false, verbose: 0 });
  const distiller = new Distiller(student, teacher);
  distiller.compile({
    optimizer: optimizers.adam({ learningRate: 0.005 }),
    metrics: ['sparseCategoricalAccuracy'],
  });
  const { history } = await distiller.fit(images, labels, {
    epochs: 3,
    batchSize: 8,
    shuffle: false,
    verbose: 0,
  });
  return { teacher: taught.history.loss ?? [], student: history.loss ?? [] };
}
