/** @file A plot as the page allows it: the style sheet that Plot puts into its SVG is the page's own (outputs.css). */
import * as Plot from '@observablehq/plot';

export function drawn(options: Plot.PlotOptions, label: string): SVGSVGElement | HTMLElement {
  const plot = Plot.plot({ className: 'plot', ariaLabel: label, ...options }) as SVGSVGElement | HTMLElement;
  for (const style of plot.querySelectorAll('style')) style.remove();
  return plot;
}
