// A model becomes a .keras file, and the file becomes a model again. Keras
// opens the same bytes in Python.
import { init, tensor } from 'retrograd';
import { BytesTarget, loadModel } from 'retrograd/io';
import { layers, sequential } from 'retrograd/keras';
import { show, text } from 'playground';

await init();
const net = sequential([
  layers.inputLayer({ shape: [3] }),
  layers.dense({ units: 4, activation: 'relu', name: 'hidden' }),
  layers.dense({ units: 2, name: 'out' }),
]);
const x = tensor([[1, 2, 3]]);
await show(net.apply(x));

const file = new BytesTarget();
await net.save(file);
text(`${file.bytes.length.toLocaleString('en')} bytes`);

const again = await loadModel(file.bytes);
await show(again.apply(x));
const lines: string[] = [];
again.summary({ print: (line) => lines.push(line) });
text(lines.join('\n'), 'library');
