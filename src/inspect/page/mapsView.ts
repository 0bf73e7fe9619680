/** @file Feature maps as pictures. */
import type { FeatureMaps, StepReportData } from '../step/reportData.ts';
import { h } from './dom.ts';
import { specText } from './format.ts';
import { LayerIndex } from './totals.ts';

export function mapsView(data: StepReportData): HTMLElement {
  const index = new LayerIndex(data);
  return h(
    'section',
    {},
    h(
      'p',
      { class: 'soft' },
      'The first channels of the first sample, each from its smallest value (dark) to its largest (bright).',
    ),
    ...data.featureMaps.map((maps) => figure(data, index, maps)),
  );
}

function figure(
  data: StepReportData,
  index: LayerIndex,
  { tensor, layer, width, height, maps }: FeatureMaps,
): HTMLElement {
  const found = data.tensors[tensor];
  const maker = found?.maker === null || found?.maker === undefined ? undefined : data.calls[found.maker];
  const name = index.pathOf(layer) || maker?.op || '';
  return h(
    'figure',
    {},
    h('figcaption', {}, h('b', {}, name), ` ${found ? specText(found) : ''}`),
    h(
      'div',
      { class: 'maps' },
      ...maps.map((text, channel) => picture(text, width, height, `${name}, channel ${channel}`)),
    ),
  );
}

function picture(text: string, width: number, height: number, label: string): HTMLElement {
  const canvas = h('canvas', { width, height, role: 'img', 'aria-label': label });
  const context = canvas.getContext('2d');
  const levels = atob(text);
  const pixels = new ImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    const level = levels.charCodeAt(i);
    pixels.data.set([level, level, level, 255], 4 * i);
  }
  context?.putImageData(pixels, 0, 0);
  return canvas;
}
