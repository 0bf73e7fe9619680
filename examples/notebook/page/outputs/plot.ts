/**
 * @file A plot that fits the page's policy: the style sheet that Plot would put into its SVG is part of the page
 * (style/outputs/plot.css). It is one image to assistive technology: Plot's labels of its marks have no role, where labels
 * aren't allowed.
 */
import * as Plot from '@observablehq/plot';

export function drawn(options: Plot.PlotOptions, label: string): SVGSVGElement | HTMLElement {
  const plot = Plot.plot({ className: 'plot', ariaLabel: label, ...options }) as SVGSVGElement | HTMLElement;
  for (const style of plot.querySelectorAll('style')) style.remove();
  for (const mark of plot.querySelectorAll('g[aria-label]')) mark.removeAttribute('aria-label');
  const picture = plot instanceof SVGSVGElement ? plot : plot.querySelector('svg');
  picture?.setAttribute('role', 'img');
  return plot;
}

/** Calls `draw` when the width of `frame` changes. The text of a scaled plot would be unreadable. */
export function onWidth(frame: Element, draw: () => void): void {
  let width = 0;
  new ResizeObserver(([entry]) => {
    const now = Math.round(entry?.contentRect.width ?? 0);
    if (now === width || now === 0) return;
    width = now;
    draw();
  }).observe(frame);
}
