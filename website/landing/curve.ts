/** @file The loss over the steps, on a logarithmic scale, as one line. */
const WIDTH = 400;
const HEIGHT = 60;
/** Losses at the top and at the bottom. */
const HIGHEST = 0.1;
const LOWEST = 0.0005;

export class LossCurve {
  readonly #points: string[] = [];

  constructor(
    private readonly line: SVGPolylineElement,
    private readonly steps: number,
  ) {}

  add(step: number, loss: number): void {
    const share = Math.log(HIGHEST / Math.min(HIGHEST, Math.max(LOWEST, loss))) / Math.log(HIGHEST / LOWEST);
    this.#points.push(`${((WIDTH * step) / this.steps).toFixed(1)},${(HEIGHT * share).toFixed(1)}`);
    this.line.setAttribute('points', this.#points.join(' '));
  }
}
