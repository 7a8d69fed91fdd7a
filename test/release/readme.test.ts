/**
 * Runs every command of README.md and docs/clients.md from top to bottom in a fresh copy of the
 * project.
 */
import { expect, it } from 'vitest';
import {
  freshCopy,
  gitStatus,
  npmStart,
  runSteps,
  steady,
  stepsOf,
} from '../support/documented-steps.ts';
import { freePort } from '../support/postgres.ts';
import { read } from '../support/repository.ts';

/** A status of 400 or more ends the script. */
const failing = 'curl() { command curl --fail "$@"; }';
const pages = ['README.md', 'docs/clients.md'];

it('every command of README.md (twice) and clients.md prints its documented output and leaves no changes', async () => {
  const folder = await freshCopy();
  const perPage = pages.map((page) => stepsOf(read(page)));
  for (const steps of perPage)
    expect(steps.filter(({ shown }) => shown !== undefined).length).toBeGreaterThanOrEqual(2);
  for (const steps of [perPage.flat(), perPage[0] ?? []]) {
    const port = await freePort();
    const stop = await npmStart(folder, port);
    const replaced = { 'localhost:4111': `127.0.0.1:${port}` };
    const [, ...outputs] = await runSteps([{ commands: failing, shown: undefined }, ...steps], {
      folder,
      replaced,
    });
    await stop();
    for (const [index, { commands, shown }] of steps.entries()) {
      if (shown !== undefined)
        expect(steady(outputs[index] ?? ''), commands).toEqual(steady(shown));
    }
    expect(await gitStatus(folder)).toBe('');
  }
});
