import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * Six projects by folder. `pure` and `laws` use no process and no socket (checked by
 * `test/support/no-io.ts`); `laws` runs over many generated or hostile inputs. `service`: the app
 * in this process, with servers on loopback. `process`: commands, servers, parsers and the page's
 * browser as child processes. `loop` runs last and without the others, because other load would
 * block the event loop that it measures. `release` packs, installs, kills, fills disks and fuzzes:
 * `npm test` leaves it out. The files of a worker share their modules. Timeouts only stop hanging
 * tests; a busy machine must not reach them.
 */
const seed = 'test/support/seed.ts';
const buildPage = 'test/support/build-page.ts';
const noIo = 'test/support/no-io.ts';
const browser = 'test/support/report-missing-browser.ts';

const project = (name: string, folders: readonly string[], more: object = {}) => ({
  test: {
    name,
    include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
    isolate: false,
    // Node loads the sources itself, like in production: a transformation costs CPU in each run.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    setupFiles: [seed],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 120_000 } },
    ...more,
  },
});

export default defineConfig({
  test: {
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    reporters: ['./test/support/report-times.ts', 'default'],
    globalSetup: 'scripts/client-types.ts',
    projects: [
      project('pure', ['unit'], { setupFiles: [seed, noIo] }),
      project('laws', ['property'], { setupFiles: [seed, noIo] }),
      project('service', ['contract', 'packages/{calls,client,grounding,mastra}'], {
        globalSetup: buildPage,
      }),
      project('process', ['e2e', 'packages/converters'], {
        globalSetup: [buildPage, browser],
      }),
      project('loop', ['loop'], {
        isolate: true,
        maxWorkers: 1,
        // Load of other programs slows one try; a lasting block fails each.
        retry: 2,
        sequence: { groupOrder: 1 },
      }),
      project('release', ['release'], {
        hookTimeout: 1_800_000,
        globalSetup: ['test/release/require-packages.ts', buildPage, browser],
      }),
    ],
  },
});
