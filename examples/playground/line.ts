import {
  GradientTape,
  add,
  init,
  mean,
  mul,
  randomNormal,
  square,
  sub,
  tensor,
  variable,
} from 'retrograd';
import { optimizers } from 'retrograd/keras';
import { curves, table } from 'playground';

await init();

// Points near the line y = 3x + 2.
const x = randomNormal([200], { seed: 1 });
const y = add(add(mul(x, 3), 2), randomNormal([200], { seed: 2, stddev: 0.1 }));

const weight = variable(tensor(0), { name: 'weight' });
const offset = variable(tensor(0), { name: 'offset' });
const optimizer = optimizers.sgd({ learningRate: 0.05 });

const points: [number, number][] = [];
const plot = curves([{ name: 'mean squared error', points }]);

for (let step = 0; step < 100; step++) {
  using tape = new GradientTape();
  const loss = mean(square(sub(add(mul(x, weight), offset), y)));
  optimizer.apply(tape.gradient(loss, [weight, offset]), [weight, offset]);
  points.push([step, await loss.item()]);
  plot.update([{ name: 'mean squared error', points }]);
}

table([
  { parameter: 'weight', learned: await weight.item(), true: 3 },
  { parameter: 'offset', learned: await offset.item(), true: 2 },
]);
