/** @file The curves of both losses, as an SVG on a logarithmic scale. */

export interface Curve {
  name: string;
  colour: string;
  /** Loss before each step, and after the last. */
  losses: readonly number[];
}

const [width, height] = [760, 420];
const frame = { left: 76, right: 24, top: 56, bottom: 56 };
const [plotWidth, plotHeight] = [width - frame.left - frame.right, height - frame.top - frame.bottom];

/** An SVG document; `steps` is the length of the axis, so that curves may still grow. */
export function drawCurves(curves: readonly Curve[], steps: number): string {
  const losses = curves.flatMap((curve) => curve.losses).filter((loss) => loss > 0 && Number.isFinite(loss));
  const low = Math.floor(Math.log10(Math.min(...losses, 1)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...losses, 1))));
  const x = (step: number) => frame.left + (plotWidth * step) / Math.max(1, steps);
  const y = (loss: number) => frame.top + (plotHeight * (high - Math.log10(loss))) / (high - low);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="13" role="img">
<title>Loss by step, logarithmic</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
${powers(low, high)
  .map((power) => horizontal(power, y(10 ** power)))
  .join('\n')}
${stepMarks(steps)
  .map((step) => vertical(step, x(step)))
  .join('\n')}
<rect x="${frame.left}" y="${frame.top}" width="${plotWidth}" height="${plotHeight}" fill="none" stroke="#44403c"/>
<text x="${frame.left + plotWidth / 2}" y="${height - 14}" text-anchor="middle" fill="#1c1917">step</text>
<text transform="translate(20 ${frame.top + plotHeight / 2}) rotate(-90)" text-anchor="middle" fill="#1c1917">loss (logarithmic)</text>
${curves.map((curve, i) => line(curve, i, x, y)).join('\n')}
</svg>
`;
}

function powers(low: number, high: number): number[] {
  return Array.from({ length: high - low + 1 }, (_, i) => low + i);
}

/** About six marks at round numbers. */
function stepMarks(steps: number): number[] {
  const rough = Math.max(1, steps / 6);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * unit).find((candidate) => candidate >= rough) ?? unit;
  const marks: number[] = [];
  for (let mark = 0; mark <= steps; mark += step) marks.push(mark);
  return marks;
}

function horizontal(power: number, at: number): string {
  return `<line x1="${frame.left}" x2="${frame.left + plotWidth}" y1="${round(at)}" y2="${round(at)}" stroke="#e7e5e4"/><text x="${frame.left - 10}" y="${round(at + 4)}" text-anchor="end" fill="#44403c">10<tspan dy="-5" font-size="10">${power < 0 ? `−${-power}` : power}</tspan></text>`;
}

function vertical(step: number, at: number): string {
  return `<line x1="${round(at)}" x2="${round(at)}" y1="${frame.top}" y2="${frame.top + plotHeight}" stroke="#f5f5f4"/><text x="${round(at)}" y="${frame.top + plotHeight + 20}" text-anchor="middle" fill="#44403c">${step}</text>`;
}

function line(
  { name, colour, losses }: Curve,
  index: number,
  x: (step: number) => number,
  y: (loss: number) => number,
): string {
  const drawn = losses.map((loss, step) => [step, loss] as const).filter(([, loss]) => loss > 0);
  const points = drawn.map(([step, loss]) => `${round(x(step))},${round(y(loss))}`).join(' ');
  const fall = losses.length > 1 ? `: ${format(losses[0])} → ${format(losses.at(-1))}` : '';
  const key = frame.left + index * 330;
  return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="2.5" stroke-linejoin="round"/>
<line x1="${key}" x2="${key + 26}" y1="30" y2="30" stroke="${colour}" stroke-width="4"/><text x="${key + 34}" y="35" fill="#1c1917">${name}${fall}</text>`;
}

function format(loss = 0): string {
  return loss.toPrecision(3);
}

function round(at: number): string {
  return at.toFixed(1);
}
