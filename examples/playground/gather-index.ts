// An index that is out of range. On other libraries the answer is zeros, or
// another row's gradient. Here the kernel checks it, at no cost.
import { gather, init, tensor } from 'retrograd';
import { layers, sequential } from 'retrograd/keras';
import { text } from 'playground';

await init();
const rows = tensor([
  [1, 2],
  [3, 4],
  [5, 6],
]);

// On the device nobody has looked at the index yet: reading the values reports it.
const picked = gather(rows, tensor([0, 3, 1], { dtype: 'int32' }));
await picked.data().catch((error) => text(error.message, 'bad'));

// fit names the layer, the sample and the epoch.
const net = sequential([
  layers.inputLayer({ shape: [2], dtype: 'int32' }),
  layers.embedding({ inputDim: 5, outputDim: 4, name: 'words' }),
  layers.flatten(),
  layers.dense({ units: 1 }),
]);
net.compile({ optimizer: 'sgd', loss: 'meanSquaredError' });
const sentences = [
  [0, 1],
  [2, 3],
  [4, 7],
  [1, 1],
];
await net.fit(sentences, [0, 1, 0, 1], { verbose: 0 }).catch((error) => text(error.message, 'bad'));
