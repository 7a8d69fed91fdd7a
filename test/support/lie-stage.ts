/** Runs the service with a lying provider: one lie per reply, as `generate` and as a stream. */
import { generated, problemsOf, type ReceivedAnswer, streamed } from './answer-contract.ts';
import type { FakeProvider } from './fake-provider.ts';
import { type Honest, honestOf, says } from './honest.ts';
import type { Lie } from './model-lies.ts';
import { handbook, type Topic, topics } from './staged-handbook.ts';
import { sharedModel, type TestService } from './workspace.ts';

export const places = ['before', 'behind', 'between'] as const;
type AskMethod = typeof generated;
export const bothMethods: readonly AskMethod[] = [generated, streamed];
const pieceSizes = [1, 7, 1_000];

export type Stage = Readonly<{
  provider: FakeProvider;
  service: TestService;
  /** Texts that no caller may read. */
  secrets: readonly string[];
}>;

/**
 * Shared within a file. model-fails.test.ts tests the effect of a broken reply on the next
 * question.
 */
export async function sharedStage(): Promise<Stage> {
  const { provider, service } = await sharedModel({}, handbook);
  return {
    provider,
    service,
    secrets: ['sk-server-secret', provider.baseUrl.slice('http://'.length), service.folder],
  };
}

/** Results: problems, lost honest sentences, and the number of honest ones. */
export interface Counted {
  readonly problems: string[];
  readonly lost: string[];
  honest: number;
}

export const nothingCounted = (): Counted => ({ problems: [], lost: [], honest: 0 });

const flat = (text: string) => text.replace(/\s+/g, ' ');
export const isKept = ({ text }: ReceivedAnswer, { kept }: Pick<Honest, 'kept'>) =>
  flat(text.split('\n\nSources:')[0] ?? '').includes(kept);

/** Sent content without passages and citations. */
export const sentBy = ({ text, body, raw }: ReceivedAnswer): string =>
  body ? JSON.stringify({ ...body, text, toolResults: [], citations: [] }) : raw;

export const isSent = (sendLie: string | RegExp, received: ReceivedAnswer): boolean =>
  typeof sendLie === 'string'
    ? sendLie !== '' && sentBy(received).includes(sendLie)
    : sendLie.test(received.text);

/** @param order index of the lie in its family; selects topic, honest sentences and piece size */
export async function sendLie(
  stage: Stage,
  lie: Lie,
  order: number,
  place: (typeof places)[number],
  counted: Counted,
  methods: readonly AskMethod[] = bothMethods,
): Promise<void> {
  const { provider, service, secrets } = stage;
  const topic: Topic =
    topics.find(({ name }) => name === lie.topic) ?? topics[order % topics.length]!;
  const honest = honestOf(topic);
  const turn = order * places.length + places.indexOf(place);
  const beside = (place === 'between' ? [turn, turn + 1] : [turn]).map(
    (at) => honest[at % honest.length]!,
  );
  const [first = '', ...others] = beside.map(({ say }) => say);
  const texts: string[] = [];
  for (const ask of methods) {
    let lieText = '';
    says(
      provider,
      topic,
      topic.sentences.at(-1)!,
      (scene) => {
        lieText = typeof lie.say === 'string' ? lie.say : lie.say(scene);
        return place === 'before' ? [lieText, first] : [first, lieText, ...others];
      },
      pieceSizes[turn % pieceSizes.length]!,
    );
    const received = await ask(service, topic.question);
    const at = `${topic.name}, ${lie.name}, ${place}, ${ask.name}`;
    for (const problem of await problemsOf(received, service, provider.requests.at(-1), secrets))
      counted.problems.push(`${at}: ${problem}`);
    for (const one of lie.tells ?? [lieText.replaceAll(/\s*\[@\]/g, '')])
      if (isSent(one, received)) counted.problems.push(`${at}: ${one} was sent: ${received.text}`);
    counted.honest += beside.length;
    for (const one of beside)
      if (!isKept(received, one)) counted.lost.push(`${at}: ${one.say} -> ${received.text}`);
    texts.push(received.text);
  }
  if (texts.length > 1 && texts[0] !== texts[1])
    counted.problems.push(`${lie.name}, ${place}: generated ${texts[0]}\nstreamed ${texts[1]}`);
}
