/** Honest sentences as a model writes them, and replies that mix them with other text. */
import { type FakeProvider, lastText, type ProviderRequest } from './fake-provider.ts';
import type { Scene } from './model-lies.ts';
import { inPieces } from './provider-wire.ts';
import type { Topic } from './staged-handbook.ts';

export type Honest = Readonly<{
  /** `[@]` stands for the passage number. */
  say: string;
  /** Text that the answer must contain. */
  kept: string;
  isBlock: boolean;
}>;

/**
 * Every sentence with its citation after the full stop, before it, and without one; also items and
 * rows.
 */
export function honestOf({ sentences, items = [], rows = [] }: Topic): Honest[] {
  const of = (kept: string, isBlock: boolean, ...said: readonly string[]) =>
    said.map((say) => ({ say, kept, isBlock }));
  return [
    ...sentences.flatMap((sentence) => {
      const [stop = '.'] = /[.。]$/.exec(sentence) ?? [];
      const kept = sentence.slice(0, -stop.length);
      return of(kept, false, `${sentence} [@]`, `${kept} [@]${stop}`, sentence);
    }),
    ...items.flatMap((item) => of(item, true, `- ${item} [@]`, `* ${item}`)),
    ...rows.flatMap((row) => of(row.slice(0, -2), true, `${row.slice(0, -1)}[@] |`, `${row} [@]`)),
  ];
}

const isProse = (piece: string) => !/^\s*[|>*#`{<!$[-]|^\s*&|\n/.test(piece);

/** Joins prose with a space and everything else as separate paragraphs. */
export const joined = (pieces: readonly string[]): string =>
  pieces
    .map(
      (piece, order) =>
        `${order === 0 ? '' : isProse(piece) && isProse(pieces[order - 1]!) ? ' ' : '\n\n'}${piece}`,
    )
    .join('');

/**
 * Parts of the request that a model knows: instructions, last message, and the passage with the
 * topic's fact.
 */
export function sceneOf(request: ProviderRequest, topic: Topic, truth: string): Scene {
  const prompt = lastText(request);
  const boundary = /<<<(\S+)/.exec(prompt)?.[1] ?? '';
  const passages = prompt.split(`<<<${boundary} [`).slice(1);
  const at = passages.findIndex((passage) => passage.includes(topic.fact));
  const system = request.body.messages.find(({ role }) => role === 'system')?.content;
  return {
    topic,
    truth,
    own: at + 1,
    prompt,
    boundary,
    system: typeof system === 'string' ? system : '',
  };
}

/** Makes the model reply with these pieces; streams `size` characters at a time. */
export function says(
  provider: FakeProvider,
  topic: Topic,
  truth: string,
  pieces: (scene: Scene) => readonly string[],
  size: number,
): void {
  provider.reply((request, response) => {
    const scene = sceneOf(request, topic, truth);
    const text = joined(pieces(scene)).replaceAll('[@]', `[${scene.own}]`);
    return inPieces(text, text.length > 20_000 ? 5_000 : size)(request, response);
  });
}
