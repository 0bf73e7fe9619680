/**
 * @file The visitor's choice of light or dark, before anything is painted. It is a script of its own, not a module: modules run
 * after the first paint. Without a choice the page follows the system.
 */
try {
  const chosen = localStorage.getItem('retrograd-theme');
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be forbidden: then the page follows the system.
}
