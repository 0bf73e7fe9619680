/** @file An autoencoder: sixteen values through a code of two; the encoder is a separate model. */
import { init, setRandomSeed } from 'retrograd';
import { input, layers, model, optimizers } from 'retrograd/keras';

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(5);
  // Waves of two parameters, amplitude and phase.
  const waves = Array.from({ length: 96 }, (_, i) =>
    Array.from({ length: 16 }, (_, k) => ((i % 8) / 8) * Math.sin(k / 2.5 + i)),
  );

  const wave = input({ shape: [16] });
  const code = layers
    .dense({ units: 2, name: 'code' })
    .apply(layers.dense({ units: 16, activation: 'tanh' }).apply(wave));
  const decoded = layers
    .dense({ units: 16 })
    .apply(layers.dense({ units: 16, activation: 'tanh' }).apply(code));
  const autoencoder = model({ inputs: wave, outputs: decoded });
  const encoder = model({ inputs: wave, outputs: autoencoder.getLayer('code').output });

  autoencoder.compile({ optimizer: optimizers.adam({ learningRate: 0.02 }), loss: 'mse' });
  const { history } = await autoencoder.fit(waves, waves, { epochs: 30, batchSize: 32, verbose: 0 });
  const codes = await encoder.predict(waves);
  print(
    `loss ${history.loss[0].toFixed(4)} → ${history.loss.at(-1)?.toFixed(4)}, codes ${codes.shape.join(' × ')}`,
  );
  return { first: history.loss[0], last: history.loss.at(-1), codes: codes.shape };
}
