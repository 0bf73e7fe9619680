// @ts-check
/**
 * @file A static server for pages on this machine. Requests are not trusted: any page in the user's browser can send them,
 * under any host name that it makes resolve to this machine (DNS rebinding), and so can any program.
 *
 * It answers only GET, for its own host names, with files that are really inside the served folders.
 */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

/** @type {Record<string, string | undefined>} */
const MIME_TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.wgsl': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.wasm': 'application/wasm',
};

/** The names of this machine that browsers never look up. */
const HOST_NAMES = ['localhost', '127.0.0.1', '[::1]'];

const EMPTY_PAGE = '<!doctype html><link rel="icon" href="data:,"><title>Retrograd</title>';

/** @typedef {{ url: string, close: () => Promise<void> }} StaticServer `url` ends with a slash */
/** @typedef {{ prefix: string, folder: string }} Mount */

/**
 * Serves `root`, and further folders under their prefixes, on localhost: a secure context, as WebGPU requires.
 * `/` without an index.html is an empty page. Cross-origin isolated, which makes `performance.now()` fine-grained.
 *
 * @param {string | null} root null serves the empty page alone
 * @param {{ mounts?: Record<string, string>, port?: number, headers?: Record<string, string>, ranges?: boolean }} [options]
 *   mounts: `{ '/dist/': 'dist' }`; headers: further ones of every answer; ranges: whether ranges of files may be requested.
 *   Default true
 * @returns {Promise<StaticServer>}
 */
export async function serveFolder(root, { mounts = {}, port = 0, headers = {}, ranges = true } = {}) {
  const byPrefix = Object.entries({ ...(root === null ? {} : { '/': root }), ...mounts })
    .map(([prefix, folder]) => ({
      prefix: prefix.endsWith('/') ? prefix : `${prefix}/`,
      folder: path.resolve(folder),
    }))
    .sort((a, b) => b.prefix.length - a.prefix.length);
  const server = http.createServer((request, response) => {
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    answer(byPrefix, request, response, ranges).catch(() => fail(response));
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(undefined));
  });
  return {
    url: `http://localhost:${portOf(server)}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve(undefined));
        server.closeAllConnections();
      }),
  };
}

/** @param {http.Server} server */
function portOf(server) {
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}

/**
 * @param {readonly Mount[]} mounts
 * @param {http.IncomingMessage} request
 * @param {http.ServerResponse} response
 * @param {boolean} ranges
 */
async function answer(mounts, request, response, ranges) {
  if (!isOwnHost(request)) return end(response, 403);
  if (request.method !== 'GET') {
    response.setHeader('Allow', 'GET');
    return end(response, 405);
  }
  const pathname = pathOf(request.url ?? '');
  if (pathname === null) return end(response, 400);
  const file = resolveFile(mounts, pathname);
  if (file !== null) return send(response, file, (ranges && request.headers.range) || '');
  if (pathname !== '/') return end(response, pathname === '/favicon.ico' ? 204 : 404);
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end(EMPTY_PAGE);
}

/** @param {http.ServerResponse} response @param {number} status */
function end(response, status) {
  response.statusCode = status;
  response.end();
}

/** Handles a file that vanished, or a client that disconnected, while the file was sent. @param {http.ServerResponse} response */
function fail(response) {
  if (response.headersSent) response.destroy();
  else end(response, 500);
}

/** Returns whether the request's host is a name of this machine. @param {http.IncomingMessage} request */
function isOwnHost({ headersDistinct, socket }) {
  const [host, ...others] = headersDistinct.host ?? [];
  if (host === undefined || others.length > 0) return false;
  const port = socket.localPort;
  const own = HOST_NAMES.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  return own.includes(host.toLowerCase());
}

/**
 * Returns the decoded path of a request, or null if it can't be a file's: it isn't UTF-8, or has empty segments, segments that
 * lead upwards, or characters that aren't allowed in names (NUL, the backslash of Windows).
 *
 * @param {string} target as in the request line, such as `/a%20b/?c`
 */
function pathOf(target) {
  if (!target.startsWith('/')) return null;
  const pathname = decode(/** @type {string} */ (target.split(/[?#]/, 1)[0]));
  if (pathname === null || /[\0\\]/.test(pathname)) return null;
  const segments = pathname.slice(1).split('/');
  const isSound = segments.every(
    (segment, i) => segment !== '.' && segment !== '..' && (segment !== '' || i === segments.length - 1),
  );
  return isSound ? pathname : null;
}

/** @param {string} text @returns {string | null} */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * Returns the file for a path, or null. Never a file outside of the served folders, even through links, and never a hidden one.
 *
 * @param {readonly Mount[]} mounts
 * @param {string} pathname
 */
function resolveFile(mounts, pathname) {
  for (const { prefix, folder } of mounts) {
    if (!pathname.startsWith(prefix)) continue;
    const inFolder = pathname.slice(prefix.length);
    const file = fileIn(folder, inFolder) ?? fileIn(folder, path.join(inFolder, 'index.html'));
    if (file !== null) return file;
  }
  return null;
}

/** Returns the real path of a file in `folder`. @param {string} folder @param {string} name @returns {string | null} */
function fileIn(folder, name) {
  try {
    const realFolder = fs.realpathSync(folder);
    const file = fs.realpathSync(path.join(folder, name));
    const isHidden = [name, path.relative(realFolder, file)].some((place) => /(^|[\\/])\./.test(place));
    if (isHidden || !file.startsWith(realFolder + path.sep)) return null;
    return fs.statSync(file).isFile() ? file : null;
  } catch {
    // It doesn't exist, its name is too long, its links are circular, or it can't be read.
    return null;
  }
}

/**
 * @param {http.ServerResponse} response
 * @param {string} file
 * @param {string} range `bytes=0-9`; other forms are answered with the whole file
 */
async function send(response, file, range) {
  const handle = await fs.promises.open(file);
  const type = MIME_TYPES[path.extname(file).toLowerCase()];
  response.setHeader('Content-Type', type ?? 'application/octet-stream');
  const { size } = await handle.stat();
  const [start, end] = (/^bytes=(\d+)-(\d+)$/.exec(range) ?? []).slice(1).map(Number);
  if (start === undefined || end === undefined || start > end || start >= size)
    return pipeline(handle.createReadStream(), response);
  const last = Math.min(end, size - 1);
  response.statusCode = 206;
  response.setHeader('Content-Range', `bytes ${start}-${last}/${size}`);
  response.setHeader('Content-Length', last - start + 1);
  await pipeline(handle.createReadStream({ start, end: last }), response);
}
