/**
 * @file The switch between light and dark. A choice is remembered until it is what the system has, too: from then on, the page
 * follows the system again.
 */
const KEY = 'retrograd-theme';

export function startTheme(button: HTMLButtonElement): void {
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (root.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const show = () => {
    button.ariaPressed = String(isDark());
  };
  button.addEventListener('click', () => {
    const wanted = isDark() ? 'light' : 'dark';
    if ((wanted === 'dark') === system.matches) delete root.dataset.theme;
    else root.dataset.theme = wanted;
    remember(root.dataset.theme);
    show();
  });
  system.addEventListener('change', show);
  // Other pages of the site that are open follow.
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== KEY) return;
    if (newValue === null) delete root.dataset.theme;
    else root.dataset.theme = newValue;
    show();
  });
  show();
}

function remember(theme: string | undefined): void {
  try {
    if (theme === undefined) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Storage may be forbidden: then the choice holds for this page.
  }
}
