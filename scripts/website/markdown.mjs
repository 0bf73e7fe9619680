/**
 * @file Markdown as HTML, for the guide and for docstrings: headings get the anchors that GitHub gives them, code is highlighted
 * when the site is built, and HTML in the source is text.
 */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import { Marked } from 'marked';
import { escapeHtml } from './types.mjs';

for (const [name, language] of Object.entries({ bash, json, python, typescript, xml }))
  hljs.registerLanguage(name, language);

/** @type {Record<string, string>} */
const LANGUAGES = {
  js: 'typescript',
  javascript: 'typescript',
  ts: 'typescript',
  sh: 'bash',
  html: 'xml',
  py: 'python',
};

/** @param {string} code @param {string} [language] */
export function highlight(code, language = 'ts') {
  const name = LANGUAGES[language] ?? language;
  return hljs.getLanguage(name) ? hljs.highlight(code, { language: name }).value : escapeHtml(code);
}

/** @param {string} text */
export const anchorOf = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/**
 * @typedef {object} MarkdownOptions
 * @property {(href: string) => string} [link] the target on the site of a link in the source; '' for none
 * @property {(code: string) => string | undefined} [symbol] the page of a name in backticks
 * @property {(code: string) => string | undefined} [symbolInTables] as `symbol`, in tables behind the first column alone
 * @property {string} [run] the address where the program of all blocks runs; the first block links to it
 */

/**
 * @param {string} text
 * @param {MarkdownOptions} [options]
 * @returns {{ html: string, headings: { text: string, anchor: string, depth: number }[], rows: { cells: string[], anchor: string }[] }}
 *   `rows` of all tables, each with the heading of its section
 */
export function renderMarkdown(text, { link = (href) => href, symbol, symbolInTables, run } = {}) {
  const headings = [];
  const rows = [];
  let linked = symbol;
  let runsAt = run;
  const runs = () => {
    const href = runsAt;
    runsAt = undefined;
    if (href === undefined) return '';
    return `<figcaption class="run"><a href="${href}">Run the code of this page</a></figcaption>`;
  };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: plain }) {
        const anchor = anchorOf(plain);
        if (depth > 1) headings.push({ text: plain.replaceAll('`', ''), anchor, depth });
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code({ text: code, lang = '' }) {
        const [language = '', file] = lang.split(' ');
        const caption = file
          ? `<figcaption>${escapeHtml(file)}</figcaption>`
          : language === 'ts'
            ? runs()
            : '';
        return `<figure class="code">${caption}<pre tabindex="0"><code>${highlight(code, language)}</code></pre></figure>\n`;
      },
      codespan({ text: code }) {
        const page = linked?.(code);
        const shown = `<code>${escapeHtml(code)}</code>`;
        return page ? `<a href="${page}">${shown}</a>` : shown;
      },
      link({ href, tokens }) {
        const target = link(href);
        const words = this.parser.parseInline(tokens);
        return target === '' ? words : `<a href="${escapeHtml(target)}">${words}</a>`;
      },
      image({ href, text: alt }) {
        return `<img src="${escapeHtml(link(href))}" alt="${escapeHtml(alt)}" loading="lazy" />`;
      },
      table(token) {
        const words = (cell) => this.parser.parseInline(cell.tokens);
        const head = token.header.map((cell) => `<th scope="col">${words(cell)}</th>`);
        // A single column besides the first needs no label on narrow screens.
        const label = (column) =>
          column === 0 || token.header.length < 3
            ? ''
            : ` data-label="${escapeHtml(token.header[column].text.replaceAll('`', ''))}"`;
        const shown = token.rows.map((cells) => {
          rows.push({ cells: cells.map((cell) => cell.text), anchor: headings.at(-1)?.anchor ?? '' });
          const all = cells.map((cell, column) => {
            linked = column > 0 && symbolInTables ? symbolInTables : symbol;
            return `<td${label(column)}>${words(cell)}</td>`;
          });
          linked = symbol;
          return `<tr>${all.join('')}</tr>`;
        });
        return `<div class="table" tabindex="0"><table${symbolInTables ? ' class="names"' : ''}><thead><tr>${head.join('')}</tr></thead><tbody>${shown.join('\n')}</tbody></table></div>\n`;
      },
      html({ text: raw }) {
        return raw.startsWith('<!--') ? '' : escapeHtml(raw);
      },
    },
  });
  const html = marked.parse(text, { async: false });
  return { html, headings, rows };
}
