// Where did the NaN come from? The check names the first op that made one.
import { checkNumerics, div, init, log, sub, sum, tensor } from 'retrograd';
import { layers, optimizers, sequential } from 'retrograd/keras';
import { text } from 'playground';

await init();
checkNumerics(true);
const x = tensor([1, 0, 2]);
await sum(div(log(sub(x, 1)), 2))
  .item()
  .catch((error) => text(`${error.name}: ${error.message}`, 'bad'));
checkNumerics(false);

// fit says so by itself, once, with the epoch and the batch.
const warned = console.warn;
console.warn = (words: unknown) => text(words, 'library');
const net = sequential([layers.inputLayer({ shape: [1] }), layers.dense({ units: 1 })]);
net.compile({ optimizer: optimizers.sgd({ learningRate: 1e20 }), loss: 'meanSquaredError' });
await net.fit([[1], [2], [3]], [1, 2, 3], { epochs: 4, verbose: 0 });
console.warn = warned;
