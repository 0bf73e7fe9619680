/** @file A text field. The text is sent when the visitor leaves it, or pauses. */
import { element } from '../element.ts';
import type { OutputView, Tell } from './view.ts';

const PAUSE_MS = 800;

export function textFieldView(tell: Tell): OutputView<'textField'> {
  const name = element('span', { class: 'name' });
  const area = element('textarea', { spellcheck: 'false' });
  let sent = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const send = () => {
    clearTimeout(timer);
    if (area.value === sent) return;
    sent = area.value;
    tell('text', sent);
  };
  area.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(send, PAUSE_MS);
  });
  area.addEventListener('change', send);
  return {
    kind: 'textField',
    root: element('label', { class: 'text-field' }, name, area),
    update: ({ label, value, rows }) => {
      name.textContent = label;
      area.rows = rows;
      area.value = sent = value;
    },
  };
}
