/**
 * @file What is differentiated: a handful of lights, the picture that they make, and how far it is from a scene. Ops alone;
 * nothing here knows of buffers, encoders or canvases.
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
 * The picture of all lights, [side, side · 3]. A light is a bell: round, and thus a product of one bell across and one
 * bell down, so that the sum over all lights is a matrix product.
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

/** How far the lights are from `scene`, the gradient that says where each of them should go, and their picture. */
export function lookAt(lights: Tensor, scene: Tensor): Tensor[] {
  using tape = new GradientTape();
  tape.watch(lights);
  const seen = picture(lights);
  const loss = mean(squaredDifference(seen, scene));
  return [loss, tape.gradient(loss, lights) as Tensor, seen];
}

/** Lights that know nothing yet: small, grey, and anywhere. */
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
