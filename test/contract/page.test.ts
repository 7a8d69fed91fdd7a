import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { AppEnv } from '../../src/http/auth/caller.ts';
import { errorResponse } from '../../src/http/error-response.ts';
import { addPage, builtPage } from '../../src/http/page.ts';
import { sharedService, startService, temporaryFolder } from '../support/workspace.ts';

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html dompurify";

describe('GET /', () => {
  it('returns the page to callers without a key, with a policy that allows only its own scripts and requests', async () => {
    const { request } = await sharedService({ API_KEYS: 'a-secret-key' });
    const response = await request('/');
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': expect.stringMatching(/^text\/html/),
      'content-security-policy': policy,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-dns-prefetch-control': 'off',
    });
    const html = await response.text();
    expect(html).not.toMatch(
      /<script(?![^>]* src=)|\son\w+=|<style|\sstyle=|javascript:|https?:\/\//,
    );
    const etag = response.headers.get('etag') ?? '';
    const again = await request('/', { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const assets = [...html.matchAll(/(?:src|href)="\.\/(page\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const path of assets) {
      // The name changes with the content.
      expect(path).toMatch(/-[\w-]{8}\.(js|css|svg)$/);
      const asset = await request(`/${path}`);
      expect([asset.status, asset.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
  });

  it('may be shown in frames of ALLOWED_FRAME_ANCESTORS; API responses may not', async () => {
    const ancestors = ['https://intranet.example.com', 'https://wiki.example.com'];
    const { request } = await startService({ ALLOWED_FRAME_ANCESTORS: ancestors.join() });
    const { headers } = await request('/');
    expect(headers.get('content-security-policy')).toBe(
      policy.replace("frame-ancestors 'none'", `frame-ancestors ${ancestors.join(' ')}`),
    );
    expect(headers.has('x-frame-options')).toBe(false);
    for (const path of ['/api/state', '/health', '/swagger-ui'])
      expect((await request(path)).headers.get('x-frame-options')).toBe('DENY');
  });

  it('serves no files except the built ones', async () => {
    const { request } = await sharedService();
    for (const path of [
      '/page/none.js',
      '/page/..%2findex.html',
      '/page/..%2f..%2f..%2fpackage.json',
      '/page/%2e%2e/%2e%2e/package.json',
      '/index.html',
    ])
      expect((await request(path)).status, path).toBe(404);
    expect((await request('/', { method: 'POST' })).status).toBe(405);
  });

  it('explains how to build the page if it is missing', async () => {
    const app = new Hono<AppEnv>();
    app.onError((error, c) => errorResponse(c, error));
    const folder = await temporaryFolder();
    addPage(app, [], folder);
    const response = await app.request('/');
    expect([response.status, await response.text()]).toEqual([
      404,
      expect.stringContaining('npm ci'),
    ]);
    await writeFile(join(folder, 'index.html'), '<p>built since</p>');
    expect(await (await app.request('/')).text()).toContain('built since');
  });

  it('compresses the response if the browser accepts it, and sets Vary', async () => {
    const { request } = await sharedService();
    const script = (await readdir(join(builtPage, 'page'))).find((name) => name.endsWith('.js'));
    const plain = Buffer.from(await (await request(`/page/${script}`)).arrayBuffer());
    const decode = { br: brotliDecompressSync, gzip: gunzipSync };
    for (const encoding of ['br', 'gzip'] as const) {
      const headers = { 'accept-encoding': `zstd, ${encoding}` };
      const response = await request(`/page/${script}`, { headers });
      const sent = Buffer.from(await response.arrayBuffer());
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-encoding': encoding,
        'content-length': String(sent.length),
        'content-type': expect.stringMatching(/^text\/javascript/),
        vary: 'Accept-Encoding',
      });
      expect(decode[encoding](sent).equals(plain)).toBe(true);
      expect(sent.length).toBeLessThan(plain.length / 2);
    }
    const { headers } = await request(`/page/${script}`, {
      headers: { 'accept-encoding': 'gzip;q=0' },
    });
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([
      null,
      'Accept-Encoding',
    ]);
  });

  it('serves no more than 60,000 bytes of script, compressed with gzip', async () => {
    const scripts = (await readdir(join(builtPage, 'page'))).filter((name) => name.endsWith('.js'));
    const { request } = await sharedService();
    let bytes = 0;
    for (const name of scripts) {
      const response = await request(`/page/${name}`, { headers: { 'accept-encoding': 'gzip' } });
      bytes += (await response.arrayBuffer()).byteLength;
    }
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(60_000);
  });
});

describe('GET /widget.js', () => {
  it('is public, may be loaded by pages of other origins, and is revalidated', async () => {
    const { request } = await startService({ API_KEYS: 'a-secret-key' });
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'script' };
    const response = await request('/widget.js', { headers });
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
    const again = await request('/widget.js', {
      headers: { 'if-none-match': response.headers.get('etag') ?? '' },
    });
    expect([again.status, again.headers.get('cross-origin-resource-policy')]).toEqual([
      304,
      'cross-origin',
    ]);
    expect((await request('/')).headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  it('has at most 25,000 bytes compressed', async () => {
    const { request } = await sharedService();
    for (const encoding of ['br', 'gzip']) {
      const response = await request('/widget.js', { headers: { 'accept-encoding': encoding } });
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect((await response.arrayBuffer()).byteLength).toBeLessThanOrEqual(25_000);
    }
  });
});
