/** @file A plot as the page allows it: the style sheet that Plot puts into its SVG is the page's own (style/outputs/plot.css). */
import * as Plot from '@observablehq/plot';

export function drawn(options: Plot.PlotOptions, label: string): SVGSVGElement | HTMLElement {
  const plot = Plot.plot({ className: 'plot', ariaLabel: label, ...options }) as SVGSVGElement | HTMLElement;
  for (const style of plot.querySelectorAll('style')) style.remove();
  return plot;
}

/** Calls `draw` when `frame` gets another width. A plot that is scaled would have words that no one can read. */
export function onWidth(frame: Element, draw: () => void): void {
  let width = 0;
  new ResizeObserver(([entry]) => {
    const now = Math.round(entry?.contentRect.width ?? 0);
    if (now === width || now === 0) return;
    width = now;
    draw();
  }).observe(frame);
}
