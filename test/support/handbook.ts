/**
 * Passages of a company handbook (`test/fixtures/handbook/NAME.md`) with honest sentences, one per
 * line (`NAME.honest.txt`).
 */
import type { Language } from '../../packages/shared/src/language/languages.ts';
import { readFrontMatter } from '../../packages/shared/src/markdown/front-matter.ts';
import { read } from './repository.ts';

export type HandbookPassage = Readonly<{
  language: Language;
  title: string;
  text: string;
  honest: string;
}>;

const names = [
  ...(['refunds', 'plans', 'support', 'sla', 'security', 'leave', 'api', 'calls'] as const),
  ...(['expenses', 'office', 'privacy', 'release'] as const),
  ...(['german', 'french', 'spanish', 'japanese', 'chinese'] as const),
];
type Name = (typeof names)[number];

const fixture = (file: string) => read(`test/fixtures/handbook/${file}`).trimEnd();

function passageOf(name: Name): HandbookPassage {
  const stored = fixture(`${name}.md`);
  const { attributes, bodyStart } = readFrontMatter(stored);
  const { title, language } = attributes as { title: string; language: Language };
  return { language, title, text: stored.slice(bodyStart), honest: fixture(`${name}.honest.txt`) };
}

const each = <Value>(read: (name: Name) => Value) =>
  Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, Value>;

export const handbook = each(passageOf);

/**
 * Near-true lies about the handbook: true sentences with one change. Format: `kind: sentence`; `~`
 * marks a lie that no rule detects. `clause`: the passage states it about another part of the
 * sentence, or about the next sentence.
 */
export const lies = each((name) => fixture(`${name}.lies.txt`));
