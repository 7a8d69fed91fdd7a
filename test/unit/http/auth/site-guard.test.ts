import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { parseConfig } from '../../../../src/config.ts';
import type { AppEnv } from '../../../../src/http/auth/caller.ts';
import { publicOrigin } from '../../../../src/http/auth/site-guard.ts';

const proxy = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'docs.example.com' };
const keys = { API_KEYS: 'a-key-of-some-length' };
const trusting = { ...keys, TRUSTED_PROXIES: '10.0.0.0/8' };

it.each([
  ['has no proxy', {}, {}, 'http://localhost:4111'],
  [
    'reaches a server with PUBLIC_URL',
    { PUBLIC_URL: 'https://kb.example.com' },
    proxy,
    'https://kb.example.com',
  ],
  ['comes from a trusted proxy', trusting, proxy, 'https://docs.example.com'],
  ['comes from an untrusted proxy', keys, proxy, 'http://localhost:4111'],
  [
    'names a host that is not in ALLOWED_HOSTS',
    { ...trusting, ALLOWED_HOSTS: 'kb.example.com' },
    proxy,
    undefined,
  ],
  [
    'names a host that is in ALLOWED_HOSTS',
    { ...trusting, ALLOWED_HOSTS: 'docs.example.com' },
    proxy,
    'https://docs.example.com',
  ],
  ['names an invalid host', trusting, { 'x-forwarded-host': 'a/b?c' }, undefined],
  [
    'names a host that an open server does not allow',
    { TRUSTED_PROXIES: '10.0.0.0/8' },
    proxy,
    undefined,
  ],
])('reads the origin of a request that %s', async (_, settings, headers, origin) => {
  const config = parseConfig(settings as Record<string, string>);
  const app = new Hono<AppEnv>();
  app.get('/', (c) => c.json([publicOrigin(c, config)]));
  const socket = { incoming: { socket: { remoteAddress: '10.0.0.1' } } };
  const response = await app.request('http://localhost:4111/', { headers }, socket);
  expect(await response.json()).toEqual([origin ?? null]);
});
