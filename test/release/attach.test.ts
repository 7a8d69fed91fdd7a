/**
 * Runs docs/attach.md from top to bottom in a fresh copy of the project, and chats as both
 * providers of the platform would.
 */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import {
  type PastedAgent,
  sayByAgUi,
  sayByMastra,
  startChatPlatform,
} from '../support/chat-platform.ts';
import {
  type DocumentedStep,
  freshCopy,
  gitStatus,
  npmStart,
  runSteps,
  stepsOf,
  withReplaced,
} from '../support/documented-steps.ts';
import { freePort } from '../support/postgres.ts';
import { read } from '../support/repository.ts';

const [, tenSteps = '', botSteps = '', mastraSteps = ''] =
  /^## Ten steps$(.*)^## Ten steps to a group$(.*)^## With the Mastra provider$(.*?)^## /ms.exec(
    read('docs/attach.md'),
  ) ?? [];
const [beforeStart = '', afterStart = ''] = tenSteps.split(/^### 6\./m);
const [beforeBot = '', afterBot = ''] = botSteps.split(/^6\. /m);
const [beforeRestart = '', afterRestart = ''] = mastraSteps.split(/^Restart the server/m);
const restKey = 'rest-api-key-1';

/** Masks ids, dates and secrets, which differ from run to run. */
const masked = (text: string) =>
  text
    .replaceAll(/ka_[\w-]{43}/g, 'ka_…')
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'uid')
    .replaceAll(/\b[\da-f]{12}\b/g, 'id')
    .replaceAll(/\d{4}-\d\d-\d\d/g, 'date');

it('each step of docs/attach.md prints its documented output, and the providers are answered in their chats', async ({
  annotate,
}) => {
  const folder = await freshCopy();
  const port = await freePort();
  const platform = await startChatPlatform(restKey);
  const replaced = {
    'https://agent.example.com': `http://127.0.0.1:${port}`,
    'https://24a1b2c3.api-us.cometchat.io': platform.url,
    '--app-id 24a1b2c3 --region us': `--api-base ${platform.url}`,
    'CHAT_API_KEY=…': `CHAT_API_KEY=${restKey}`,
  };
  const settings: Record<string, string> = { PORT: String(port) };
  const runPart = async (steps: readonly DocumentedStep[]): Promise<string[]> => {
    const outputs = await runSteps(steps, { folder, replaced, settings });
    for (const [index, { commands, shown }] of steps.entries())
      if (shown !== undefined)
        expect(masked(outputs[index] ?? ''), commands).toBe(masked(withReplaced(shown, replaced)));
    return outputs;
  };

  const started = performance.now();
  await runPart(stepsOf(beforeStart));
  const stop = await npmStart(folder, port);
  const outputs = await runPart(stepsOf(afterStart));
  const printed = outputs.find((output) => output.includes('Bearer ka_')) ?? '';
  const [, deploymentUrl = ''] = /Deployment URL +(\S+)/.exec(printed) ?? [];
  const pasted: PastedAgent = {
    deploymentUrl,
    headers: JSON.parse(/Headers +(\{.*\})/.exec(printed)?.[1] ?? '{}'),
  };
  const [, question = '', answer = ''] = /^You: +(.*)\nAgent: +(.*)$/m.exec(afterStart) ?? [];
  expect(await sayByAgUi(pasted, question)).toContain(answer);
  await annotate(
    `The ten steps took ${((performance.now() - started) / 60_000).toFixed(2)} minutes, without npm ci.`,
  );
  expect(await sayByAgUi(pasted, `@agent ${question}`)).toContain(answer);
  await expect(sayByAgUi({ deploymentUrl, headers: {} }, question)).rejects.toThrow('401');

  const log = await stop();
  for (const line of /^```text\n(.*?)^```/ms
    .exec(beforeStart.split(/^### 5\./m)[1] ?? '')?.[1]
    ?.trim()
    .split('\n') ?? [''])
    expect(log).toContain(line);

  await runPart(stepsOf(beforeBot));
  // The steps after it run in the same terminal.
  settings['CHAT_API_KEY'] = restKey;
  // The stand-in of the platform has a private address.
  await appendFile(join(folder, '.env'), `ALLOWED_URL_HOSTS=${new URL(platform.url).host}\n`);
  const stopBot = await npmStart(folder, port);
  await runPart(stepsOf(afterBot));
  const [, asked = '', told = ''] = /^You: +(.*)\nAgent: +(.*)$/m.exec(afterBot) ?? [];
  expect(await platform.sayInGroup(question)).toBeUndefined();
  expect(await platform.sayInGroup(asked, { parentId: 77 })).toBe(200);
  const answersOf = (receiver: string) =>
    platform.messages.filter((message) => message['receiver'] === receiver);
  await vi.waitFor(() => expect(answersOf('support')).toHaveLength(1), 20_000);
  expect(answersOf('support')[0]).toMatchObject({ receiverType: 'group', parentId: 77 });
  expect(answersOf('support')[0]?.['data'].text.replaceAll('*', '')).toContain(told);
  const botLog = await stopBot();
  expect(botLog).not.toContain(String(platform.bots[0]?.['password']));

  await runPart(stepsOf(beforeRestart));
  const stopAgain = await npmStart(folder, port);
  await runPart(stepsOf(afterRestart));
  const [group, direct] = platform.entries;
  if (!group || !direct) throw new Error('expected two entries');
  expect(await sayByMastra(group, `@agent ${question}`)).toContain(answer);
  expect(await sayByMastra(direct, question)).toContain(answer);
  expect(await sayByMastra(group, question)).toBe('');
  for (const entry of [group, direct]) {
    const { suggestedMessages } = entry['metaData'];
    expect(suggestedMessages).toHaveLength(6);
    for (const suggested of suggestedMessages)
      expect(await sayByMastra(entry, suggested), suggested).toContain('[1]');
  }
  const outside = {
    ...direct,
    integrationMeta: { ...direct['integrationMeta'], baseUrl: `http://127.0.0.1:${port}` },
  };
  await expect(sayByMastra(outside, question)).rejects.toThrow('404');
  await stopAgain();
  expect(await gitStatus(folder)).toBe('');
});
