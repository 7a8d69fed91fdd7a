/** Web site on loopback with scripted pages; records its requests. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { whenDone } from './when-done.ts';

export type Page = Readonly<{
  status?: number;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}>;

type Answer = Page | RequestListener | undefined;

export type Site = Awaited<ReturnType<typeof startSite>>;

function answer(page: Answer, request: IncomingMessage, response: ServerResponse) {
  if (!page) response.writeHead(404).end('not found');
  else if (typeof page === 'function') page(request, response);
  else
    response
      .writeHead(page.status ?? 200, {
        'content-type': 'text/html; charset=utf-8',
        ...page.headers,
      })
      .end(page.body ?? '');
}

/** @param pages by path with query @param others called for every other path */
export async function startSite(
  pages: Readonly<Record<string, Page | RequestListener>> = {},
  others?: (path: string) => Answer,
) {
  const known = new Map(Object.entries(pages));
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    answer(known.get(path) ?? others?.(path), request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  /** Stops the site: its address refuses connections. */
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  whenDone(close);
  /** The format of ALLOWED_URL_HOSTS. */
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    requests,
    close,
    /** Sets the response of a path; undefined: 404. */
    set(path: string, page: Answer) {
      if (page) known.set(path, page);
      else known.delete(path);
    },
  };
}

/** A site that collects the JSON it receives. @param statusOf receives the number of requests */
export async function startReceiver(
  statusOf: (attempt: number) => number = () => 200,
  answerHeaders: Readonly<Record<string, string>> = {},
) {
  const delivered: { path: string; headers: IncomingHttpHeaders; text: string; body: any }[] = [];
  const site = await startSite({}, () => async (request, response) => {
    const { url: path = '', headers } = request;
    const text = await textOf(request);
    delivered.push({ path, headers, text, body: JSON.parse(text) });
    response.writeHead(statusOf(delivered.length), answerHeaders).end('{}');
  });
  return { ...site, delivered };
}

export const page = (
  title: string,
  text: string,
  links: readonly string[] = [],
  head = '',
): Page => ({
  body: `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><nav>${links
    .map((link) => `<a href="${link}">${link}</a>`)
    .join(' ')}</nav><main><h1>${title}</h1><p>${text}</p></main></body></html>`,
});

/** Responds 304 if the ETag matches, else sends the page and calls `onSent`. */
export function revalidated(
  body: Page,
  etag: () => string,
  onSent: () => void = () => undefined,
): RequestListener {
  return (request, response) => {
    response.setHeader('etag', etag());
    if (request.headers['if-none-match'] === etag()) {
      response.writeHead(304).end();
      return;
    }
    onSent();
    answer(body, request, response);
  };
}
