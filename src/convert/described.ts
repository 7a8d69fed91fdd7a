/** What a file says of itself, where a person could have meant it: its title, its language, the day of its last change. */
import { withoutInvisible } from '../language/invisible.ts';

/** In characters. */
const longestTitle = 200;
/** Names that programs and people give to what they have not named. */
const placeholder =
  /^(?:microsoft (?:word|powerpoint|excel|office)|(?:untitled|(?:word )?document|dokument|presentation|slide|layout|book|print|scan|new|title|titel|template)\s*[\d\W]*$|about:blank|https?:|file:|\(anonymous\)|unspecified|no title)|\.(?:docx?|dotx?|pdf|tex|rtf|odt|pptx?|xlsx?|indd|qxd|html?|md|txt|dvi|ps|pages)$/i;

/** Letters and figures alone, for comparison. */
export const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** A title that a person could have written. */
export function statedTitle(title: string | undefined): string | undefined {
  const text = withoutInvisible(title ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  const isMeant = text.length <= longestTitle && !placeholder.test(text) && !/[\\\ufffd]/.test(text);
  return isMeant && text !== '' ? text : undefined;
}

/** Of Markdown, as a title. */
export const firstHeadingText = (markdown: string): string | undefined =>
  /^#{1,6} (.+)$/m
    .exec(markdown)?.[1]
    ?.replace(/[*`\\]/g, '')
    .slice(0, longestTitle);

/** BCP 47. */
export function languageTag(language: string | undefined): string | undefined {
  const tag = language?.trim().replaceAll('_', '-') ?? '';
  try {
    return /^[a-z]{2,3}(?:-[a-z\d]{2,8})*$/i.test(tag) ? Intl.getCanonicalLocales(tag)[0] : undefined;
  } catch {
    return undefined;
  }
}

/** ISO 8601 of a time; undefined for a day that is none. */
export function statedTime(time: string | undefined): string | undefined {
  const date = new Date(time?.trim() ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
