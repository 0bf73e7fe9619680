// A compiled step is recorded once, and then replayed: the same values in
// less time, since JavaScript no longer runs op by op.
import {
  compile,
  GradientTape,
  init,
  matMul,
  mean,
  randomNormal,
  square,
  sub,
  tanh,
  type Tensor,
  variable,
} from 'retrograd';
import { optimizers } from 'retrograd/keras';
import { table } from 'playground';

const device = await init();
const [x, y] = [randomNormal([64, 32], { seed: 1 }), randomNormal([64, 8], { seed: 2 })];
const weights = [
  variable(randomNormal([32, 32], { seed: 3, stddev: 0.2 })),
  variable(randomNormal([32, 8], { seed: 4, stddev: 0.2 })),
] as const;
const optimizer = optimizers.adam({ learningRate: 0.001 });

function step(x: Tensor, y: Tensor) {
  using tape = new GradientTape();
  const loss = mean(square(sub(matMul(tanh(matMul(x, weights[0])), weights[1]), y)));
  optimizer.apply(tape.gradient(loss, [...weights]), [...weights]);
  return loss;
}

async function milliseconds(run: typeof step) {
  for (let i = 0; i < 5; i++) run(x, y);
  await device.finish();
  const start = performance.now();
  for (let i = 0; i < 30; i++) run(x, y);
  await device.finish();
  return ((performance.now() - start) / 30).toFixed(2);
}
table([
  { step: 'op by op', 'ms a step': await milliseconds(step) },
  { step: 'compiled', 'ms a step': await milliseconds(compile(step)) },
]);
