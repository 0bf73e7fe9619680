// vmap: the gradient of each example on its own, in the time of one batch.
// A large gradient gives the mislabelled example away.
import {
  add,
  grad,
  init,
  matMul,
  mul,
  neg,
  norm,
  randomNormal,
  softplus,
  type Tensor,
  tensor,
  vmap,
} from 'retrograd';
import { bars } from 'playground';

await init();
const weights = tensor([1.5, -1]);

// Two groups of points, with labels of 1 and -1. That of the fifth is wrong.
const labels = [1, 1, 1, 1, 1, -1, -1, -1, -1, -1];
const centres = labels.map((label) => [2 * label, -label]);
const x = add(tensor(centres), randomNormal([10, 2], { seed: 3, stddev: 0.4 }));
labels[4] = -1;

// The logistic loss of one example, and the length of its gradient.
const loss = (w: Tensor, example: Tensor, label: Tensor) =>
  softplus(neg(mul(matMul(example, w), label)));
const gradientOf = (example: Tensor, label: Tensor) =>
  norm(grad((w: Tensor) => loss(w, example, label))(weights));
const lengths = await vmap(gradientOf)(x, tensor(labels)).data();

bars(
  Array.from(lengths, (value, i) => ({ name: `example ${i + 1}`, value })),
  'Length of the gradient of each example',
);
