/**
 * @file Search over the guide and the reference, in the page: the index is one JSON file, loaded when the field is first used.
 * `/` focuses the field, arrow keys select, Enter opens.
 */
import { type Entry, searchIn } from './searchRank.ts';

const root = document.body.dataset.root ?? './';

function itemFor([title, kind, page, words]: Entry, index: number): HTMLLIElement {
  const item = document.createElement('li');
  item.id = `found-${index}`;
  item.role = 'option';
  const link = document.createElement('a');
  link.href = root + page;
  link.tabIndex = -1;
  const name = document.createElement('strong');
  name.textContent = title;
  const about = document.createElement('small');
  about.textContent = words ? `${kind} · ${words}` : kind;
  link.append(name, about);
  item.append(link);
  return item;
}

function start(field: HTMLInputElement, list: HTMLUListElement): void {
  let search: Promise<(query: string) => Entry[]> | undefined;
  let chosen = 0;
  const load = () =>
    (search ??= fetch(`${root}assets/search.json`).then(async (answer) => searchIn(await answer.json())));
  const options = () => [...list.querySelectorAll<HTMLLIElement>('[role="option"]')];

  function choose(to: number): void {
    const all = options();
    chosen = all.length === 0 ? 0 : (to + all.length) % all.length;
    all.forEach((item, i) => {
      item.ariaSelected = String(i === chosen);
    });
    all[chosen]?.scrollIntoView({ block: 'nearest' });
    field.setAttribute('aria-activedescendant', all[chosen]?.id ?? '');
  }

  function show(isOpen: boolean): void {
    list.hidden = !isOpen;
    field.ariaExpanded = String(isOpen);
  }

  async function update(): Promise<void> {
    const query = field.value.trim();
    if (query === '') return show(false);
    const found = (await load())(query);
    list.replaceChildren(...found.map(itemFor));
    if (found.length === 0) {
      const none = document.createElement('li');
      none.className = 'none';
      none.textContent = `No results for “${field.value.trim()}”.`;
      list.append(none);
    }
    show(true);
    choose(0);
  }

  function onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') show(false);
    else if (event.key === 'Enter') options()[chosen]?.querySelector('a')?.click();
    else if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen - 1);
    else return;
    event.preventDefault();
  }

  field.addEventListener('focus', () => void load());
  field.addEventListener('input', () => void update());
  field.addEventListener('keydown', onKey);
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey)
      return;
    event.preventDefault();
    field.focus();
  });
  document.addEventListener('click', (event) => {
    if (event.target instanceof Node && !list.contains(event.target) && event.target !== field) show(false);
  });
}

const field = document.querySelector<HTMLInputElement>('#search');
const list = document.querySelector<HTMLUListElement>('#found');
if (field && list) start(field, list);

/** On wide screens the list of pages is always open. */
const wide = matchMedia('(min-width: 60rem)');
const pages = document.querySelector<HTMLDetailsElement>('.pages > details');
const openOnWide = () => pages?.toggleAttribute('open', wide.matches);
wide.addEventListener('change', openOnWide);
openOnWide();

/** The list scrolls by itself: the current page is to be seen in it. */
const sidebar = document.querySelector<HTMLElement>('.pages');
const current = sidebar?.querySelector<HTMLElement>('[aria-current]');
if (sidebar && current) {
  const below = current.getBoundingClientRect().bottom - sidebar.getBoundingClientRect().bottom;
  if (below > 0) sidebar.scrollTop += below + sidebar.clientHeight / 3;
}
