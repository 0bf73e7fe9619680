/** @file Pictures in a row, without smoothing. */
import type { Picture } from '../../protocol.ts';
import { element } from '../element.ts';
import type { OutputView } from './view.ts';

export function picturesView(): OutputView<'pictures'> {
  const root = element('div', { class: 'pictures' });
  const figures: { canvas: HTMLCanvasElement; title: HTMLElement; caption: HTMLElement }[] = [];
  const add = () => {
    const canvas = element('canvas', { role: 'img' });
    const [title, caption] = [element('span', { class: 'title' }), element('span', { class: 'caption' })];
    figures.push({ canvas, title, caption });
    root.append(element('figure', {}, canvas, element('figcaption', {}, title, caption)));
  };
  return {
    kind: 'pictures',
    root,
    update: ({ pictures }) => {
      while (figures.length > pictures.length) {
        figures.pop();
        root.lastElementChild?.remove();
      }
      while (figures.length < pictures.length) add();
      pictures.forEach((picture, i) => {
        draw(figures[i]!, picture);
      });
    },
  };
}

function draw(
  { canvas, title, caption }: { canvas: HTMLCanvasElement; title: HTMLElement; caption: HTMLElement },
  picture: Picture,
): void {
  const { width, height, data } = picture.pixels;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  canvas.getContext('2d')?.putImageData(new ImageData(data, width, height), 0, 0);
  canvas.setAttribute('aria-label', `${picture.title}${picture.caption ? `, ${picture.caption}` : ''}`);
  title.textContent = picture.title;
  caption.textContent = picture.caption ?? '';
}
