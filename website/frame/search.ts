/**
 * @file Search over the guide and the reference, in the page: the index is one JSON file, loaded when the field is first used.
 * `/` focuses the field, arrow keys select, Enter opens.
 */
import { type Entry, searchIn } from '../searchRank.ts';

export interface SearchModule {
  start(field: HTMLInputElement, list: HTMLUListElement, root: string): void;
}

function itemFor([title, kind, page, words]: Entry, index: number, root: string): HTMLLIElement {
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

/** @param root the address of the site, with a slash at its end */
export const start: SearchModule['start'] = (field, list, root) => {
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
    if (query !== field.value.trim()) return;
    list.replaceChildren(...found.map((entry, index) => itemFor(entry, index, root)));
    if (found.length === 0) {
      const none = document.createElement('li');
      none.className = 'none';
      none.textContent = `No results for “${query}”.`;
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

  field.addEventListener('input', () => void update());
  field.addEventListener('keydown', onKey);
  document.addEventListener('click', (event) => {
    if (event.target instanceof Node && !list.contains(event.target) && event.target !== field) show(false);
  });
  void load();
  // What was written while this module was loaded.
  void update();
};
