/**
 * @file A warm library gets a new shape: a dense layer on a batch size that it hasn't seen before, from host values to the
 * end of the computation. Libraries that compile or record by shape pay for it here.
 */
import { fusedMatMul, getDevice, init, tensor, tidy } from 'retrograd';
import { type HostArray, normal } from '../host.ts';
import type { Contender, Job } from '../job.ts';
import { OnnxGraph } from '../onnx/graph.ts';
import { problem } from '../oracle.ts';
import { type JaxArray, openJaxJs, readJax, uploadToJax, waitForJax } from '../peers/jaxjs.ts';
import { openOrt, ortOptions } from '../peers/ort.ts';
import { deviceOfTfjs, openTfjs, readTfjs, type Tfjs, uploadTo, waitForTfjs } from '../peers/tfjs.ts';
import { read, upload } from '../retrograd.ts';
import type { Family, Row } from '../row.ts';

const [inputs, outputs] = [256, 256];
const checkedSize = 63;
/** Distinct batch sizes from 64 on: steps of 37 modulo 401. */
const sizes = () => {
  let turn = 0;
  return () => 64 + ((37 * turn++) % 401);
};
const largest = 64 + 401;

/** Returns the first rows of the largest batch. */
const batchOf = (x: HostArray, n: number): HostArray => ({
  shape: [n, inputs],
  values: x.values.slice(0, n * inputs),
});

const row: Row = {
  name: `new shape, dense n×${inputs}→${outputs} with host values`,
  family: 'shapes',
  inputs: () => [normal([largest, inputs], 1), normal([inputs, outputs], 2, 1 / 16), normal([outputs], 3)],
  check: ([result], [x, w, bias]) =>
    problem(result, {
      shape: [checkedSize, outputs],
      at(...[i, j]) {
        let sum = bias?.values[j as number] as number;
        for (let k = 0; k < inputs; k++) {
          sum +=
            (x?.values[(i as number) * inputs + k] as number) *
            (w?.values[k * outputs + (j as number)] as number);
        }
        return Math.max(0, sum);
      },
    }),
  contenders: { retrograd: retrogradShapes(), tfjs: tfjsShapes(), jaxjs: jaxjsShapes(), ort: ortShapes() },
};

function retrogradShapes(): Contender {
  return async ([x, ...parameters]) => {
    await init();
    const [w, bias] = parameters.map(upload);
    const compute = (n: number) => {
      const { shape, values } = batchOf(x as HostArray, n);
      return tidy(() => fusedMatMul(tensor(values, { shape }), w!, bias!, { activation: 'relu' }));
    };
    const next = sizes();
    return {
      async run() {
        compute(next()).dispose();
        await getDevice().sync();
      },
      wait: async () => {},
      async results() {
        const y = compute(checkedSize);
        const result = await read(y);
        y.dispose();
        return [result];
      },
      dispose() {
        w?.dispose();
        bias?.dispose();
      },
      device: getDevice().gpu,
    } satisfies Job;
  };
}

function tfjsShapes(): Contender {
  return async ([x, ...parameters]) => {
    const tf = await openTfjs();
    const [b, bias] = parameters.map((array) => uploadTo(tf, array));
    const compute = (n: number) =>
      tf.tidy(() => {
        const a = uploadTo(tf, batchOf(x as HostArray, n));
        return tf.fused.matMul({ a, b, bias, activation: 'relu' } as never) as ReturnType<Tfjs['tensor']>;
      });
    const next = sizes();
    return {
      async run() {
        compute(next()).dispose();
        await waitForTfjs(tf);
      },
      wait: async () => {},
      async results() {
        const y = compute(checkedSize);
        const result = await readTfjs(y);
        y.dispose();
        return [result];
      },
      dispose: () => tf.dispose([b, bias] as ReturnType<Tfjs['tensor']>[]),
      device: deviceOfTfjs(tf),
    } satisfies Job;
  };
}

function jaxjsShapes(): Contender {
  return async ([x, ...parameters]) => {
    const jax = await openJaxJs();
    const { numpy: np, nn } = jax;
    const [w, bias] = parameters.map((array) => uploadToJax(jax, array));
    const dense = jax.jit((x: JaxArray, w: JaxArray, bias: JaxArray) => nn.relu(np.matmul(x, w).add(bias)));
    const compute = (n: number) =>
      dense(uploadToJax(jax, batchOf(x as HostArray, n)), w!.ref, bias!.ref) as JaxArray;
    const next = sizes();
    return {
      async run() {
        const y = await compute(next()).blockUntilReady();
        y.dispose();
      },
      wait: () => waitForJax(jax),
      results: async () => [await readJax(compute(checkedSize))],
      dispose() {
        dense.dispose();
        for (const array of [w, bias]) array?.dispose();
      },
      device: jax.getWebGPUDevice(),
    } satisfies Job;
  };
}

/** Builds a model whose batch may be of any size. */
function ortShapes(): Contender {
  return async ([x, ...parameters]) => {
    const ort = await openOrt();
    const graph = new OnnxGraph();
    const given = graph.input('float32', [null, inputs]);
    const [w, bias] = parameters.map((array) => graph.constant(array));
    const result = graph.node('Relu', [graph.node('Gemm', [given, w!, bias!])]);
    graph.output(result, [null, outputs]);
    const session = await ort.InferenceSession.create(graph.encode(), ortOptions);
    const device = await ort.env.webgpu.device;
    const compute = async (n: number) => {
      const { shape, values } = batchOf(x as HostArray, n);
      const found = await session.run({ [given]: new ort.Tensor('float32', values as Float32Array, shape) });
      return found[result]!;
    };
    const next = sizes();
    return {
      async run() {
        const y = await compute(next());
        await device.queue.onSubmittedWorkDone();
        y.dispose();
      },
      wait: async () => {},
      async results() {
        const y = await compute(checkedSize);
        const values = (await y.getData(true)) as Float32Array<ArrayBuffer>;
        return [{ shape: [checkedSize, outputs], values }];
      },
      dispose: () => session.release(),
      device,
    } satisfies Job;
  };
}

export const shapeFamily: Family = { name: 'shapes', rows: () => [row] };
