/**
 * Serves the `mastra` of a module over Mastra's own HTTP API, like Mastra's tools. Arguments: the
 * module. Prints the port.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serve } from '@hono/node-server';
import { MastraServer } from '@mastra/hono';
import { Hono } from 'hono';

const { mastra } = await import(pathToFileURL(resolve(process.argv[2] ?? '')).href);
const app = new Hono();
await new MastraServer({ app, mastra, prefix: '/api' }).init();
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`listens on ${port}`),
);
