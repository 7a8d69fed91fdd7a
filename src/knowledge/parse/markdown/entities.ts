/**
 * HTML character references → characters, where they stand for one character of text. `&lt;div&gt;` in Markdown is a tag that is talked
 * about: it becomes a code span, because as plain characters it would be markup again.
 */
const latin1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';
const characters = new Map<string, string>([
  ...latin1.split(' ').map((name, index) => [name, String.fromCodePoint(160 + index)] as const),
  ['nbsp', ' '],
  ['shy', ''],
  ['ensp', ' '],
  ['emsp', ' '],
  ['thinsp', ' '],
  ['zwj', ''],
  ['zwnj', ''],
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['hellip', '…'],
  ['mdash', '—'],
  ['ndash', '–'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['sbquo', '‚'],
  ['ldquo', '“'],
  ['rdquo', '”'],
  ['bdquo', '„'],
  ['bull', '•'],
  ['euro', '€'],
  ['trade', '™'],
  ['rarr', '→'],
  ['larr', '←'],
  ['uarr', '↑'],
  ['darr', '↓'],
  ['harr', '↔'],
  ['le', '≤'],
  ['ge', '≥'],
  ['ne', '≠'],
  ['minus', '−'],
  ['infin', '∞'],
  ['check', '✓'],
  ['oelig', 'œ'],
  ['OElig', 'Œ'],
  ['lbrace', '{'],
  ['rbrace', '}'],
  ['lcub', '{'],
  ['rcub', '}'],
]);

const reference = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z][a-z0-9]{1,9}));/gi;
const tagTalkedAbout = /&lt;(\/?[a-z][^&<>`\n]{0,200}?)&gt;/gi;
/** As plain characters these would be Markdown. */
const isMarkup = /[\\`*_[\]<|~#]/;

function characterOf(hex: string | undefined, decimal: string | undefined, name: string | undefined): string | undefined {
  if (name !== undefined) return characters.get(name);
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  if (code === 160) return ' ';
  return code < 32 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff
    ? undefined
    : String.fromCodePoint(code);
}

/** For text that is written as code or data afterwards: every reference that is known. */
export const decodeAll = (text: string): string =>
  text.includes('&') ? text.replace(reference, (whole, hex, decimal, name) => characterOf(hex, decimal, name) ?? whole) : text;

/** For prose of a Markdown document; what would read differently afterwards stays as it is written. */
export const decodeInProse = (text: string): string =>
  text.includes('&')
    ? text
        .replace(tagTalkedAbout, (_, tag: string) => `\`<${decodeAll(tag)}>\``)
        .replace(reference, (whole, hex, decimal, name, at: number, all: string) => {
          if (/(?<!\\)(?:\\\\)*\\$/.test(all.slice(Math.max(0, at - 20), at))) return whole;
          const character = characterOf(hex, decimal, name);
          const after = all.slice(at + whole.length, at + whole.length + 12);
          if (character === undefined) return whole;
          if (character === '&') return /^#?[a-z0-9]{1,10};/i.test(after) ? whole : '&';
          if (character === '<') return /^[a-z/!?]/i.test(after) ? '\\<' : '<';
          if (character === '>') return all.slice(0, at).trim() === '' ? '\\>' : '>';
          return isMarkup.test(character) ? `\\${character}` : character;
        })
    : text;
