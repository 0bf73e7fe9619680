/** @file A custom op: a WGSL kernel and its gradient, a parametric ReLU with a fixed factor, used in a layer. */
import {
  defineKernel,
  defineOp,
  flatIndex,
  greater,
  init,
  mul,
  type Op,
  runKernel,
  setRandomSeed,
  type Tensor,
  where,
} from 'retrograd';
import { Layer, layers, optimizers, sequential } from 'retrograd/keras';

const kernel = defineKernel({
  name: 'scaledRelu',
  bindings: { x: 'read f32', y: 'write f32' },
  params: { count: 'u32', alpha: 'f32' },
  source: () => /* wgsl */ `
    ${flatIndex}
    @compute @workgroup_size(64)
    fn main(
      @builtin(workgroup_id) group: vec3<u32>,
      @builtin(num_workgroups) groups: vec3<u32>,
      @builtin(local_invocation_index) local: u32,
    ) {
      let i = flat_index(group, groups, local, 64u);
      if (i < params.count) {
        y[i] = select(params.alpha * x[i], x[i], x[i] > 0.0);
      }
    }`,
});

/** x where it is positive, `alpha` times x elsewhere. */
const scaledRelu: Op<[x: Tensor], { alpha?: number }> = defineOp({
  name: 'scaledRelu',
  inputs: ['x'],
  infer: ([{ shape, dtype }], { alpha = 0.1 }) => ({ shape, dtype, alpha }),
  forward: ([x], { alpha }) => {
    const { y } = runKernel(kernel, {
      inputs: { x },
      outputs: { y: x },
      params: { count: x.size, alpha },
      workgroups: Math.ceil(x.size / 64),
    });
    return y;
  },
  backward: ([dy], { inputs: [x], plan: { alpha } }) => [where(greater(x, 0), dy, mul(dy, alpha))],
});

class ScaledReLU extends Layer {
  static override readonly className = 'ScaledReLU';

  override call(x: Tensor): Tensor {
    return scaledRelu(x, { alpha: 0.2 });
  }
}

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(14);
  const values = await scaledRelu([-2, 0, 3], { alpha: 0.5 }).array();
  print(`scaledRelu([-2, 0, 3]) = ${values}`);

  const net = sequential([
    layers.inputLayer({ shape: [1] }),
    layers.dense({ units: 8 }),
    new ScaledReLU(),
    layers.dense({ units: 1 }),
  ]);
  net.compile({ optimizer: optimizers.adam({ learningRate: 0.05 }), loss: 'mse' });
  const x = Array.from({ length: 64 }, (_, i) => i / 16 - 2);
  const { history } = await net.fit(x, x.map(Math.abs), { epochs: 15, batchSize: 16, verbose: 0 });
  print(`loss ${history.loss[0].toFixed(4)} → ${history.loss.at(-1)?.toFixed(4)}`);
  return { values, first: history.loss[0], last: history.loss.at(-1) };
}
