/**
 * @file The notebook: served live on the sources (`npm run notebook`), built on the library (`npm run build:pages`).
 *
 * The built page carries its Content-Security-Policy. Cells are modules made of text, which are imported as blob: addresses;
 * nothing is evaluated, nothing comes from elsewhere.
 */
import { fileURLToPath } from 'node:url';
import { mergeConfig, type Plugin } from 'vite';
import { packageAliases } from '../../scripts/lib/aliases.mjs';
import { pageConfig } from '../pageConfig.ts';

const policy = [
  "default-src 'none'",
  "script-src 'self' blob:",
  // Modules that a Worker's modules import are its own affair in Firefox: they must be allowed here as well.
  "worker-src 'self' blob:",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const contentSecurityPolicy: Plugin = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: (html) =>
    html.replace(
      '<meta charset',
      `<meta http-equiv="Content-Security-Policy" content="${policy}" />\n    <meta charset`,
    ),
};

const root = fileURLToPath(new URL('../..', import.meta.url));

export default ({ command }: { command: 'serve' | 'build' }) => {
  const shared = {
    plugins: [contentSecurityPolicy],
    // Names of errors and classes are read by visitors.
    worker: { format: 'es' as const, rolldownOptions: { output: { keepNames: true } } },
    build: {
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 2048,
      license: { fileName: 'licenses.md' },
    },
  };
  const page = pageConfig('notebook');
  if (command === 'serve') page.resolve = { alias: packageAliases(root) };
  return mergeConfig(page, shared);
};
