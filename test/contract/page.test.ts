import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { AppEnv } from '../../src/http/auth/caller.ts';
import { errorResponse } from '../../src/http/error-response.ts';
import { addPage, builtPage } from '../../src/http/page.ts';
import { startService, temporaryFolder, useService } from '../support/workspace.ts';

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html dompurify";
const immutable = 'public, max-age=31536000, immutable';

/** Page and widget are public, although this server has a key. */
const keyed = useService({ API_KEYS: 'a-secret-key' });
const get = (path: string, headers: Record<string, string> = {}) =>
  keyed().request(path, { headers });
const scripts = async () =>
  (await readdir(join(builtPage, 'page'))).filter((name) => name.endsWith('.js'));

async function compressedSize(path: string, encoding: string): Promise<number> {
  const response = await get(path, { 'accept-encoding': encoding });
  expect(response.headers.get('content-encoding')).toBe(encoding);
  return (await response.arrayBuffer()).byteLength;
}

describe('GET /', () => {
  it('returns the page with a policy that allows only its own scripts and requests', async () => {
    const response = await get('/');
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': expect.stringMatching(/^text\/html/),
      'content-security-policy': policy,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-dns-prefetch-control': 'off',
      'cross-origin-resource-policy': 'same-origin',
    });
    const html = await response.text();
    expect(html).not.toMatch(
      /<script(?![^>]* src=)|\son\w+=|<style|\sstyle=|javascript:|https?:\/\/|a-secret-key/,
    );
    const again = await get('/', { 'if-none-match': response.headers.get('etag') ?? '' });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const assets = [...html.matchAll(/(?:src|href)="\.\/(page\/[^"]+)"/g)];
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const [, path = ''] of assets) {
      // The name changes with the content.
      expect(path).toMatch(/-[\w-]{8}\.(js|css|svg)$/);
      const { status, headers } = await get(`/${path}`);
      expect([status, headers.get('cache-control')]).toEqual([200, immutable]);
    }
  });

  it('may be shown in frames of ALLOWED_FRAME_ANCESTORS; API responses may not', async () => {
    const { request } = await startService({
      ALLOWED_FRAME_ANCESTORS: 'https://intranet.example.com,https://wiki.example.com',
    });
    const { headers } = await request('/');
    expect(headers.get('content-security-policy')).toContain(
      'frame-ancestors https://intranet.example.com https://wiki.example.com;',
    );
    expect(headers.has('x-frame-options')).toBe(false);
    for (const path of ['/api/state', '/swagger-ui'])
      expect((await request(path)).headers.get('x-frame-options')).toBe('DENY');
  });

  it('serves no files except the built ones', async () => {
    for (const path of [
      '/page/none.js',
      '/page/..%2findex.html',
      '/page/..%2f..%2f..%2fpackage.json',
      '/page/%2e%2e/%2e%2e/package.json',
      '/index.html',
    ])
      expect((await get(path)).status, path).toBe(404);
    expect((await keyed().request('/', { method: 'POST' })).status).toBe(405);
  });

  it('explains how to build the page if it is missing', async () => {
    const app = new Hono<AppEnv>();
    app.onError((error, c) => errorResponse(c, error));
    const folder = await temporaryFolder();
    addPage(app, [], folder);
    const response = await app.request('/');
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { error: expect.stringContaining('npm ci') },
    ]);
    await writeFile(join(folder, 'index.html'), '<p>built since</p>');
    expect(await (await app.request('/')).text()).toContain('built since');
  });

  it('compresses the response if the browser accepts it, and sets Vary', async () => {
    const path = `/page/${(await scripts())[0]}`;
    const plain = Buffer.from(await (await get(path)).arrayBuffer());
    const decode = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const encoding of ['br', 'gzip'] as const) {
      const response = await get(path, { 'accept-encoding': `zstd, ${encoding}` });
      const sent = Buffer.from(await response.arrayBuffer());
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-encoding': encoding,
        'content-length': String(sent.length),
        'content-type': expect.stringMatching(/^text\/javascript/),
        'cache-control': immutable,
        vary: 'Accept-Encoding',
      });
      expect(decode[encoding](sent).equals(plain)).toBe(true);
    }
    const { headers } = await get(path, { 'accept-encoding': 'gzip;q=0' });
    expect(headers.get('content-encoding')).toBeNull();
    expect(headers.get('vary')).toBe('Accept-Encoding');
  });

  it('serves no more than 60,000 bytes of script, compressed with gzip', async () => {
    let bytes = 0;
    for (const name of await scripts()) bytes += await compressedSize(`/page/${name}`, 'gzip');
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(60_000);
  });
});

describe('GET /widget.js', () => {
  it('may be loaded by pages of other origins, and is revalidated', async () => {
    const response = await get('/widget.js', {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-dest': 'script',
    });
    expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([
      200,
      {
        'content-type': expect.stringMatching(/^text\/javascript/),
        'cache-control': 'public, max-age=3600',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        vary: expect.stringContaining('Accept-Encoding'),
      },
    ]);
    const { status, headers } = await get('/widget.js', {
      'if-none-match': response.headers.get('etag') ?? '',
    });
    expect([status, headers.get('cross-origin-resource-policy')]).toEqual([304, 'cross-origin']);
  });

  it('has at most 25,000 bytes compressed, and writes no markup', async () => {
    for (const encoding of ['br', 'gzip'])
      expect(await compressedSize('/widget.js', encoding)).toBeLessThanOrEqual(25_000);
    expect(await (await get('/widget.js')).text()).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/,
    );
  });
});
