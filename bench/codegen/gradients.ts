/**
 * @file A computation with its gradient, as written in each library. The inputs are `count` tensors that are differentiated,
 * then others (indices), and last the gradient of the result. The results are the value and the gradients: jax-js wouldn't
 * compute a value that isn't requested.
 */
import { GradientTape, type Tensor } from 'retrograd';
import type { Contender } from '../job.ts';
import { type JaxArray, type JaxJs, jaxjs } from '../peers/jaxjs.ts';
import { type Tfjs, tfjs } from '../peers/tfjs.ts';

export type TfTensor = ReturnType<Tfjs['tensor']>;

const split = <T>(inputs: readonly T[], count: number) => ({
  sources: inputs.slice(0, count),
  rest: inputs.slice(count, -1),
  cotangent: inputs.at(-1) as T,
});

export const gradientOf =
  (f: (...inputs: Tensor[]) => Tensor, count: number) =>
  (...inputs: Tensor[]): (Tensor | null)[] => {
    const { sources, rest, cotangent } = split(inputs, count);
    const tape = new GradientTape();
    tape.watch(sources);
    const value = f(...sources, ...rest);
    return [value, ...tape.gradient(value, sources, { outputGradients: cotangent })];
  };

export function tfjsGradient(f: (tf: Tfjs, ...inputs: TfTensor[]) => TfTensor, count: number): Contender {
  return tfjs((tf, ...inputs) => {
    const { sources, rest, cotangent } = split(inputs, count);
    const { value, grads } = tf.valueAndGrads((...given: TfTensor[]) => f(tf, ...given, ...rest))(
      sources,
      cotangent,
    );
    return [value, ...grads];
  });
}

export function jaxjsGradient(f: (jax: JaxJs, ...inputs: JaxArray[]) => JaxArray, count: number): Contender {
  return jaxjs((jax, ...inputs) => {
    const { sources, rest, cotangent } = split(inputs, count);
    const [value, pull] = jax.vjp((...given: JaxArray[]) => f(jax, ...given, ...rest), sources);
    return [value, ...(pull(cotangent) as unknown as JaxArray[])];
  });
}
