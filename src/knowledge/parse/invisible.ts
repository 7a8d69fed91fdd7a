/**
 * Characters that nobody sees: controls, zero-width and direction marks, tags. Text hides instructions in them and words break on them.
 * Joiners stay where a script or an emoji needs them.
 */

/** Every character below, to leave most texts alone with one look. */
const suspicious =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufdd0-\ufddf\ufff9-\ufffb\udb40\ufffe\uffff]/;
const lineSeparator = /\u2028|\u2029/g;
const neverSeen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufdd0-\ufddf\ufff9-\ufffb\ufffe\uffff]|[\u{e0000}-\u{e007f}]/gu;
/** Between Latin letters a joiner joins nothing. */
const joiner = /[\u200c\u200d]/g;
const joined = /\p{M}|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f|(?!\p{Script=Latin})\p{L}/u;

const characterBefore = (text: string, at: number) => {
  const unit = text.charCodeAt(at - 1);
  return text.slice(unit >= 0xdc00 && unit <= 0xdfff ? at - 2 : at - 1, at);
};

/** The same text for a reader. */
export function withoutInvisible(text: string): string {
  if (!suspicious.test(text)) return text;
  return text
    .replace(lineSeparator, '\n')
    .replace(neverSeen, '')
    .replace(joiner, (mark, at: number, whole: string) => {
      const after = String.fromCodePoint(whole.codePointAt(at + 1) ?? 32);
      return at > 0 && joined.test(characterBefore(whole, at)) && joined.test(after) ? mark : '';
    });
}
