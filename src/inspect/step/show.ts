/**
 * @file Shows a report in a page, in a shadow tree, so that the styles of both don't interfere. Works under any
 * Content-Security-Policy.
 */
import { describe } from '../../core/describe.ts';
import { DeviceError, ValueError } from '../../core/errors.ts';
import { pageStyle } from '../page/generated/style.ts';
import type { OpenStep } from '../page/mountRecording.ts';
import type { PageData } from '../page/mountPage.ts';

/** `open` replays a step of a recording. Errors: DeviceError outside of a page; ValueError for anything but an element. */
export async function showPage(data: PageData, container?: Element, open?: OpenStep): Promise<HTMLElement> {
  if (typeof document === 'undefined') {
    throw new DeviceError({
      op: 'show',
      rule: 'a report is shown in a page.',
      received: 'a call where there is no document',
      hint: "write it to a file: await report.save('step.html').",
    });
  }
  // Elements of other windows count, too.
  if (container !== undefined && container?.nodeType !== 1) throw notAnElement(container);
  const { mountPage } = await import('../page/mountPage.ts');
  const host = document.createElement('div');
  const shadow = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`${pageStyle}\n${container ? '' : dockedStyle}`);
  shadow.adoptedStyleSheets = [sheet];
  (container ?? document.body).append(host);
  if (!container) dock(host, shadow);
  mountPage(shadow, data, 2, open);
  return host;
}

function notAnElement(received: unknown): ValueError {
  return new ValueError({
    op: 'show',
    rule: 'a report is shown in an element, or next to the app.',
    received: describe(received),
    hint: "pass document.querySelector('#report'), or nothing.",
  });
}

/** Next to the app, with a button that closes it. */
function dock(host: HTMLElement, shadow: ShadowRoot): void {
  host.setAttribute('role', 'complementary');
  host.setAttribute('aria-label', 'Step inspector');
  shadow.append(closeButton(host));
}

/** Shown next to the app, in the right part of the window. */
const dockedStyle = `:host {
  position: fixed; inset: 0 0 0 auto; width: min(100%, max(50%, 30rem)); z-index: 2147483000; overflow: auto;
  box-shadow: 0 0 3rem #0006;
}
.close {
  position: sticky; float: right; top: 0.8rem; right: 0.8rem; margin: 0.8rem; z-index: 3; font: 600 14px system-ui;
  padding: 0.3rem 0.8rem; border: 1px solid #8886; border-radius: 99px; cursor: pointer;
}`;

function closeButton(host: HTMLElement): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'close';
  button.textContent = 'Close';
  button.addEventListener('click', () => host.remove());
  return button;
}
