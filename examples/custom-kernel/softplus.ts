/**
 * @file A custom kernel with its gradient: softplus with a sharpness, y = log(1 + exp(beta · x)) / beta.
 *
 * Three parts make an op:
 * - a kernel: WGSL, its buffers and its parameters. The declarations of both are generated, so that they can't disagree
 *   with the launch; `flatIndex` counts past 65,535 workgroups; `report_fault` names what is wrong, on the GPU;
 * - `infer`: the plan of a call, or an error, before anything runs: the shape and dtype of the result, with whatever else
 *   the other two functions need (here `beta`, with its default). It works on symbolic tensors, too;
 * - `forward`, which launches the kernel, and `backward`, the gradient, written with ops. Both receive the plan, and typed
 *   tensors: the type of the constant, `Op<[x: Tensor], SoftplusOptions>`, says what they are.
 *
 * This is all that an app writes. The tape differentiates it to any order, its calls appear in histories and in symbolic
 * graphs, and a NaN that its kernel finds becomes an error with its location. `npm run example custom-kernel` shows each of
 * these (run.ts).
 */
import {
  defineKernel,
  defineOp,
  flatIndex,
  mul,
  type Op,
  runKernel,
  sigmoid,
  type Tensor,
  ValueError,
} from 'retrograd';

const kernel = defineKernel({
  name: 'softplusBeta',
  bindings: { x: 'read f32', y: 'write f32' },
  params: { count: 'u32', beta: 'f32' },
  faults: true,
  source: () => /* wgsl */ `
    ${flatIndex}
    @compute @workgroup_size(64)
    fn main(
      @builtin(workgroup_id) group: vec3<u32>,
      @builtin(num_workgroups) groups: vec3<u32>,
      @builtin(local_invocation_index) local: u32,
    ) {
      let i = flat_index(group, groups, local, 64u);
      if (i >= params.count) {
        return;
      }
      let bits = bitcast<u32>(x[i]);
      if ((bits & 0x7fffffffu) > 0x7f800000u) {
        report_fault(i, params.count, bits);
      }
      let t = params.beta * x[i];
      // Never the exponential of a positive number, which would overflow.
      y[i] = (max(t, 0.0) + log(1.0 + exp(-abs(t)))) / params.beta;
    }`,
});

export interface SoftplusOptions {
  /** How sharply the curve bends at 0. Default 1. */
  beta?: number;
}

/** log(1 + exp(beta · x)) / beta, elementwise. Errors: ValueError for a NaN in x, when the result is read. */
export const softplusBeta: Op<[x: Tensor], SoftplusOptions> = defineOp({
  name: 'softplusBeta',
  inputs: ['x'],
  infer: ([{ shape, dtype }], { beta = 1 }) => {
    if (dtype !== 'float32' || !(beta > 0)) {
      throw new ValueError({
        op: 'softplusBeta',
        rule: 'it takes float32, and a positive `beta`.',
        received: `${dtype} and beta: ${beta}`,
        hint: 'cast x, or correct beta.',
      });
    }
    return { shape, dtype, beta };
  },
  forward: ([x], { beta }) => {
    const { y } = runKernel(kernel, {
      inputs: { x },
      outputs: { y: x },
      params: { count: x.size, beta },
      workgroups: Math.ceil(x.size / 64),
      fault: {
        count: x.size,
        raise: (position) =>
          new ValueError({
            op: 'softplusBeta',
            rule: 'x must not hold NaN.',
            received: `NaN at flat position ${position}`,
            hint: 'look for the op that made it: checkNumerics(true).',
          }),
      },
    });
    return y;
  },
  // Written with ops, so that it can be differentiated again.
  backward: ([dy], { inputs: [x], plan: { beta } }) => [mul(dy, sigmoid(mul(x, beta)))],
});
