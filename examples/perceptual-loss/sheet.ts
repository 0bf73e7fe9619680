/** @file The contact sheet: target, start and both results side by side, labelled. */
import { contextOf } from './picture.ts';

export interface Panel {
  title: string;
  caption: string;
  /** RGBA bytes of a square picture. */
  pixels: ImageData;
}

const margin = 28;
const gap = 20;

/** One row of panels under a heading; pictures are enlarged without smoothing, so that nothing is hidden. */
export function drawSheet(heading: string, footnote: string, panels: readonly Panel[]): OffscreenCanvas {
  const size = panels[0]?.pixels.width ?? 1;
  // Whole multiples, so that every pixel of the picture is a square of the same size.
  const scale = Math.max(1, Math.round(288 / size));
  const side = size * scale;
  const width = 2 * margin + panels.length * side + (panels.length - 1) * gap;
  const top = 84;
  const canvas = new OffscreenCanvas(width, top + side + 96);
  const context = contextOf(canvas);
  context.fillStyle = '#fafaf9';
  context.fillRect(0, 0, canvas.width, canvas.height);
  text(context, heading, margin, 48, 'bold 24px system-ui, sans-serif', '#1c1917');
  panels.forEach((panel, i) => {
    const left = margin + i * (side + gap);
    context.imageSmoothingEnabled = false;
    const source = new OffscreenCanvas(size, size);
    contextOf(source).putImageData(panel.pixels, 0, 0);
    context.drawImage(source, left, top, side, side);
    context.strokeStyle = '#d6d3d1';
    context.strokeRect(left - 0.5, top - 0.5, side + 1, side + 1);
    text(context, panel.title, left, top + side + 26, 'bold 17px system-ui, sans-serif', '#1c1917');
    text(context, panel.caption, left, top + side + 48, '15px system-ui, sans-serif', '#57534e');
  });
  text(context, footnote, margin, canvas.height - 16, '13px system-ui, sans-serif', '#78716c');
  return canvas;
}

function text(
  context: OffscreenCanvasRenderingContext2D,
  line: string,
  x: number,
  y: number,
  font: string,
  colour: string,
): void {
  context.font = font;
  context.fillStyle = colour;
  context.fillText(line, x, y);
}
