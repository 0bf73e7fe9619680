import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StaticServer, serveFolder } from '../../scripts/lib/static-server.mjs';

const outside = fs.mkdtempSync(path.join(os.tmpdir(), 'retrograd-server-'));
const folder = path.join(outside, 'site');
let server: StaticServer;
let port: number;

beforeAll(async () => {
  const write = (name: string, text: string) => {
    const file = path.join(outside, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  };
  write('secret.txt', 'secret');
  write('site-2/secret.txt', 'secret');
  write('site/index.html', 'index');
  write('site/a b.txt', 'spaced');
  write('site/%.txt', 'percent');
  write('site/deep/index.html', 'deep');
  write('site/deep/ünï.js', 'script');
  write('site/.env', 'secret');
  write('site/.git/config', 'secret');
  write('site/deep/.hidden/x.txt', 'secret');
  write('mounted/m.txt', 'mounted');
  fs.symlinkSync(path.join(outside, 'secret.txt'), path.join(folder, 'link.txt'));
  fs.symlinkSync(outside, path.join(folder, 'up'));
  fs.symlinkSync(path.join(outside, 'site-2'), path.join(folder, 'neighbour'));
  fs.symlinkSync(path.join(folder, '.env'), path.join(folder, 'env.txt'));
  fs.symlinkSync(path.join(folder, 'loop'), path.join(folder, 'loop'));
  fs.symlinkSync(path.join(folder, 'deep', 'ünï.js'), path.join(folder, 'inner.js'));
  fs.symlinkSync(folder, path.join(outside, 'site-link'));
  server = await serveFolder(path.join(outside, 'site-link'), {
    mounts: { '/mount': path.join(outside, 'mounted') },
  });
  port = Number(new URL(server.url).port);
});
afterAll(async () => {
  await server.close();
  fs.rmSync(outside, { recursive: true });
});

interface Answer {
  status: number;
  body: string;
  headers: http.IncomingHttpHeaders;
}

/** Sends `target` as it is: `fetch` would normalize it first. */
function get(target: string, options: http.RequestOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      { host: '127.0.0.1', port, path: target, agent: false, ...options },
      (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode as number, body, headers: response.headers }),
        );
      },
    );
    request.on('error', reject);
    request.end();
  });
}

/** Sends bytes as they are, and gives the first line of the answer. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (answer.includes('\r\n')) socket.destroy();
    });
    socket.on('close', () => resolve(answer.split('\r\n')[0] as string));
    socket.on('error', reject);
  });
}

test('serves files, folders by their index, and mounts', async () => {
  expect(await get('/')).toMatchObject({ status: 200, body: 'index' });
  expect(await get('/?query=%')).toMatchObject({ status: 200, body: 'index' });
  expect(await get('/a%20b.txt')).toMatchObject({ status: 200, body: 'spaced' });
  expect(await get('/%25.txt')).toMatchObject({ status: 200, body: 'percent' });
  expect(await get('/deep/')).toMatchObject({ status: 200, body: 'deep' });
  expect(await get('/deep')).toMatchObject({ status: 200, body: 'deep' });
  const script = await get(`/deep/${encodeURIComponent('ünï')}.js`);
  expect(script).toMatchObject({ status: 200, body: 'script' });
  expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(await get('/inner.js')).toMatchObject({ status: 200, body: 'script' });
  expect(await get('/mount/m.txt')).toMatchObject({ status: 200, body: 'mounted' });
  expect((await get('/none.txt')).status).toBe(404);
  expect((await get('/index.html/more')).status).toBe(404);
  expect((await get(`/${'x'.repeat(5000)}`)).status).toBe(404);
  expect((await get('/favicon.ico')).status).toBe(204);
});

describe('answers 400 to', () => {
  test.each([
    '/%',
    '/%zz',
    '/%c0%ae',
    '/%ff',
    '/%00',
    '/index.html%00.png',
    '//',
    '///',
    '//evil.example/',
    '/deep//index.html',
    '/..',
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/%2E%2e%2fsecret.txt',
    '/..%2fsecret.txt',
    '/deep/../../secret.txt',
    '/deep/./index.html',
    '/..\\secret.txt',
    '/%5c..%5csecret.txt',
    '/mount/../secret.txt',
    '/mount%2f..%2f..%2fsecret.txt',
    '*',
    'http://evil.example/secret.txt',
    'index.html',
  ])('%s', async (target) => {
    const { status, body } = await get(target);
    expect(body).toBe('');
    expect(status).toBe(400);
  });
});

describe('hides', () => {
  test.each([
    '/link.txt',
    '/up/secret.txt',
    '/up/',
    '/neighbour/secret.txt',
    '/env.txt',
    '/loop',
    '/.env',
    '/%2eenv',
    '/.git/config',
    '/deep/.hidden/x.txt',
    '/%252e%252e/secret.txt',
    '/-2/secret.txt',
  ])('%s', async (target) => {
    expect(await get(target)).toMatchObject({ status: 404, body: '' });
  });
});

describe('the host of a request', () => {
  test.each(['localhost', '127.0.0.1', '[::1]', 'LocalHost'])('may be %s', async (name) => {
    expect((await get('/', { headers: { Host: `${name}:${port}` } })).status).toBe(200);
  });

  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io', '192.168.0.1', 'user@localhost'])(
    "can't be %s",
    async (name) => {
      expect(await get('/', { headers: { Host: `${name}:${port}` } })).toMatchObject({
        status: 403,
        body: '',
      });
    },
  );

  test('has the port of the server, and is there once', async () => {
    expect((await get('/', { headers: { Host: 'localhost' } })).status).toBe(403);
    expect((await get('/', { headers: { Host: `localhost:${port + 1}` } })).status).toBe(403);
    expect(await raw('GET / HTTP/1.1\r\nHost:\r\n\r\n')).toBe('HTTP/1.1 403 Forbidden');
    expect(await raw('GET / HTTP/1.1\r\n\r\n')).toBe('HTTP/1.1 400 Bad Request');
    expect(await raw('GET / HTTP/1.0\r\n\r\n')).toBe('HTTP/1.1 403 Forbidden');
    const twice = `GET / HTTP/1.1\r\nHost: localhost:${port}\r\nHost: evil.example\r\n\r\n`;
    expect(await raw(twice)).toMatch(/^HTTP\/1\.1 40[03] /);
  });
});

test.each(['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH'])('rejects %s', async (method) => {
  const { status, headers } = await get('/', { method });
  expect(status).toBe(405);
  expect(headers.allow).toBe('GET');
});

test('survives invalid requests', async () => {
  const host = `Host: localhost:${port}\r\n`;
  for (const text of [
    'nonsense\r\n\r\n',
    `GET\r\n${host}\r\n`,
    `GET  HTTP/1.1\r\n${host}\r\n`,
    `GET / HTTP/9.9\r\n${host}\r\n`,
    `\0\0\0\0\r\n\r\n`,
    `GET /\u00ff HTTP/1.1\r\n${host}\r\n`,
    `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n${host}\r\n`,
    `CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`,
    `GET / HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  ])
    await raw(text).catch(() => {});
  expect((await get('/')).status).toBe(200);
});

test('survives clients that leave, and files that vanish', async () => {
  fs.writeFileSync(path.join(folder, 'large.bin'), new Uint8Array(20_000_000));
  for (let i = 0; i < 5; i++) {
    await new Promise<void>((resolve) => {
      const request = http.get({ host: '127.0.0.1', port, path: '/large.bin', agent: false }, (response) => {
        response.once('data', () => request.destroy());
      });
      request.on('error', () => {});
      request.on('close', resolve);
    });
  }
  expect((await get('/')).status).toBe(200);
});
