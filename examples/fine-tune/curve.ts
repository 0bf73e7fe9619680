/** @file The curve: loss per token after each pass, of what is learned and of what is held back. */
import type { Pass } from './learn.ts';

const [width, height] = [480, 280];
const frame = { left: 44, right: 12, top: 12, bottom: 40 };
const [right, bottom] = [width - frame.right, height - frame.bottom];

/** Draws the passes into an `<svg>`; `total` is the length of the axis. */
export function drawCurve(svg: SVGElement, passes: readonly Pass[], total: number): void {
  const lossesOf = (pass: Pass) => [pass.loss, pass.heldBackLoss ?? pass.loss];
  const highest = Math.max(1, ...passes.flatMap(lossesOf).filter(Number.isFinite));
  const step = highest > 8 ? 4 : highest > 4 ? 2 : 1;
  const top = Math.ceil(highest / step) * step;
  const x = (pass: number) => frame.left + ((pass - 1) / Math.max(1, total - 1)) * (right - frame.left);
  const y = (loss: number) => bottom - (loss / top) * (bottom - frame.top);
  const marks = Array.from({ length: top / step + 1 }, (_, i) => i * step);
  const line = (name: string, loss: (pass: Pass) => number | null) => {
    const points = passes.flatMap((pass) => {
      const value = loss(pass);
      return value === null ? [] : [`${x(pass.number).toFixed(1)},${y(value).toFixed(1)}`];
    });
    return shape('polyline', { class: name, points: points.join(' ') });
  };
  svg.replaceChildren(
    ...marks.flatMap((mark) => [
      shape('line', { class: 'mark', x1: frame.left, x2: right, y1: y(mark), y2: y(mark) }),
      shape('text', { x: frame.left - 8, y: y(mark) + 5, 'text-anchor': 'end' }, String(mark)),
    ]),
    shape('text', { x: frame.left, y: bottom + 24 }, 'pass 1'),
    shape('text', { x: right, y: bottom + 24, 'text-anchor': 'end' }, String(total)),
    line('held', ({ heldBackLoss }) => heldBackLoss),
    line('learned', ({ loss }) => loss),
  );
}

function shape(name: string, attributes: Record<string, string | number>, text = ''): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.textContent = text;
  return made;
}
