/** @file Steps of Adam for one large variable, with moments in float32 and in 8 bits. */
import { getDevice, init, Variable, variable } from 'retrograd';
import { optimizers } from 'retrograd/keras';
import { normal } from '../host.ts';
import { type Contender, type Job, unable } from '../job.ts';
import { problem } from '../oracle.ts';
import { deviceOfTfjs, openTfjs, readTfjs, uploadTo, waitForTfjs } from '../peers/tfjs.ts';
import { read, upload } from '../retrograd.ts';
import type { AdapterClass, Family, Row } from '../row.ts';

const rate = 0.01;
const epsilon = 1e-7;

type Make = (options: { learningRate: number }) => optimizers.Optimizer;

function retrogradStep(make: Make): Contender {
  return async (arrays) => {
    await init();
    const [initial, gradient] = arrays.map(upload) as [ReturnType<typeof upload>, ReturnType<typeof upload>];
    const value = variable(initial);
    const optimizer = make({ learningRate: rate });
    optimizer.build([value]);
    const step = () => optimizer.apply([gradient], [value]);
    return {
      run: step,
      wait: () => getDevice().sync(),
      async results() {
        step();
        return [await read(value)];
      },
      dispose() {
        const states = optimizer.variables.filter((state) => state instanceof Variable);
        for (const x of [initial, gradient, value, ...states]) x.dispose();
      },
      device: getDevice().gpu,
      stateful: true,
    } satisfies Job;
  };
}

const tfjsStep: Contender = async (arrays) => {
  const tf = await openTfjs();
  const [initial, gradient] = arrays.map((array) => uploadTo(tf, array)) as [never, never];
  const value = tf.variable(initial, true, 'value');
  const optimizer = tf.train.adam(rate, 0.9, 0.999, epsilon);
  const step = () => optimizer.applyGradients({ value: gradient });
  return {
    run: step,
    wait: () => waitForTfjs(tf),
    async results() {
      step();
      return [await readTfjs(value)];
    },
    dispose() {
      optimizer.dispose();
      tf.dispose([initial, gradient, value]);
    },
    device: deviceOfTfjs(tf),
    stateful: true,
  } satisfies Job;
};

/** `bytes` are those that a step reads and writes for each value. */
function stepRow(
  name: string,
  size: number,
  make: Make,
  bytes: number,
  tfjs: Row['contenders']['tfjs'],
): Row {
  return {
    name: `${name} step of ${size}`,
    family: 'optimizers',
    inputs: () => [normal([size], 1), normal([size], 2)],
    check: ([result], [value, gradient]) =>
      problem(result, {
        shape: [size],
        // In the first step both moments are shares of the gradient, whose corrections cancel them.
        at(i) {
          const g = gradient?.values[i as number] as number;
          const corrected = rate * (Math.sqrt(1 - 0.999) / (1 - 0.9));
          const step = (corrected * 0.1 * g) / (Math.sqrt(0.001) * Math.abs(g) + epsilon);
          return (value?.values[i as number] as number) - step;
        },
      }),
    contenders: {
      retrograd: retrogradStep(make),
      tfjs,
      jaxjs: unable('its optimizers are in another package'),
      ort: unable('no gradients'),
    },
    work: { flops: 12 * size, bytes: bytes * size },
  };
}

const sizes: Readonly<Record<AdapterClass, number>> = { gpu: 2 ** 24, cpu: 2 ** 20 };

export const optimizerFamily: Family = {
  name: 'optimizers',
  rows: (adapter) => [
    stepRow('adam', sizes[adapter], optimizers.adam, 28, tfjsStep),
    stepRow('adam8bit', sizes[adapter], optimizers.adam8bit, 16, unable('its moments are in float32')),
  ],
};
