/** @file What every page of the site can do: its header's switch and search, its lists of pages, and buttons that copy code. */
import { startCopying } from './copy.ts';
import { startTheme } from './themeSwitch.ts';
import type { SearchModule } from './search.ts';

const switchButton = document.querySelector<HTMLButtonElement>('.theme');
if (switchButton) startTheme(switchButton);
startCopying();
openListOfPages();
startSearch();
keepForOffline();

/** Search is loaded by its first use: most visits have none. */
function startSearch(): void {
  const field = document.querySelector<HTMLInputElement>('#search');
  const list = document.querySelector<HTMLUListElement>('#found');
  if (!field || !list) return;
  const root = new URL('..', import.meta.url);
  let started: Promise<void> | undefined;
  const start = () => {
    started ??= import(/* @vite-ignore */ new URL('assets/search.js', root).href).then(
      ({ start }: SearchModule) => start(field, list, root.href),
    );
    return started;
  };
  field.addEventListener('focus', () => void start());
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || isWriting(event)) return;
    event.preventDefault();
    field.focus();
  });
}

/** After the first visit, the site is shown without a network (website/offline). */
function keepForOffline(): void {
  if (!('serviceWorker' in navigator)) return;
  addEventListener('load', async () => {
    // A browser may forbid it, for example in a private window: then the site needs a network.
    await navigator.serviceWorker.register(new URL('../sw.js', import.meta.url)).catch(() => {});
    const { active } = await navigator.serviceWorker.ready;
    const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
    active?.postMessage([location.href, ...loaded]);
  });
}

/** Whether the key is part of a text. The editors of some pages are in shadow roots. */
function isWriting(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** On wide screens the list of pages is always open, and scrolled to the current page. */
function openListOfPages(): void {
  const list = document.querySelector<HTMLDetailsElement>('.pages > details');
  if (!list) return;
  const wide = matchMedia('(min-width: 60rem)');
  const openOnWide = () => list.toggleAttribute('open', wide.matches);
  wide.addEventListener('change', openOnWide);
  openOnWide();
  const sidebar = list.parentElement as HTMLElement;
  const current = sidebar.querySelector('[aria-current]');
  if (!current) return;
  const below = current.getBoundingClientRect().bottom - sidebar.getBoundingClientRect().bottom;
  if (below > 0) sidebar.scrollTop += below + sidebar.clientHeight / 3;
}
