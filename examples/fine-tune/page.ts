/** @file The page: its buttons, and what they start. One thing runs at a time, and can be stopped. */
import '../../website/style/tokens.css';
import { init, memory } from 'retrograd';
import type { PretrainedSource } from 'retrograd/hub';
import { lineChart } from 'retrograd/show';
import { adapterFiles, kerasFile, networkFiles } from './keep.ts';
import { addAdapters, learn, type Pass } from './learn.ts';
import { type Network, openNetwork } from './network.ts';
import { carpenter } from './texts.ts';
import { write } from './write.ts';

const element = <E extends Element = HTMLElement>(id: string) => document.getElementById(id) as unknown as E;
const button = (id: string) => element<HTMLButtonElement>(id);
const field = (id: string) => element<HTMLInputElement>(id);
const say = (words: string) => {
  element('status').textContent = words;
};

/** Milliseconds between two samples while it learns. */
const sampleEvery = 1500;

const curve = lineChart({}, { xLabel: 'pass', title: 'The loss per token after each pass' });
curve.show(element('curve'));

let network: Network | null = null;
/** The rank of the adapters; null without any. */
let rank: number | null = null;
let passes: Pass[] = [];
let running: AbortController | null = null;

/** Enables what can be done now. */
function refresh(): void {
  const isIdle = network !== null && running === null;
  button('learn').disabled = network === null;
  button('learn').textContent = running ? 'Stop' : 'Learn';
  button('write').disabled = !isIdle;
  field('folder').disabled = running !== null;
  button('forget').disabled = !isIdle || rank === null;
  for (const id of ['save-adapter', 'save-keras', 'save-network'])
    button(id).disabled = !isIdle || rank === null;
}

/** Runs one thing, unless another runs; says why it failed. */
async function run(what: (signal: AbortSignal) => Promise<void>): Promise<void> {
  if (running) return;
  running = new AbortController();
  const { signal } = running;
  refresh();
  try {
    await what(signal);
  } catch (error) {
    if (signal.aborted) say('Stopped.');
    else say(error instanceof Error ? error.message : String(error));
  } finally {
    running = null;
    refresh();
  }
}

async function open(source: PretrainedSource, name: string): Promise<void> {
  await init();
  say(`Loading ${name} …`);
  const opened = await openNetwork(source, (part) => say(`Loading ${name}: ${Math.round(100 * part)} %`));
  network?.net.dispose();
  network = opened;
  element('network').textContent = opened.summary;
  await clear();
  say('Ready. It continues a text, and learns yours.');
}

/** Removes the adapters and what was shown of them. */
async function clear(): Promise<void> {
  if (rank !== null) await network?.net.removeLora();
  rank = null;
  passes = [];
  showPasses();
  for (const id of ['before', 'after', 'files']) element(id).replaceChildren();
  element('passed').textContent = 'no pass over your text yet';
}

/** Draws the loss per token after each pass. */
function showPasses(): void {
  const learned = passes.map(({ number, loss }) => [number, loss] as const);
  const heldBack = passes.flatMap(({ number, heldBackLoss }) =>
    heldBackLoss === null ? [] : [[number, heldBackLoss] as const],
  );
  curve.update({ 'what it learns': learned, ...(heldBack.length > 0 ? { 'held back': heldBack } : {}) });
}

const writeInto = (id: string, maxNewTokens: number, signal?: AbortSignal) =>
  write(network as Network, {
    prompt: field('prompt').value,
    temperature: Number(field('temperature').value),
    maxNewTokens,
    ...(signal && { signal }),
    onText: (text) => {
      element(id).textContent = text;
    },
  });

async function showBoth(signal: AbortSignal): Promise<void> {
  const { net } = network as Network;
  say('Writing …');
  if (rank === null) {
    await writeInto('before', 60, signal);
  } else {
    // Switching adapters copies nothing.
    await net.useAdapter(null);
    try {
      await writeInto('before', 60, signal);
    } finally {
      await net.useAdapter('default');
    }
    await writeInto('after', 60, signal);
  }
  say('Done.');
}

async function learnText(signal: AbortSignal): Promise<void> {
  const { net, coder } = network as Network;
  const [wantedRank, more] = [Number(field('rank').value), Number(field('passes').value)];
  if (rank !== wantedRank) {
    await clear();
    await writeInto('before', 40, signal);
    await addAdapters(net, wantedRank);
    rank = wantedRank;
  }
  const { ids } = coder.encode(element<HTMLTextAreaElement>('text').value, { add_special_tokens: false });
  const done = passes.length;
  const [started, megabytes] = [performance.now(), () => (memory().bytes / 1e6).toFixed(0)];
  let sampled = 0;
  const onPass = async (pass: Pass) => {
    passes.push({ ...pass, number: done + pass.number });
    showPasses();
    const seconds = (performance.now() - started) / 1000;
    say(
      `Pass ${passes.length} of ${done + more} · loss ${pass.loss.toFixed(2)} · ${seconds.toFixed(0)} s · ${megabytes()} MB`,
    );
    const isLast = pass.number === more;
    if (!isLast && performance.now() - sampled < sampleEvery) return;
    element('passed').textContent = `after ${passes.length} passes over your text`;
    await writeInto('after', 40, signal);
    sampled = performance.now();
  };
  say(`Learning ${ids.length} tokens …`);
  await learn({ net, tokens: ids, passes: more, signal, onPass });
  say(
    `Done: loss ${passes.at(-1)?.loss.toFixed(2)} after ${passes.length} passes over ${ids.length} tokens.`,
  );
}

/** Makes files and offers them, the first of them at once. */
function offer(make: typeof kerasFile): () => Promise<void> {
  return () =>
    run(async () => {
      say('Saving …');
      const files = await make((network as Network).net);
      const items = files.map((file) => {
        const link = document.createElement('a');
        link.href = URL.createObjectURL(file);
        link.download = file.name;
        link.textContent = `${file.name}, ${(file.size / 1e3).toFixed(0)} kB`;
        const item = document.createElement('li');
        item.append(link);
        return item;
      });
      for (const old of element('files').querySelectorAll('a')) URL.revokeObjectURL(old.href);
      element('files').replaceChildren(...items);
      for (const item of items) item.querySelector('a')?.click();
      say(`Saved ${files.map(({ name }) => name).join(' and ')}.`);
    });
}

/** The files of the page's own network. */
async function ownFiles(): Promise<PretrainedSource> {
  const names = [
    'config.json',
    'generation_config.json',
    'model.safetensors',
    'tokenizer.json',
    'tokenizer_config.json',
  ];
  const fetched = names.map(async (name) => {
    const response = await fetch(new URL(`./model/${name}`, document.baseURI));
    if (!response.ok)
      throw new Error(`The page's own network is incomplete: ${name} has status ${response.status}.`);
    return [name, await response.blob()] as const;
  });
  return new Map(await Promise.all(fetched));
}

/** The handle of something that was dropped, in browsers that give one. */
const handleOf = (item: DataTransferItem) =>
  (
    item as DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> }
  ).getAsFileSystemHandle?.();

/** The files of a dropped folder, or those that were dropped by themselves. */
async function droppedFiles({ items, files }: DataTransfer): Promise<PretrainedSource> {
  const [handle] = await Promise.all([...items].map(handleOf));
  return handle?.kind === 'directory' ? (handle as FileSystemDirectoryHandle) : [...files];
}

element<HTMLTextAreaElement>('text').value = carpenter;
const drop = element('drop');
drop.addEventListener('dragover', (event) => {
  event.preventDefault();
  drop.classList.add('over');
});
drop.addEventListener('dragleave', () => drop.classList.remove('over'));
drop.addEventListener('drop', (event) => {
  event.preventDefault();
  drop.classList.remove('over');
  const source = event.dataTransfer && droppedFiles(event.dataTransfer);
  if (source) run(async () => open(await source, 'your folder'));
});
field('folder').addEventListener('change', () => {
  const files = [...(field('folder').files ?? [])];
  if (files.length > 0) run(() => open(files, 'your folder'));
});
element('learning').addEventListener('submit', (event) => {
  event.preventDefault();
  if (running) running.abort();
  else run(learnText);
});
element('writing').addEventListener('submit', (event) => {
  event.preventDefault();
  run(showBoth);
});
button('forget').addEventListener('click', () =>
  run(async () => {
    await clear();
    say('Forgotten: the adapters are gone, and the weights are what they were.');
  }),
);
button('save-adapter').addEventListener('click', offer(adapterFiles));
button('save-keras').addEventListener('click', offer(kerasFile));
button('save-network').addEventListener('click', offer(networkFiles));
run(async () => open(await ownFiles(), 'the network'));
