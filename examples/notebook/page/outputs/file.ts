/** @file A file that is picked or dropped, or a picture that a camera takes. */
import { element } from '../element.ts';
import { cameraSource } from './camera.ts';
import type { OutputView, Tell } from './view.ts';

export function fileView(tell: Tell): OutputView<'file'> {
  const input = element('input', { type: 'file' });
  const [label, hint] = [element('span', { class: 'button' }), element('span', { class: 'caption' })];
  const clear = element('button', { type: 'button', class: 'quiet' }, 'Take the page’s own');
  const root = element('div', { class: 'file' }, element('label', {}, input, label), hint, clear);
  const take = (file: File | null | undefined) => {
    if (file !== undefined) tell('file', file);
  };
  let camera: HTMLElement | null = null;
  input.addEventListener('change', () => {
    take(input.files?.[0]);
    input.value = '';
  });
  clear.addEventListener('click', () => take(null));
  root.addEventListener('dragover', (event) => {
    event.preventDefault();
    root.classList.add('over');
  });
  root.addEventListener('dragleave', () => root.classList.remove('over'));
  root.addEventListener('drop', (event) => {
    event.preventDefault();
    root.classList.remove('over');
    take(event.dataTransfer?.files[0]);
  });
  return {
    kind: 'file',
    root,
    update: (output) => {
      input.accept = output.accept;
      label.textContent = output.label;
      hint.textContent = output.chosen || output.hint;
      clear.hidden = output.chosen === '';
      if (!output.camera || camera) return;
      camera = cameraSource(take);
      if (camera) root.append(camera);
    },
  };
}
