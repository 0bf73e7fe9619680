/** @file The page: its buttons, and what they start. One thing runs at a time, and can be stopped. */
import { init, type Tensor } from 'retrograd';
import { BytesTarget } from 'retrograd/io';
import { imageData } from '../perceptual-loss/demo.ts';
import { cropToSquare, drawPicture, pictureOf } from '../perceptual-loss/picture.ts';
import { learn } from './learn.ts';
import { enlarged, type Network, openNetwork } from './network.ts';
import { decibels, halved } from './pictures.ts';

const element = <E extends Element = HTMLElement>(id: string) => document.getElementById(id) as unknown as E;
const button = (id: string) => element<HTMLButtonElement>(id);
const numberIn = (id: string) => Number(element<HTMLInputElement>(id).value);
const say = (words: string) => {
  element('status').textContent = words;
};

/** Milliseconds between two pictures while it learns. */
const showEvery = 1500;

/** The picture, and half of it. */
interface Pictures {
  readonly whole: Tensor;
  readonly small: Tensor;
}

let network: Network | null = null;
let pictures: Pictures | null = null;
let steps = 0;
/** How near the network came to the picture before it learned. */
let cameWith = '';
let running: AbortController | null = null;
/** Whether what runs can be stopped. */
let learning = false;

function refresh(): void {
  const isIdle = pictures !== null && running === null;
  button('learn').disabled = !isIdle && !learning;
  button('learn').textContent = learning ? 'Stop' : 'Learn';
  button('forget').disabled = !isIdle || steps === 0;
  button('save').disabled = !isIdle || steps === 0;
  for (const id of ['picture', 'size']) element<HTMLInputElement>(id).disabled = !isIdle;
}

/** Runs one thing, unless another runs; says why it failed. */
async function run(what: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (running) return;
  running = new AbortController();
  const { signal } = running;
  refresh();
  try {
    await what(signal);
  } catch (error) {
    if (signal.aborted) say('Stopped.');
    else say(error instanceof Error ? error.message : String(error));
  } finally {
    running = null;
    refresh();
  }
}

async function show(id: string, picture: Tensor): Promise<void> {
  const pixels = await imageData(picture);
  const canvas = element<HTMLCanvasElement>(id);
  [canvas.width, canvas.height] = [pixels.width, pixels.height];
  canvas.getContext('2d')?.putImageData(pixels, 0, 0);
}

/** Shows what the network makes of the small picture, and how near it comes. Resolves to the decibels. */
async function enlarge(id: 'before' | 'after', words: string): Promise<string> {
  const { whole, small } = pictures as Pictures;
  using made = enlarged(network as Network, small);
  await show(id, made);
  const near = `${(await decibels(made, whole)).toFixed(2)} dB`;
  element(`${id}-words`).textContent = `${words}: ${near}`;
  return near;
}

/** Opens a picture, with the network as it came. */
async function open(): Promise<void> {
  say('Opening …');
  await init();
  network?.dispose();
  network = await openNetwork(new URL('./model/', document.baseURI));
  steps = 0;
  for (const old of Object.values(pictures ?? {})) old.dispose();
  const size = numberIn('size');
  const file = element<HTMLInputElement>('picture').files?.[0];
  const whole = pictureOf(file ? await cropToSquare(file, size) : drawPicture(size));
  pictures = { whole, small: halved(whole) };
  await show('whole', whole);
  await show('small', pictures.small);
  cameWith = await enlarge('before', 'the network as it came');
  await enlarge('after', 'it hasn’t learned yet');
  say(`Ready: ${cameWith} before it learns.`);
}

async function learnPicture(signal: AbortSignal): Promise<void> {
  const { small } = pictures as Pictures;
  const [done, more] = [steps, numberIn('steps')];
  let shown = performance.now();
  say('Preparing …');
  learning = true;
  refresh();
  try {
    await learn({
      network: network as Network,
      small,
      steps: more,
      perceptual: numberIn('features'),
      signal,
      onStep: async (step, loss) => {
        steps = done + step;
        say(`Step ${step} of ${more} · loss ${loss.toPrecision(3)}`);
        if (step === more || performance.now() - shown < showEvery) return;
        await enlarge('after', `after ${steps} steps`);
        shown = performance.now();
      },
    });
  } finally {
    learning = false;
  }
  const near = await enlarge('after', `after ${steps} steps`);
  say(`Done: ${near} after ${steps} steps, ${cameWith} before.`);
}

async function save(): Promise<void> {
  const target = new BytesTarget();
  await (network as Network).save(target);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([target.bytes as Uint8Array<ArrayBuffer>]));
  link.download = 'enlarge.keras';
  link.click();
  URL.revokeObjectURL(link.href);
  say('Saved enlarge.keras.');
}

for (const id of ['picture', 'size']) element(id).addEventListener('change', () => run(open));
element('learning').addEventListener('submit', (event) => {
  event.preventDefault();
  if (learning) running?.abort();
  else run(learnPicture);
});
button('forget').addEventListener('click', () => run(open));
button('save').addEventListener('click', () => run(save));
run(open);
