/** @file Sliders, each with its name and value. A logarithmic one moves in equal ratios. */
import type { Control } from '../../protocol.ts';
import { element } from '../element.ts';
import type { OutputView, Tell } from './view.ts';

export function controlsView(tell: Tell): OutputView<'controls'> {
  const root = element('div', { class: 'controls' });
  return {
    kind: 'controls',
    root,
    update: ({ controls }) => {
      root.replaceChildren(
        ...Object.entries(controls).map(([name, control]) =>
          slider(name, control, (value) => tell(name, value)),
        ),
      );
    },
  };
}

/** Positions of a logarithmic slider. */
const positions = 200;

function slider(name: string, control: Control, onChange: (value: number) => void): HTMLElement {
  const { label, value, min, max, step, logarithmic = false } = control;
  const ratio = Math.log(max / Math.max(min, step));
  const toValue = (at: number) => (logarithmic ? rounded(min * Math.exp((ratio * at) / positions)) : at);
  const at = logarithmic ? Math.round((positions * Math.log(value / min)) / ratio) : value;
  const input = element('input', {
    type: 'range',
    name,
    value: at,
    min: logarithmic ? 0 : min,
    max: logarithmic ? positions : max,
    step: logarithmic ? 1 : step,
  });
  // The value is set last, because earlier limits would clamp it.
  input.value = String(at);
  const shown = element('output');
  const show = () => {
    const text = String(toValue(Number(input.value)));
    shown.textContent = text;
    input.setAttribute('aria-valuetext', text);
  };
  input.addEventListener('input', () => {
    show();
    onChange(toValue(Number(input.value)));
  });
  show();
  return element('label', {}, element('span', { class: 'name' }, label), input, shown);
}

const rounded = (value: number) => Number(value.toPrecision(2));
