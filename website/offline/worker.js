// @ts-check
/**
 * @file The site without a network, after the first visit. It keeps the guide, whatever was visited, and of a page with a program all files of
 * that page. With a network, everything comes from there; without, from what was kept. `scripts/website/offline.mjs` writes site/sw.js, and
 * fills in what is kept.
 */

/** Another version removes what this one has kept. */
const VERSION = '$version';
/** What is kept with the first visit, relative to the site. @type {readonly string[]} */
const FIRST = ['$first'];
/** The files of each folder that is a page of its own. @type {Readonly<Record<string, readonly string[]>>} */
const PAGES = { $pages: [] };

/** @typedef {{ respondWith(answer: Promise<Response>): void, waitUntil(work: Promise<unknown>): void, request: Request, data: unknown }} WorkerEvent */

const worker =
  /** @type {{ registration: { scope: string }, skipWaiting(): void, clients: { claim(): Promise<void> }, addEventListener(type: string, hear: (event: WorkerEvent) => void): void }} */ (
    /** @type {unknown} */ (globalThis)
  );
const scope = worker.registration.scope;
const store = () => caches.open(`retrograd-${VERSION}`);

worker.addEventListener('install', (event) => {
  worker.skipWaiting();
  event.waitUntil(keep(FIRST));
});

worker.addEventListener('activate', (event) => {
  event.waitUntil(removeOthers().then(() => worker.clients.claim()));
});

// A page that was loaded before there was a worker says where it is, and what it has loaded.
worker.addEventListener('message', (event) => {
  const loaded = /** @type {unknown[]} */ (event.data).map(String).filter((url) => url.startsWith(scope));
  event.waitUntil(Promise.all([keep(loaded), ...loaded.slice(0, 1).map(keepPage)]));
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !request.url.startsWith(scope) || request.headers.has('range')) return;
  event.respondWith(answer(request));
  if (request.mode === 'navigate') event.waitUntil(keepPage(request.url));
});

/** @param {Request} request @returns {Promise<Response>} */
async function answer(request) {
  const kept = await store();
  try {
    const response = await fetch(request);
    if (response.ok && response.type === 'basic') await kept.put(request, response.clone());
    return response;
  } catch (error) {
    const found =
      (await kept.match(request, { ignoreSearch: true })) ?? (await kept.match(`${request.url}index.html`));
    if (found) return found;
    const missing =
      request.mode === 'navigate' ? await kept.match(new URL('offline.html', scope)) : undefined;
    if (missing) return missing;
    throw error;
  }
}

/** Keeps all files of the page that the address belongs to. @param {string} url */
function keepPage(url) {
  const [folder = ''] = url.slice(scope.length).split('/');
  return keep(PAGES[folder] ?? []);
}

/** Keeps what isn't kept yet. A file that can't be had prevents nothing. @param {readonly string[]} files */
async function keep(files) {
  const kept = await store();
  for (const file of files) {
    const url = new URL(file, scope).href.replace(/#.*$/, '');
    if (!(await kept.match(url))) await kept.add(url).catch(() => {});
  }
}

async function removeOthers() {
  for (const name of await caches.keys())
    if (name.startsWith('retrograd-') && name !== `retrograd-${VERSION}`) await caches.delete(name);
}
