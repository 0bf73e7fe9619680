/** @file The loss over the steps, on a logarithmic scale, as one line. */
const WIDTH = 400;
const HEIGHT = 60;
/** Losses at the top and at the bottom. */
const HIGHEST = 0.1;
const LOWEST = 0.0005;
/** Steps that the width shows at first. */
const FIRST = 30;

export class LossCurve {
  readonly #points: (readonly [step: number, height: number])[] = [];

  constructor(
    private readonly line: SVGPolylineElement,
    private readonly steps: number,
  ) {}

  add(step: number, loss: number): void {
    const share = Math.log(HIGHEST / Math.min(HIGHEST, Math.max(LOWEST, loss))) / Math.log(HIGHEST / LOWEST);
    this.#points.push([step, HEIGHT * share]);
    // The line fills half of the width or more: a slow adapter is to show something, too.
    let shown = Math.min(FIRST, this.steps);
    while (shown < step) shown = Math.min(2 * shown, this.steps);
    const points = this.#points.map(
      ([at, height]) => `${((WIDTH * at) / shown).toFixed(1)},${height.toFixed(1)}`,
    );
    this.line.setAttribute('points', points.join(' '));
  }
}
