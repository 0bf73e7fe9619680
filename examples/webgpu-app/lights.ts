/**
 * @file The function that is differentiated: a handful of lights, their picture, and its distance from a scene. Only ops;
 * nothing here knows about buffers, encoders or canvases.
 */
import {
  div,
  exp,
  expandDims,
  GradientTape,
  linspace,
  matMul,
  mean,
  mul,
  neg,
  reshape,
  squaredDifference,
  stack,
  sub,
  type Tensor,
  unstack,
} from 'retrograd';

/** Pixels along each side of a picture. */
export const side = 64;
/** How many lights there are: [6, count] holds their x, y, log radius, red, green and blue. */
export const count = 64;

/**
 * The picture of all lights, [side, side · 3]. A light is a round bell, and therefore the product of a horizontal and a
 * vertical bell, so the sum over all lights is a matmul.
 */
function picture(lights: Tensor): Tensor {
  const [x, y, logRadius, ...colour] = unstack(lights) as [Tensor, Tensor, Tensor, ...Tensor[]];
  const at = expandDims(linspace(0.5 / side, 1 - 0.5 / side, side), { axis: 1 });
  const radius = exp(logRadius);
  const bell = (centre: Tensor) => {
    const distance = div(sub(at, centre), radius);
    return exp(neg(mul(distance, distance)));
  };
  const across = mul(expandDims(bell(x), { axis: 1 }), stack(colour));
  return matMul(bell(y), reshape(across, { shape: [side * 3, count] }), { transposeB: true });
}

/** The loss of the lights for `scene`, the gradient by which each of them moves, and their picture. */
export function lookAt(lights: Tensor, scene: Tensor): Tensor[] {
  using tape = new GradientTape();
  tape.watch(lights);
  const seen = picture(lights);
  const loss = mean(squaredDifference(seen, scene));
  return [loss, tape.gradient(loss, lights) as Tensor, seen];
}

/** Initial lights: small, grey, at random positions. */
export function scattered(): Float32Array<ArrayBuffer> {
  const row = (value: () => number) => Array.from({ length: count }, value);
  const anywhere = () => row(() => 0.1 + 0.8 * Math.random());
  const grey = row(() => 0.15 + 0.25 * Math.random());
  return Float32Array.from([
    ...anywhere(),
    ...anywhere(),
    ...row(() => Math.log(0.07)),
    ...grey,
    ...grey,
    ...grey,
  ]);
}
