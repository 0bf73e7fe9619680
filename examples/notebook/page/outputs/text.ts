/** @file Text: a paragraph, and a line that screen readers announce when it changes. */
import { element } from '../element.ts';
import type { OutputView } from './view.ts';

export function textView(): OutputView<'text'> {
  const root = element('p', { class: 'words' });
  return {
    kind: 'text',
    root,
    update: ({ text, tone }) => {
      root.dataset.tone = tone;
      root.textContent = text;
    },
  };
}

/** Shortest time in milliseconds between announcements, so that a screen reader can finish a sentence. */
const spokenEvery = 5000;

export function statusView(): OutputView<'status'> {
  const seen = element('span', { 'aria-hidden': 'true' });
  const spoken = element('span', { class: 'unseen', role: 'status' });
  let last = 0;
  return {
    kind: 'status',
    root: element('p', { class: 'status' }, seen, spoken),
    update: ({ text }) => {
      seen.textContent = text;
      if (performance.now() - last < spokenEvery) return;
      last = performance.now();
      spoken.textContent = text;
    },
  };
}
