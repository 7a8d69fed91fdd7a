/**
 * Mocks the global `fetch` with msw, without sockets. Broken connections and endless bodies need a
 * real server.
 */
import { http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll } from 'vitest';

/** @param number number of earlier requests */
type Answer = (request: Request, number: number) => Response | Promise<Response>;

/**
 * Mocks HTTP for the `describe` or the file that calls it. Requests to other addresses fail.
 * @returns a function that sets the answer until the test ends and returns the requests in order
 */
export function mockHttp(baseUrl: string): (answer: Answer) => readonly Request[] {
  const server = setupServer();
  beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
  afterEach(() => server.resetHandlers());
  afterAll(() => server.close());
  return (answer) => {
    const requests: Request[] = [];
    server.use(
      http.all(`${baseUrl}/*`, ({ request }) =>
        answer(request.clone(), requests.push(request) - 1),
      ),
    );
    return requests;
  };
}
