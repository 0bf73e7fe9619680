/** @file The window of the app: its device, its canvases, its render loop, and the user's settings. */
import { type App, makeApp, type Controls } from './app.ts';

const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const status = element('status');
const pause = element<HTMLButtonElement>('pause');
const scatter = element<HTMLButtonElement>('scatter');
const rate = element<HTMLInputElement>('rate');
const rings = element<HTMLInputElement>('rings');
const stage = element<HTMLCanvasElement>('scene');

/** The position that the user gave the disc; null while it moves by itself. */
let placed: readonly [number, number] | null = null;
const clamp = (value: number) => Math.min(1, Math.max(0, value));
const wander = (t: number) => [0.5 + 0.36 * Math.sin(0.7 * t), 0.5 + 0.33 * Math.sin(1.1 * t + 1)] as const;

const controls = (seconds: number): Controls => ({
  disc: placed ?? wander(seconds),
  seconds,
  rate: 10 ** rate.valueAsNumber,
  rings: rings.checked,
});

stage.addEventListener('pointermove', ({ offsetX, offsetY }) => {
  placed = [clamp(offsetX / stage.clientWidth), clamp(offsetY / stage.clientHeight)];
});
stage.addEventListener('pointerleave', () => {
  placed = null;
});
stage.addEventListener('keydown', (event) => {
  const ways: Record<string, readonly [number, number]> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  };
  const way = ways[event.key];
  if (!way) return;
  event.preventDefault();
  const [x, y] = placed ?? [0.5, 0.5];
  placed = [clamp(x + 0.03 * way[0]), clamp(y + 0.03 * way[1])];
});
element('controls').addEventListener('submit', (event) => event.preventDefault());

/** The canvas as a drawing target, in the resolution of the screen. */
function view(gpu: GPUDevice, format: GPUTextureFormat, canvas: HTMLCanvasElement): () => GPUTexture {
  const context = canvas.getContext('webgpu') as GPUCanvasContext;
  context.configure({ device: gpu, format, alphaMode: 'premultiplied' });
  new ResizeObserver(() => {
    const sharpness = Math.min(2, devicePixelRatio);
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * sharpness));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * sharpness));
  }).observe(canvas);
  return () => context.getCurrentTexture();
}

/** Opens the app's own device, or explains what is missing. */
async function openDevice(): Promise<GPUDevice> {
  const adapter = await navigator.gpu?.requestAdapter();
  if (adapter) return adapter.requestDevice();
  throw new Error(
    navigator.gpu
      ? 'This browser has WebGPU, but found no graphics adapter for it. Updating the graphics driver may help.'
      : 'This browser has no WebGPU. It runs in current Chrome and Edge, in Safari from version 26, and in Firefox from version 141 on Windows and 145 on macOS.',
  );
}

async function paused(app: App): Promise<string> {
  const losses = await app.losses();
  const [first, last] = [losses[0], losses.at(-1)];
  if (first === undefined || last === undefined) return 'Paused before the first frame.';
  return `Paused. Read back once: a loss of ${last.toFixed(4)}, from ${first.toFixed(4)} ${losses.length} frames ago.`;
}

async function main(): Promise<void> {
  const gpu = await openDevice();
  const format = navigator.gpu.getPreferredCanvasFormat();
  const app = await makeApp(gpu, format);
  const views = {
    scene: view(gpu, format, stage),
    seen: view(gpu, format, element('seen')),
    curve: view(gpu, format, element('curve')),
  };
  let running = !matchMedia('(prefers-reduced-motion: reduce)').matches;
  let seconds = 0;
  let before = 0;
  let lost = false;
  let frames = 0;
  let counted = performance.now();

  function draw(now: number): void {
    if (lost) return;
    if (running) {
      // A late frame doesn't make the scene jump.
      seconds += Math.min(0.05, (now - before) / 1000);
      app.frame(controls(seconds), { scene: views.scene(), seen: views.seen(), curve: views.curve() });
      frames++;
      if (now - counted > 1000) {
        const { description, vendor, architecture } = gpu.adapterInfo;
        const name = description || [vendor, architecture].filter(Boolean).join(' ');
        status.textContent = `${Math.round((1000 * frames) / (now - counted))} frames/s${name ? ` on ${name}` : ''}`;
        [frames, counted] = [0, now];
      }
    }
    before = now;
    requestAnimationFrame(draw);
  }

  gpu.lost.then(({ message }) => {
    lost = true;
    for (const button of [pause, scatter]) button.disabled = true;
    status.textContent = `The graphics device was lost. Reload the page to go on. ${message}`;
  });
  pause.onclick = async () => {
    running = !running;
    pause.textContent = running ? 'Pause' : 'Go on';
    status.textContent = running ? 'Running.' : await paused(app);
    [frames, counted] = [0, performance.now()];
  };
  scatter.onclick = () => app.scatter();
  for (const button of [pause, scatter]) button.disabled = false;
  if (!running) pause.textContent = 'Go on';
  status.textContent = running ? 'Running.' : 'Still, as this system asks for less motion.';
  requestAnimationFrame(draw);
}

main().catch((error: Error) => {
  status.textContent = error.message;
});
