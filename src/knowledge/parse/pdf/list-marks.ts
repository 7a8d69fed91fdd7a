/** The marks that list items begin with, and whether a line that begins with one begins an item. */
import type { Line } from './style.ts';

export interface Mark {
  /** As Markdown writes it. */
  readonly markdown: string;
  readonly rest: string;
  readonly kind: 'bullet' | 'dash' | 'number' | 'letter';
  /** Of a numbered item. */
  readonly value: number | undefined;
}

const bullet = /^([•◦▪▫■□●○◆◇►▸▶➢➤✓✔‣⁃∙·])\s*(?=\S)/u;
const dash = /^([-–—*o])\s+(?=\S)/;
const number = /^(?:(\d{1,3})([.)])|\((\d{1,3})\))\s+(?=\S)/;
const letter = /^(\(?(?:[a-z]|[ivx]{2,5}|[A-Z])[.)])\s+(?=\S)/;
/** A gap this wide after a mark is set for hanging text, in sizes of type. */
const hangingGap = 0.45;

export function markOf({ text, markGap, size }: Line): Mark | undefined {
  const rest = (match: RegExpExecArray) => text.slice(match[0].length);
  const isHanging = markGap > size * hangingGap;
  const bulleted = bullet.exec(text);
  if (bulleted) return { markdown: '-', rest: rest(bulleted), kind: 'bullet', value: undefined };
  const dashed = dash.exec(text);
  if (dashed) return dashed[1] === 'o' && !isHanging ? undefined : { markdown: '-', rest: rest(dashed), kind: 'dash', value: undefined };
  const numbered = number.exec(text);
  if (numbered) {
    const value = Number(numbered[1] ?? numbered[3]);
    return { markdown: `${value}${numbered[2] ?? ')'}`, rest: rest(numbered), kind: 'number', value };
  }
  const lettered = letter.exec(text);
  // `A. Smith` is a name unless the text hangs.
  if (!lettered || (/^[A-Z]\./.test(text) && !isHanging)) return undefined;
  return { markdown: '-', rest: `${lettered[1]} ${rest(lettered)}`, kind: 'letter', value: undefined };
}

const endsSentence = /[.!?:;。！？][)"'”’\]]*$/;

/**
 * A dash or a figure may also stand at the beginning of a line by chance.
 * @param hasRoom whether the line above ends early
 * @param last the mark of the item above, if there is one
 */
export function beginsItem(mark: Mark, line: Line, above: Line | undefined, hasRoom: boolean, last: Mark | undefined): boolean {
  if (!above || mark.kind === 'bullet' || hasRoom || endsSentence.test(above.text)) return true;
  if (line.y - above.y > line.size * 1.75 || Math.abs(line.x0 - above.x0) > line.size * 0.8) return true;
  if (mark.kind === 'number') return last?.kind === 'number' && mark.value === (last.value ?? 0) + 1;
  return last?.kind === mark.kind;
}
