/** @file A report as one HTML file, with a strict Content-Security-Policy: no network, and a script allowed by its hash. */
import type { PageData } from '../page/mountPage.ts';
import { pageScript, pageScriptHash } from '../page/generated/script.ts';
import { pageStyle, pageStyleHash } from '../page/generated/style.ts';

/** The page around the report fills the window. */
const frameStyle = 'html{color-scheme:light dark;background:light-dark(#faf9f6,#121418)}body{margin:0}';
const frameStyleHash = 'sha256-aQmEUXBkzT9EAMTCs80V+nvqJgJFxMMo1E2Vk05A42U=';

export function htmlOf(data: PageData): string {
  const policy = [
    "default-src 'none'",
    `script-src '${pageScriptHash}'`,
    `style-src '${pageStyleHash}' '${frameStyleHash}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(titleOf(data))}</title>
<style>${frameStyle}</style>
<style>${pageStyle}</style>
</head>
<body>
<noscript>This report is drawn by its own script, which is turned off here.</noscript>
<script type="application/json" id="data">${jsonOf(data)}</script>
<script>${pageScript}</script>
</body>
</html>
`;
}

function titleOf(data: PageData): string {
  return 'recording' in data ? `${data.recording.name}: recorded steps` : `${data.report.name}: step report`;
}

/** JSON that can't close its <script> element. */
function jsonOf(data: PageData): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
