/** @file The addresses of the frame, from what a package's owner writes into package.json. */
import { expect, test } from 'vitest';
import { addressOf, framed } from '../../scripts/website/layout.mjs';

test.each([
  ['github:owner/name', 'https://github.com/owner/name'],
  ['gitlab:owner/name', 'https://gitlab.com/owner/name'],
  ['bitbucket:owner/name', 'https://bitbucket.org/owner/name'],
  ['owner/name.js', 'https://github.com/owner/name.js'],
  ['git+https://github.com/owner/name.git', 'https://github.com/owner/name'],
  ['git@github.com:owner/name.git', 'https://github.com/owner/name'],
  ['git+ssh://git@github.com/owner/name.git', 'https://github.com/owner/name'],
  ['git://github.com/owner/name.git', 'https://github.com/owner/name'],
  ['https://example.org/name', 'https://example.org/name'],
  ['', ''],
])('the page of the repository %s is %s', (repository, page) => {
  expect(addressOf(repository)).toBe(page);
});

test('a page without a place for the header stays as it is', () => {
  const html = '<title>Runner</title><body></body>';
  expect(framed(html, '../')).toBe(html);
});
