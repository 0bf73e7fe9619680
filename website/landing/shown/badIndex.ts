import { randomUniform, tensor } from 'retrograd';
import { layers, sequential } from 'retrograd/keras';

/** A word that the vocabulary doesn't have. Returns what the library says. */
export async function badIndex(): Promise<string> {
  const ids = Int32Array.from({ length: 64 * 50 }, (_, i) => (i === 1337 ? 1008 : i % 1000));
  const reviews = tensor(ids, { shape: [64, 50] });
  const stars = randomUniform([64, 1], { seed: 1 });
  try {
    // shown
    const net = sequential([
      layers.inputLayer({ shape: [50] }),
      layers.embedding({ inputDim: 1000, outputDim: 16, name: 'words' }),
      layers.globalAveragePooling1d(),
      layers.dense({ units: 1 }),
    ]);
    net.compile({ optimizer: 'adam', loss: 'meanSquaredError' });
    await net.fit(reviews, stars, { batchSize: 16, shuffle: false });
    // end
    return '';
  } catch (error) {
    return String(error);
  }
}
