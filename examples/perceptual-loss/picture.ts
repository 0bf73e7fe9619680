/**
 * @file The target, drawn by the program or from the user's file, as a tensor [1, size, size, 3] from 0 to 1.
 */
import { div, expandDims, fromImage, randomUniform, type Tensor, tidy } from 'retrograd';

/** The picture in `canvas`. */
export function pictureOf(canvas: OffscreenCanvas): Tensor {
  return tidy(() => expandDims(div(fromImage(canvas), 255), { axis: 0 }));
}

/** Noise to start from: every value uniform in [0, 1). */
export function noise(size: number, seed: number): Tensor {
  return randomUniform([1, size, size, 3], { seed });
}

/** The central square of a file's picture, resized to `size`. Rejects if the bytes aren't a picture. */
export async function cropToSquare(file: Blob, size: number): Promise<OffscreenCanvas> {
  const bitmap = await createImageBitmap(file);
  const side = Math.min(bitmap.width, bitmap.height);
  const left = (bitmap.width - side) / 2;
  const top = (bitmap.height - side) / 2;
  const square = new OffscreenCanvas(side, side);
  const context = contextOf(square);
  context.fillStyle = 'white';
  context.fillRect(0, 0, side, side);
  context.drawImage(bitmap, left, top, side, side, 0, 0, side, side);
  bitmap.close();
  return resized(square, size);
}

/** A bay at noon: rays, ridges, a rippled sea, tiles, a sail and leaves, so that edges and textures of all kinds meet. */
export function drawPicture(size: number): OffscreenCanvas {
  const side = 512;
  const canvas = new OffscreenCanvas(side, side);
  const context = contextOf(canvas);
  drawSky(context, side);
  drawRidges(context, side);
  drawSea(context, side);
  drawQuay(context, side);
  drawBoat(context);
  drawTree(context);
  return resized(canvas, size);
}

type Context = OffscreenCanvasRenderingContext2D;

function drawSky(context: Context, side: number): void {
  const [x, y] = [372, 118];
  const rays = 22;
  for (let i = 0; i < rays; i++) {
    context.fillStyle = i % 2 === 0 ? '#f4c95d' : '#e8743b';
    const from = (2 * Math.PI * i) / rays;
    context.beginPath();
    context.moveTo(x, y);
    context.arc(x, y, 2 * side, from, from + (2 * Math.PI) / rays + 0.01);
    context.fill();
  }
  for (const [radius, colour] of [
    [82, '#7b1e3b'],
    [66, '#fff3c4'],
    [48, '#d1382c'],
    [28, '#fff3c4'],
  ] as const) {
    context.fillStyle = colour;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
  }
}

function drawRidges(context: Context, side: number): void {
  const ridges = [
    { base: 210, height: 74, step: 64, colour: '#4d5382', snow: '#e9ecf5' },
    { base: 262, height: 52, step: 43, colour: '#22304a', snow: '#22304a' },
  ];
  for (const { base, height, step, colour, snow } of ridges) {
    for (let x = -step; x < side + step; x += step) {
      const peak = base - height * (0.55 + 0.45 * Math.abs(Math.sin(x * 0.7)));
      context.fillStyle = colour;
      triangle(context, x, base + 60, x + step / 2, peak, x + step * 1.4, base + 60);
      context.fillStyle = snow;
      triangle(context, x + step * 0.33, peak + 26, x + step / 2, peak, x + step * 0.72, peak + 26);
    }
  }
}

function drawSea(context: Context, side: number): void {
  context.fillStyle = '#137c8b';
  context.fillRect(0, 268, side, side);
  for (let row = 0; row < 9; row++) {
    const y = 276 + row * 13;
    context.strokeStyle = ['#7fd1c7', '#0b4f6c', '#e8f7ee'][row % 3] as string;
    context.lineWidth = 5;
    context.beginPath();
    for (let x = -20; x <= side + 20; x += 4) {
      context.lineTo(x, y + 5 * Math.sin((x + row * 23) / 9));
    }
    context.stroke();
  }
}

function drawQuay(context: Context, side: number): void {
  const [top, horizon] = [392, 330];
  const rows = 6;
  for (let row = 0; row < rows; row++) {
    const depth = (i: number) => top + (side - top) * (i / rows) ** 1.3;
    for (let column = -14; column < 14; column++) {
      context.fillStyle = (row + column) % 2 === 0 ? '#f2e8cf' : '#386641';
      if ((row * 7 + column * 5) % 11 === 0) context.fillStyle = '#bc4749';
      const at = (i: number, y: number) => side / 2 + (i * 34 * (y - horizon)) / (top - horizon);
      const [y0, y1] = [depth(row), depth(row + 1)];
      context.beginPath();
      context.moveTo(at(column, y0), y0);
      context.lineTo(at(column + 1, y0), y0);
      context.lineTo(at(column + 1, y1), y1);
      context.lineTo(at(column, y1), y1);
      context.fill();
    }
  }
}

function drawBoat(context: Context): void {
  for (let stripe = 0; stripe < 6; stripe++) {
    context.fillStyle = stripe % 2 === 0 ? '#ffffff' : '#c1121f';
    const y = 190 + stripe * 24;
    const edge = (at: number) => 306 + (at - 190) * 0.62;
    context.beginPath();
    context.moveTo(300, y);
    context.lineTo(edge(y), y);
    context.lineTo(edge(y + 24), y + 24);
    context.lineTo(300, y + 24);
    context.fill();
  }
  context.fillStyle = '#1b1b1e';
  context.fillRect(290, 176, 9, 170);
  context.beginPath();
  context.moveTo(232, 340);
  context.lineTo(416, 340);
  context.lineTo(382, 378);
  context.lineTo(262, 378);
  context.fill();
  context.fillStyle = '#f4c95d';
  context.fillRect(246, 346, 152, 8);
}

function drawTree(context: Context): void {
  context.fillStyle = '#5e3023';
  context.fillRect(74, 170, 26, 250);
  for (let notch = 0; notch < 10; notch++) {
    context.fillStyle = '#f3d8c7';
    context.fillRect(74 + (notch % 2) * 13, 180 + notch * 23, 13, 7);
  }
  const greens = ['#0f5132', '#2d8a4e', '#a7c957', '#063b22', '#6a994e'];
  for (let leaf = 0; leaf < 150; leaf++) {
    // The golden angle spreads leaves evenly: Vogel, A better way to construct the sunflower head, 1979.
    const angle = leaf * 2.39996;
    const radius = 8.6 * Math.sqrt(leaf);
    context.fillStyle = greens[(leaf * 7) % greens.length] as string;
    context.save();
    context.translate(90 + radius * Math.cos(angle), 106 + radius * 0.92 * Math.sin(angle));
    context.rotate(angle + leaf);
    context.beginPath();
    context.ellipse(0, 0, 15, 7, 0, 0, 2 * Math.PI);
    context.fill();
    context.restore();
  }
}

function triangle(
  context: Context,
  ...[ax, ay, bx, by, cx, cy]: [number, number, number, number, number, number]
) {
  context.beginPath();
  context.moveTo(ax, ay);
  context.lineTo(bx, by);
  context.lineTo(cx, cy);
  context.fill();
}

/** Scales the picture by 1/2 until it is close to `size`, then to `size`: a single step would skip pixels. */
function resized(canvas: OffscreenCanvas, size: number): OffscreenCanvas {
  let current = canvas;
  while (current.width !== size) {
    const next = new OffscreenCanvas(0, 0);
    next.width = next.height = Math.max(size, Math.ceil(current.width / 2));
    if (current.width < size) next.width = next.height = size;
    const context = contextOf(next);
    context.imageSmoothingQuality = 'high';
    context.drawImage(current, 0, 0, next.width, next.height);
    current = next;
  }
  return current;
}

export function contextOf(canvas: OffscreenCanvas): Context {
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('This browser has no 2D canvas.');
  return context;
}
