/**
 * Passages as a company's handbook has them (`test/fixtures/handbook/NAME.md`), with honest sentences over each: what a careful writer makes
 * of it, one a line (`NAME.honest.txt`).
 */
import { readFileSync } from 'node:fs';
import type { Language } from '../../src/language/languages.ts';
import { readFrontMatter } from '../../src/markdown/front-matter.ts';

export interface HandbookPassage {
  readonly language: Language;
  readonly title: string;
  readonly text: string;
  readonly honest: string;
}

const names = [
  ...(['refunds', 'plans', 'support', 'sla', 'security', 'leave', 'api', 'calls', 'expenses', 'office', 'privacy', 'release'] as const),
  ...(['german', 'french', 'spanish', 'japanese', 'chinese'] as const),
];
type Name = (typeof names)[number];

const fixture = (file: string) => readFileSync(new URL(`../fixtures/handbook/${file}`, import.meta.url), 'utf8').trimEnd();

function passageOf(name: Name): HandbookPassage {
  const stored = fixture(`${name}.md`);
  const { attributes, bodyStart } = readFrontMatter(stored);
  const { title, language } = attributes as { title: string; language: Language };
  return { language, title, text: stored.slice(bodyStart), honest: fixture(`${name}.honest.txt`) };
}

const each = <Value>(read: (name: Name) => Value) => Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, Value>;

export const handbook = each(passageOf);

/**
 * Near-true lies over the handbook: each is a true sentence with one thing changed. A line is `kind: sentence`; a line that begins with
 * `~` is a lie that no rule here can see. `clause`: the passage says so of another part of its sentence, or of the sentence beside it.
 */
export const lies = each((name) => fixture(`${name}.lies.txt`));
