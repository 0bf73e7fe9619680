/**
 * @file A square to draw on: light strokes on a dark ground. Pointers draw; so do the arrow keys with Shift, while without
 * Shift they only move.
 */
import { element } from '../element.ts';
import type { OutputView, Tell } from './view.ts';

const CANVAS = 280;
/** Width of the stroke, as a fraction of the square: as wide as in MNIST. */
const STROKE = 0.085;
/** Step of the cursor, as a fraction of the square. */
const STEP = 1 / 28;
const SEND_MS = 60;
/** Brightness of the ground, of 255. */
const GROUND = 12;

const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export function drawingView(tell: Tell): OutputView<'drawing'> {
  const canvas = element('canvas', { width: CANVAS, height: CANVAS, tabindex: '0', role: 'application' });
  const clear = element('button', { type: 'button' }, 'Clear');
  const hint = element(
    'span',
    { class: 'caption' },
    'Draw with a pointer, or with Shift and the arrow keys.',
  );
  const context = canvas.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
  const sheet = new Sheet(context);
  let size = 28;
  let isWaiting = false;
  const sendSoon = () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      tell('drawing', sheet.pixels(size));
    }, SEND_MS);
  };
  const placeOf = (event: PointerEvent): [number, number] => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    return [(event.clientX - left) / width, (event.clientY - top) / height];
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    sheet.move(...placeOf(event));
    sheet.line(...placeOf(event));
    sendSoon();
  });
  canvas.addEventListener('pointermove', (event) => {
    if (event.buttons === 0) return;
    for (const part of event.getCoalescedEvents?.() ?? [event]) sheet.line(...placeOf(part));
    sendSoon();
  });
  canvas.addEventListener('keydown', (event) => {
    const way = KEYS[event.key];
    if (!way) return;
    event.preventDefault();
    sheet.step(way[0] * STEP, way[1] * STEP, event.shiftKey);
    if (event.shiftKey) sendSoon();
  });
  clear.addEventListener('click', () => {
    sheet.clear();
    sendSoon();
  });
  return {
    kind: 'drawing',
    root: element('div', { class: 'drawing' }, canvas, element('div', { class: 'buttons' }, clear, hint)),
    update: (output) => {
      ({ size } = output);
      canvas.setAttribute('aria-label', `${output.label}. Shift and the arrow keys draw.`);
      sheet.clear();
    },
  };
}

/** The drawing, in fractions of the square. */
class Sheet {
  #x = 0.5;
  #y = 0.3;

  constructor(private readonly context: CanvasRenderingContext2D) {
    context.lineCap = context.lineJoin = 'round';
    context.lineWidth = STROKE * CANVAS;
    context.strokeStyle = '#fff';
  }

  clear(): void {
    this.context.fillStyle = `rgb(${GROUND} ${GROUND} ${GROUND})`;
    this.context.fillRect(0, 0, CANVAS, CANVAS);
  }

  move(x: number, y: number): void {
    [this.#x, this.#y] = [x, y];
  }

  line(x: number, y: number): void {
    this.context.beginPath();
    this.context.moveTo(this.#x * CANVAS, this.#y * CANVAS);
    this.context.lineTo(x * CANVAS + 0.01, y * CANVAS);
    this.context.stroke();
    this.move(x, y);
  }

  step(dx: number, dy: number, draws: boolean): void {
    const within = (at: number) => Math.min(1, Math.max(0, at));
    const [x, y] = [within(this.#x + dx), within(this.#y + dy)];
    if (draws) this.line(x, y);
    else this.move(x, y);
  }

  /** Brightness by rows, each pixel the mean of its part of the square. */
  pixels(size: number): Float32Array {
    const { data } = this.context.getImageData(0, 0, CANVAS, CANVAS);
    const sums = new Float32Array(size * size);
    const share = (size / CANVAS) ** 2;
    for (let y = 0; y < CANVAS; y++)
      for (let x = 0; x < CANVAS; x++) {
        const at = Math.floor((y * size) / CANVAS) * size + Math.floor((x * size) / CANVAS);
        const light = Math.max(0, ((data[4 * (y * CANVAS + x)] ?? 0) - GROUND) / (255 - GROUND));
        sums[at] = (sums[at] ?? 0) + light * share;
      }
    return sums;
  }
}
