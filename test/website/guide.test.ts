import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildGuide } from '../../scripts/website/guide.mjs';

test('every document that another one links to has a page', () => {
  const site = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-guide-'));
  try {
    const entries = buildGuide(site, { symbol: () => undefined });
    const pages = entries.map(({ page }) => page.replace(/#.*/, ''));
    // Linked to by other documents, but not searched.
    expect(fs.existsSync(path.join(site, 'coverage.html'))).toBe(true);
    for (const page of pages) expect(fs.existsSync(path.join(site, page)), page).toBe(true);
  } finally {
    fs.rmSync(site, { recursive: true });
  }
});
