/**
 * Whether a whole chat message is a greeting, thanks, praise, a goodbye, an acknowledgement or a question about the bot itself, so that
 * nothing has to be searched. Strict: every word of the message must belong to a known phrase; one word more, a figure or
 * anything that looks like code makes it a question for the documents. Linear in the length of the message.
 */
import { smallTalkAsian } from './small-talk-asia.ts';
import { smallTalkGermanFrench } from './small-talk-de-fr.ts';
import { smallTalkEnglish } from './small-talk-en.ts';
import { smallTalkSouthern } from './small-talk-es-it-pt.ts';
import { smallTalkFillers } from './small-talk-fillers.ts';
import { smallTalkDutchRussian } from './small-talk-nl-ru.ts';

/** One word further in a phrase. */
interface Step {
  readonly next: Map<string, Step>;
  /** A phrase that ends here is small talk by itself, or only stands beside it. */
  end?: 'phrase' | 'filler';
}

const emoticon = /(?<!\S)(?:[:;=8xX]['’]?-?[()DPpOo3|*/\\]+|<3+|\^_*\^|-_+-|[xX]D+|¯\\_\(ツ\)_\/¯|\+1|\(y\))(?!\p{L})/gu;
const pictograph = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
const mention = /(?<!\S)@[\p{L}\p{N}_.-]+(?![\p{L}\p{N}_/.-])/gu;
/** Figures, code, paths, options, addresses: nobody greets with them. */
const content = /[\p{N}`{}[\]<>=\\#$%|/+]|\p{L}[(_:]\p{L}|\p{L}\(|-{2}\p{L}|\p{L}@\p{L}/u;
const apostrophes = /['’‘`´]/g;
const accents = /[\u0300-\u036f]/g;
/** One character of a script that writes no spaces (Korean writes them as it likes), or a word of another. */
const token = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]|(?:(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}])[\p{L}\p{M}])+/gu;
/** `thaaanks`, `hiii`, `byee`. */
const drawnOut = /(\p{L})\1{2,}|(\p{L})\2$/u;
const repeats = /(\p{L})\1+/gu;

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(accents, '')
    .normalize('NFKC')
    .replaceAll('ß', 'ss')
    .replace(apostrophes, '')
    .replace(/[ー〜～~]/g, '');

const tokensOf = (folded: string): string[] => folded.match(token) ?? [];
const squeeze = (word: string): string => word.replace(repeats, '$1');

interface Phrases {
  readonly root: Step;
  /** Every word of a phrase, by itself and by what is left of it without repeated letters. */
  readonly words: ReadonlySet<string>;
  readonly squeezed: ReadonlyMap<string, string>;
}

/** The step behind a choice of words; a script without spaces takes one step per character. */
function walk(from: Step, choice: readonly string[]): Step {
  let step = from;
  for (const word of choice) {
    let next = step.next.get(word);
    if (next === undefined) {
      next = { next: new Map() };
      step.next.set(word, next);
    }
    step = next;
  }
  return step;
}

function learn(lists: ReadonlyArray<readonly [list: string, end: 'phrase' | 'filler']>): Phrases {
  const root: Step = { next: new Map() };
  const squeezed = new Map<string, string>();
  const words = new Set<string>();
  for (const [list, end] of lists) {
    for (const pattern of list.trim().split('\n')) {
      let ends = new Set([root]);
      for (const part of pattern.split(' ')) {
        const choices = part
          .replace(/\?$/, '')
          .split('|')
          .map((choice) => tokensOf(fold(choice)));
        const next = part.endsWith('?') ? new Set(ends) : new Set<Step>();
        for (const from of ends) for (const choice of choices) next.add(walk(from, choice));
        for (const word of choices.flat()) words.add(word);
        ends = next;
      }
      for (const step of ends) if (step !== root) step.end ??= end;
    }
  }
  for (const word of words) if (!squeezed.has(squeeze(word))) squeezed.set(squeeze(word), word);
  return { root, words, squeezed };
}

let learnt: Phrases | undefined;
const phrases = (): Phrases => {
  learnt ??= learn([
    [smallTalkEnglish, 'phrase'],
    [smallTalkGermanFrench, 'phrase'],
    [smallTalkSouthern, 'phrase'],
    [smallTalkDutchRussian, 'phrase'],
    [smallTalkAsian, 'phrase'],
    [smallTalkFillers, 'filler'],
  ]);
  return learnt;
};

/** Whether the words can be cut into known phrases, one of them at least no mere filler. */
function consistsOfPhrases(words: readonly string[], root: Step): boolean {
  // What reaches each place: nothing (0), fillers only (1), a phrase (2).
  const reached = new Uint8Array(words.length + 1);
  reached[0] = 1;
  let furthest = 0;
  for (let at = 0; at < words.length; at++) {
    if (at > furthest) return false;
    const before = reached[at] ?? 0;
    if (before === 0) continue;
    let step: Step | undefined = root;
    for (let end = at; end < words.length; end++) {
      step = step.next.get(words[end] ?? '');
      if (step === undefined) break;
      if (step.end === undefined) continue;
      furthest = Math.max(furthest, end + 1);
      reached[end + 1] = Math.max(reached[end + 1] ?? 0, step.end === 'phrase' ? 2 : before);
    }
  }
  return reached[words.length] === 2;
}

export function isSmallTalk(message: string): boolean {
  const plain = message.replace(emoticon, ' ');
  const text = plain.replace(mention, ' ');
  if (content.test(text)) return false;
  const { root, words, squeezed } = phrases();
  const said: string[] = [];
  for (const word of tokensOf(fold(text))) {
    const known = words.has(word) ? word : drawnOut.test(word) ? squeezed.get(squeeze(word)) : undefined;
    if (known === undefined) return false;
    said.push(known);
  }
  if (said.length === 0) return plain !== message || pictograph.test(message);
  return consistsOfPhrases(said, root);
}
