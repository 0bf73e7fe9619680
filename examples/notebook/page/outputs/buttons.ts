/** @file Buttons of a cell. They stay the same elements when their labels change, so that they keep the focus. */
import { element } from '../element.ts';
import type { OutputView, Tell } from './view.ts';

export function buttonsView(tell: Tell): OutputView<'buttons'> {
  const root = element('div', { class: 'buttons', role: 'group' });
  const made = new Map<string, HTMLButtonElement>();
  const add = (name: string) => {
    const button = element('button', { type: 'button', name });
    button.addEventListener('click', () => tell(name, true));
    made.set(name, button);
    root.append(button);
    return button;
  };
  return {
    kind: 'buttons',
    root,
    update: ({ buttons }) => {
      for (const [name, { label, disabled = false, primary = false }] of Object.entries(buttons)) {
        const button = made.get(name) ?? add(name);
        button.textContent = label;
        button.disabled = disabled;
        button.classList.toggle('primary', primary);
      }
    },
  };
}
