// Errors say what the rule is, what was received, and how to go on.
import { concat, init, matMul, tensor, type Tensor, zeros } from 'retrograd';
import { layers, sequential } from 'retrograd/keras';
import { text } from 'playground';

await init();

function attempt(mistake: () => Tensor) {
  try {
    mistake();
  } catch (error) {
    text(error instanceof Error ? `${error.name}: ${error.message}` : error, 'bad');
  }
}

attempt(() => matMul(zeros([2, 3]), zeros([2, 3])));
attempt(() => concat([tensor([[1, 2]]), tensor([[1, 2, 3]])], { axis: 0 }));

const net = sequential([
  layers.inputLayer({ shape: [28, 28, 1] }),
  layers.flatten(),
  layers.dense({ units: 10 }),
]);
attempt(() => net.apply(zeros([32, 20, 20, 1])));
