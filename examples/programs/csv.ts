/** @file A CSV file that the user chose: parsed, shuffled, normalized, fitted. */
import { init, setRandomSeed } from 'retrograd';
import { layers, optimizers, sequential } from 'retrograd/keras';

/** The columns of a file with a header line, by name. */
async function readColumns(file: File): Promise<Record<string, number[]>> {
  const [header, ...rows] = (await file.text())
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  return Object.fromEntries(
    header.map((name, column) => [name.trim(), rows.map((row) => Number(row[column]))]),
  );
}

export async function run(print: (line: string) => void) {
  await init();
  setRandomSeed(17);
  // In a page: const [file] = document.querySelector<HTMLInputElement>('input[type=file]').files
  const lines = Array.from({ length: 60 }, (_, i) => {
    const [rooms, area] = [2 + (i % 4), 40 + ((i * 37) % 60)];
    return `${rooms},${area},${20 * rooms + 3 * area + 10}`;
  });
  const file = new File([['rooms,area,price', ...lines].join('\n')], 'houses.csv', { type: 'text/csv' });

  const { rooms, area, price } = await readColumns(file);
  const x = rooms.map((count, i) => [count, area[i]]);
  const normalization = layers.normalization({ axis: -1 });
  normalization.adapt(x);
  const net = sequential([layers.inputLayer({ shape: [2] }), normalization, layers.dense({ units: 1 })]);
  net.compile({ optimizer: optimizers.adam({ learningRate: 5 }), loss: 'mse', metrics: ['mae'] });
  const { history } = await net.fit(x, price, { epochs: 40, batchSize: 20, verbose: 0 });

  const [predicted] = await (await net.predict([[4, 70]])).data();
  print(`mean absolute error ${history.mae.at(-1)?.toFixed(1)}; 4 rooms, 70 m²: ${predicted.toFixed(0)}`);
  return { predicted, error: history.mae.at(-1) };
}
