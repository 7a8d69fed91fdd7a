import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const seed = 'test/support/seed.ts';
const buildPage = 'test/support/build-page.ts';

/**
 * Five projects by folder. `pure` and `laws` use no process and no socket (checked by
 * `test/support/no-io.ts`), so the files of a worker share their modules; `laws` runs over many
 * generated or hostile inputs, so the fast run skips it. `service`: the app in this process, with
 * servers on loopback. `process`: commands, servers, parsers and the page's browser as child
 * processes. `loop` runs last and without the others, because other load would block the event loop
 * that it measures. The others mostly wait: three workers run on two cores. Timeouts only stop
 * hanging tests; a busy machine must not reach them.
 */
/** Examples import a package by its name, and run here from its sources. */
const alias = [
  {
    find: /^@knowledge-agent\/(\w+)$/,
    replacement: `${import.meta.dirname}/packages/$1/src/index.ts`,
  },
  {
    find: /^@knowledge-agent\/(\w+)\/([\w-]+)$/,
    replacement: `${import.meta.dirname}/packages/$1/src/$2.ts`,
  },
];

const project = (name: string, folders: readonly string[], more: object = {}) => ({
  resolve: { alias },
  test: {
    name,
    include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 120_000 } },
    ...more,
  },
});

const blockedLoop = 'test/e2e/blocked-loop.test.ts';

export default defineConfig({
  test: {
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    globalSetup: 'scripts/client-types.ts',
    projects: [
      project('pure', ['unit'], { isolate: false, setupFiles: [seed, 'test/support/no-io.ts'] }),
      project('laws', ['property'], {
        isolate: false,
        setupFiles: [seed, 'test/support/no-io.ts'],
      }),
      project('service', ['contract', 'packages/{calls,client,grounding,mastra}'], {
        isolate: false,
        setupFiles: [seed],
        globalSetup: buildPage,
      }),
      project('process', ['e2e', 'packages/{converters,installed}'], {
        exclude: [blockedLoop],
        isolate: false,
        setupFiles: [seed],
        globalSetup: [buildPage, 'test/support/report-missing-browser.ts'],
      }),
      project('loop', [], {
        include: [blockedLoop],
        maxWorkers: 1,
        sequence: { groupOrder: 1 },
        setupFiles: [seed],
      }),
    ],
  },
});
