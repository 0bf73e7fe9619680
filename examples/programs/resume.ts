/** @file Training is interrupted and resumed from a checkpoint: the curve continues as if nothing had happened. */
import { init, setRandomSeed } from 'retrograd';
import { loadCheckpoint } from 'retrograd/io';
import { callbacks, initializers, layers, optimizers, sequential } from 'retrograd/keras';

function network() {
  const net = sequential([
    layers.inputLayer({ shape: [1], name: 'x' }),
    layers.dense({
      units: 8,
      activation: 'tanh',
      kernelInitializer: initializers.glorotUniform({ seed: 1 }),
      name: 'hidden',
    }),
    layers.dense({ units: 1, kernelInitializer: initializers.glorotUniform({ seed: 2 }), name: 'y' }),
  ]);
  net.compile({ optimizer: optimizers.adam({ learningRate: 0.05 }), loss: 'mse' });
  return net;
}

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(16);
  const x = Array.from({ length: 64 }, (_, i) => i / 16 - 2);
  const y = x.map(Math.sin);
  const whole = await network().fit(x, y, { epochs: 6, batchSize: 16, seed: 3, verbose: 0 });

  // A page would keep its checkpoints in callbacks.sinks.originFiles().
  const sink = callbacks.sinks.memoryFiles();
  const checkpoint = callbacks.modelCheckpoint({ filepath: 'net-{epoch}.safetensors', sink });
  await network().fit(x, y, { epochs: 3, batchSize: 16, seed: 3, callbacks: checkpoint, verbose: 0 });

  const net = network();
  const file = await sink.load('net-3.safetensors');
  if (file === null) throw new Error('there is no checkpoint to resume from');
  const { training } = loadCheckpoint(net, file);
  const rest = await net.fit(x, y, {
    epochs: 6,
    initialEpoch: training.epoch,
    seed: training.seed,
    batchSize: 16,
    verbose: 0,
  });
  const expected = whole.history.loss.slice(3);
  print(`uninterrupted: ${expected.map((loss) => loss.toFixed(5)).join(', ')}`);
  print(`resumed:       ${rest.history.loss.map((loss) => loss.toFixed(5)).join(', ')}`);
  return { expected, resumed: rest.history.loss };
}
