/** The OpenAPI document, made from the routes themselves, and Swagger UI from this server's own files: nothing is loaded from elsewhere. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { swaggerUI } from '@hono/swagger-ui';
import type { Hono } from 'hono';
import { generateSpecs } from 'hono-openapi';
import { getAbsoluteFSPath } from 'swagger-ui-dist';
import { KnowledgeError } from '../errors.ts';
import type { AppEnv } from './app-env.ts';

const documentation = {
  info: { title: 'Knowledge Agent Service', version: '0.5.0', description: 'Short, cited answers from ingested documents.' },
  components: {
    securitySchemes: {
      bearer: { type: 'http' as const, scheme: 'bearer', description: 'a key of API_KEYS, or a JWT' },
      apiKey: { type: 'apiKey' as const, in: 'header' as const, name: 'x-api-key' },
      callsApiKey: { type: 'apiKey' as const, in: 'header' as const, name: 'apikey', description: 'of /v3 alone' },
    },
  },
  security: [{}, { bearer: [] }, { apiKey: [] }],
};

const assetTypes = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
]);

export function addDocumentation(app: Hono<AppEnv>): void {
  let document: Promise<unknown> | undefined;
  app.get('/api/openapi.json', async (c) => {
    document ??= generateSpecs(app, { documentation });
    return c.json(await document);
  });

  app.get('/swagger-ui', swaggerUI({ url: '/api/openapi.json', title: 'Knowledge Agent Service', baseUrl: '/swagger-ui' }));

  app.get('/swagger-ui/swagger-ui-dist/:asset', async (c) => {
    const asset = c.req.param('asset');
    const type = assetTypes.get(asset);
    if (type === undefined) throw new KnowledgeError('not_found', 'There is no such file.');
    const content = await readFile(join(getAbsoluteFSPath(), asset));
    return c.body(content, 200, { 'content-type': type, 'cache-control': 'public, max-age=86400' });
  });
}
