import { randomNormal, tensor } from 'retrograd';
import { inspect } from 'retrograd/inspect';
import { initializers, layers, sequential } from 'retrograd/keras';
import { report } from 'notebook';
import './adapter.js';

// The fault: with such a bias, the second layer answers 0 to every picture.
const biasInitializer = initializers.constant({ value: -20 });
const conv = { filters: 8, kernelSize: 3, activation: 'relu' };

const net = sequential([
  layers.inputLayer({ shape: [16, 16, 3] }),
  layers.conv2d({ ...conv, name: 'first' }),
  layers.conv2d({ ...conv, name: 'second', biasInitializer }),
  layers.globalAveragePooling2d({ name: 'pool' }),
  layers.dense({ units: 3, activation: 'softmax', name: 'head' }),
]);
net.compile({ optimizer: 'adam', loss: 'sparseCategoricalCrossentropy' });

const pictures = randomNormal([12, 16, 16, 3], { seed: 1 });
const classes = tensor(
  Array.from({ length: 12 }, (_, i) => i % 3),
  { dtype: 'int32' },
);
report(await inspect(net, pictures, classes));
for (const held of [net, pictures, classes]) held.dispose();
