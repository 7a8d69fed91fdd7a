/**
 * Invisible characters, by Unicode property (UAX 44): controls, zero-width and bidi marks, tags,
 * fillers, variation selectors. They can hide instructions, reorder words or split them. Kept:
 * joiners in Arabic and Indic words, and parts of emoji sequences (UTS 51).
 */

import { pattern } from './pattern.ts';

export type Span = Readonly<{ start: number; end: number }>;
export const spanOf = ({ 0: found, index }: RegExpExecArray): Span => ({
  start: index,
  end: index + found.length,
});

/** Visible ASCII, tabs and line ends: a fast path for most texts. */
const plain = /^[\t\n\r -~]*$/;

/** Flags of England, Scotland and Wales: a black flag and these tags. Others are not in use. */
const flagTags = pattern`
  \u{E0067}\u{E0062}
  (?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})
  \u{E007F}
`;
/** Characters that some scripts and emoji need. */
const selective = String.raw`\u200C\u200D\uFE0E\uFE0F\u180B-\u180F`;
/** Visible format characters: number signs, the abbreviation mark of Syriac. */
const shown = String.raw`\u{600}-\u{605}\u{6DD}\u{70F}\u{890}\u{891}\u{8E2}\u{110BD}\u{110CD}`;
const unseen = pattern`
  [\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\p{Noncharacter_Code_Point}]
`;
/**
 * A stroke over a letter or figure hides it; over a symbol it is part of the symbol (`=` becomes
 * `≠`).
 */
const overlay = String.raw`(?<!\p{S})[\u0334-\u0338\u20D2\u20D3\u20D8-\u20DA\u20E5\u20E6\u20EA\u20EB]`;
const invisible = new RegExp(
  `${flagTags}|[${selective}]|${overlay}|[${unseen}--[\\t\\n\\r${selective}${shown}]]+`,
  'gv',
);

const pictograph = String.raw`[\p{Extended_Pictographic}&&\p{Emoji}]`;
/** A letter or mark of a script that is written with joiners. */
const joining = pattern`
  [[[\p{L}\p{M}]&&[
    \p{scx=Arab}\p{scx=Syrc}\p{scx=Mand}\p{scx=Nkoo}\p{scx=Adlm}\p{scx=Rohg}\p{scx=Mong}
    \p{scx=Phag}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}
    \p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}
    \p{scx=Java}\p{scx=Bali}
  ]]--[\p{Default_Ignorable_Code_Point}\p{scx=Latn}]]
`;
/** Viramas: with a joiner they change the form of a consonant, also at the end of a word. */
const virama = String.raw`[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]`;

const endsWith = (pattern: string) => new RegExp(`(?:${pattern})$`, 'v');
const startsWith = (pattern: string) => new RegExp(`^${pattern}`, 'v');
const pictographBefore = endsWith(pictograph);
const emojiBefore = endsWith(String.raw`${pictograph}\uFE0F?|\p{Emoji_Modifier}`);
const pictographAfter = startsWith(pictograph);
const letterBefore = endsWith(joining);
const letterAfter = startsWith(joining);
const isFlag = new RegExp(`^${flagTags}$`, 'v');
const viramaBefore = endsWith(virama);
const mongolianBefore = endsWith(String.raw`[\p{Script=Mongolian}&&\p{L}]`);
/** UTF-16 units of context: a pictograph and its variation selector. */
const contextChars = 3;

function isNeeded(text: string, start: number, mark: string) {
  const before = text.slice(Math.max(0, start - contextChars), start);
  const after = text.slice(start + mark.length, start + mark.length + contextChars);
  if (mark === '\u200C' || mark === '\u200D') {
    if (/^$|\p{ASCII}$/u.test(before)) return false;
    if (mark === '\u200D' && emojiBefore.test(before) && pictographAfter.test(after)) return true;
    return viramaBefore.test(before) || (letterBefore.test(before) && letterAfter.test(after));
  }
  if (mark === '\uFE0E') return pictographBefore.test(before);
  if (mark === '\uFE0F')
    return pictographBefore.test(before) || (after.startsWith('\u20E3') && /[0-9#*]$/.test(before));
  if (/^[\u180B-\u180F]/.test(mark)) return mongolianBefore.test(before);
  return before.endsWith('\u{1F3F4}') && isFlag.test(mark);
}

/**
 * Ranges of invisible characters, ordered, not overlapping, in linear time. Removing them is
 * idempotent.
 */
export function* invisibleSpans(text: string): Generator<Span> {
  if (plain.test(text)) return;
  for (const match of text.matchAll(invisible))
    if (!isNeeded(text, match.index, match[0])) yield spanOf(match);
}

const replaceInvisible = (text: string, replace: (mark: string) => string) =>
  plain.test(text)
    ? text
    : text.replace(invisible, (mark, index: number) =>
        isNeeded(text, index, mark) ? mark : replace(mark),
      );

/** Line ends that Markdown does not recognize. */
const otherLineEnd = /[\v\f\x85\u2028\u2029]/g;

/** Removes invisible characters and halves of characters, and normalizes line ends. */
export const withoutInvisible = (text: string) =>
  plain.test(text)
    ? text
    : replaceInvisible(text.replace(otherLineEnd, '\n'), () => '').toWellFormed();

/** Text as one line that is safe for a terminal or a table. */
export const shownLine = (text: string) => replaceInvisible(text, () => ' ').replace(/\s+/g, ' ');

/** Untrusted text as one line without invisible characters, cut to a length. */
export const plainLine = (text: string, maxChars: number) =>
  withoutInvisible(text)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxChars)
    // A lone surrogate at the cut.
    .replace(/[\uD800-\uDBFF]$/, '');

/** JSON with invisible characters escaped. */
export const shownJson = (value: unknown) =>
  replaceInvisible(JSON.stringify(value, undefined, 2), (mark) =>
    Array.from(
      { length: mark.length },
      (_, at) => `\\u${mark.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );

/** Whether a single character is invisible, regardless of context. */
export const isInvisible = (character: string) =>
  !plain.test(character) && character.replace(invisible, '') === '';
