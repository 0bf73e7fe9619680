/** @file The live cell of the landing page: field.ts trains on the visitor's GPU as soon as the page has loaded. */
import { div, fromImage, init, type Tensor, tensor, tidy, toCanvas } from 'retrograd';
import { drawPicture } from '../../examples/perceptual-loss/picture.ts';
import { LossCurve } from './curve.ts';
import { neuralField } from './field.ts';

const STEPS = 1200;

const element = <E extends Element>(selector: string): E => {
  const found = document.querySelector<E>(selector);
  if (!found) throw new Error(`the page lacks ${selector}`);
  return found;
};

const status = element<HTMLElement>('#status');
const button = element<HTMLButtonElement>('#pause');
const seen = element<HTMLCanvasElement>('#seen');
const curve = new LossCurve(element<SVGPolylineElement>('#loss'), STEPS);

/** Coordinates of all pixels, from -1 to 1. */
function placesOf(size: number): Tensor {
  const at = (i: number) => (2 * i) / (size - 1) - 1;
  return tensor(Array.from({ length: size * size }, (_, i) => [at(i % size), at(Math.floor(i / size))]));
}

/** Shows the target, and returns it as a tensor from 0 to 1. */
function targetPicture(size: number): Tensor {
  const picture = drawPicture(size);
  const canvas = element<HTMLCanvasElement>('#target');
  canvas.width = canvas.height = size;
  canvas.getContext('2d')?.drawImage(picture, 0, 0);
  return tidy(() => div(fromImage(picture), 255));
}

class Training {
  #paused = false;
  #steps = 0;
  readonly #start = performance.now();
  #busy = 0;

  constructor(
    private readonly field: ReturnType<typeof neuralField>,
    private readonly adapter: string,
  ) {}

  get done(): boolean {
    return this.#steps >= STEPS;
  }

  /** A visitor who wants no motion starts the training. */
  wait(): void {
    this.#paused = true;
    button.textContent = 'Train';
    status.textContent = `Ready to train on ${this.adapter}`;
  }

  toggle(): void {
    this.#paused = !this.#paused;
    button.textContent = this.#paused ? 'Continue' : 'Pause';
    if (!this.#paused) void this.run();
  }

  async run(): Promise<void> {
    while (!this.done && !this.#paused) {
      await new Promise(requestAnimationFrame);
      await this.#frame();
    }
    if (this.done) button.hidden = true;
  }

  /** Runs as many steps as fit into a frame, then one readback. */
  async #frame(): Promise<void> {
    const begin = performance.now();
    const count = this.#busy === 0 ? 1 : Math.min(8, Math.max(1, Math.floor(24 / this.#busy)));
    let last = this.field.step();
    for (let i = 1; i < count; i++) {
      last.loss.dispose();
      last.picture.dispose();
      last = this.field.step();
    }
    this.#steps += count;
    const [loss] = await Promise.all([last.loss.item(), toCanvas(last.picture, seen, { range: [0, 1] })]);
    last.loss.dispose();
    last.picture.dispose();
    this.#busy = (performance.now() - begin) / count;
    this.#report(loss);
  }

  #report(loss: number): void {
    curve.add(this.#steps, loss);
    const decibels = (-10 * Math.log10(loss)).toFixed(1);
    const seconds = ((performance.now() - this.#start) / 1000).toFixed(0);
    const state = this.done ? 'Trained' : 'Training';
    status.textContent = `${state} on ${this.adapter}: step ${this.#steps} of ${STEPS}, ${decibels} dB, ${seconds} s`;
  }
}

async function start(): Promise<void> {
  const device = await init();
  const { kind } = device.adapter;
  const size = kind === 'software' ? 48 : 128;
  status.textContent = 'Compiling kernels …';
  const field = neuralField(targetPicture(size), placesOf(size));
  const training = new Training(field, kind === 'software' ? 'a software adapter' : 'your GPU');
  element('#weights').textContent = field.weights.toLocaleString('en');
  button.hidden = false;
  button.addEventListener('click', () => training.toggle());
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) return training.run();
  training.wait();
}

/** The playground with the program that the page shows. Nothing of it is loaded before. */
function openProgram(): void {
  const frame = document.createElement('iframe');
  frame.title = 'The program in the playground';
  frame.src = './playground/index.html?part#program=line';
  element('#try').replaceChildren(frame);
  frame.focus();
}

element('#edit').addEventListener('click', openProgram, { once: true });

if ('gpu' in navigator) {
  start().catch((error: unknown) => {
    status.textContent = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  });
} else {
  element('#live').classList.add('without');
  status.textContent =
    'This browser has no WebGPU, so the program can’t run here. Try Chrome, Edge, Safari 26 or Firefox 141.';
}
