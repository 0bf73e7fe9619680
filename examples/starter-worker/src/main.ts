import type { Message } from './worker.ts';

const status = document.querySelector('#status') as HTMLElement;
const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });

worker.onmessage = ({ data }: MessageEvent<Message>) => {
  if ('epoch' in data) status.textContent = `Epoch ${data.epoch + 1}: loss ${data.loss.toFixed(3)}`;
  else if ('accuracy' in data) status.textContent = `Trained: accuracy ${data.accuracy.toFixed(2)}`;
  else status.textContent = data.error;
};

/** Points in two rings, and the ring of each: put your data here. */
const y = Array.from({ length: 512 }, (_, i) => i % 2);
const x = y.map((ring, i) => [Math.cos(i) * (1 + ring), Math.sin(i) * (1 + ring)]);
worker.postMessage({ x, y });
