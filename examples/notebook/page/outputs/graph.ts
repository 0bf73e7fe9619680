import { element } from '../element.ts';
import type { OutputView } from './view.ts';

export function graphView(): OutputView<'graph'> {
  const root = element('div', { class: 'graph' });
  return { kind: 'graph', root, update: () => {} };
}
