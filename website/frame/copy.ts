/** @file A button on each block of code that copies it; an excerpt is no program to copy. */
const BLOCKS = 'figure.code:not(.excerpt), pre.install';
/** How long the button says that it has copied. */
const SAID_MS = 1600;

export function startCopying(): void {
  for (const block of document.querySelectorAll<HTMLElement>(BLOCKS)) {
    const code = block.querySelector('code');
    if (code) block.append(buttonFor(code));
  }
}

function buttonFor(code: HTMLElement): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    const isCopied = await copy(code.textContent ?? '');
    button.textContent = isCopied ? 'Copied' : 'Not allowed';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, SAID_MS);
  });
  return button;
}

/** Returns whether the browser let it. A page without https has no clipboard. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
