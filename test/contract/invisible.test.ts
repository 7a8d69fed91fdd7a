import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHtml } from '../../packages/converters/src/html/parse-html.ts';
import { parseMarkdown } from '../../packages/converters/src/markdown/parse-markdown.ts';
import { toPlainPassage } from '../../packages/grounding/src/plain-passage.ts';
import {
  invisibleSpans,
  shownJson,
  shownLine,
  withoutInvisible,
} from '../../packages/shared/src/language/invisible.ts';
import { cell } from '../../src/cli/terminal.ts';
import { createLogger } from '../../src/log.ts';
import { cases, sampled } from '../support/depth.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { startService } from '../support/workspace.ts';

/**
 * Derived from UAX 44, independently of the product: characters that are invisible in any context.
 */
const unseen =
  /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\p{Noncharacter_Code_Point}]/v;
const overlay = /[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb]/;
const mayShow = /[\t\n\r\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/v;
const everyCharacter = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code));
const everyUnseen = everyCharacter.filter(
  (character) => unseen.test(character) && !mayShow.test(character),
);

/** Invisible characters that Latin letters never need. */
const hidden = fc.constantFrom(...everyUnseen);
const word = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnop'),
  minLength: 2,
  maxLength: 8,
});
const mixed = fc.array(fc.tuple(word, fc.array(hidden, { maxLength: 6 })), {
  minLength: 1,
  maxLength: 8,
});
const withHidden = mixed.map((parts) =>
  parts.map(([letters, marks]) => letters[0] + marks.join('') + letters.slice(1)).join(' '),
);
/** Behind a black flag. */
const tagsOfEngland = '\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';
const anyText = fc
  .array(
    fc.oneof(
      hidden,
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        ...['👩', '🏽', '❤', '♂', '🏴', 'می', 'خ', 'क्', 'ष', 'a', '1', '\u20e3', ' ', '\n'],
        ...['\u200d', '\u200c', '\ufe0f', '\ufe0e', tagsOfEngland],
      ),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));
const nothingUnseen = (text: string) => [...invisibleSpans(text)].length === 0;
/** Invisible characters that may remain because a script or an emoji needs them. */
const selective =
  /^[\u200c\u200d\ufe0e\ufe0f\u180b-\u180f\u{e0062}\u{e0063}\u{e0065}\u{e0067}\u{e006c}\u{e006e}\u{e0073}\u{e0074}\u{e0077}\u{e007f}]$/v;

describe('a combining stroke', () => {
  it('is removed from a letter or digit', () => {
    expect(withoutInvisible('10\u0338 days, 1\u03360 seats, a\u0338b, x\u200b\u0338y')).toBe(
      '10 days, 10 seats, ab, xy',
    );
  });
  it('stays on a symbol that it changes', () => {
    expect(withoutInvisible('a =\u0338 b')).toBe('a =\u0338 b');
  });
});

describe('an invisible character', () => {
  it('is removed between letters, for every such character of Unicode', () => {
    const lineEnds = new Set(['\v', '\f', '\x85']);
    const remaining = everyUnseen.filter(
      (character) =>
        withoutInvisible(`a${character}b`) !== (lineEnds.has(character) ? 'a\nb' : 'ab'),
    );
    expect(remaining.map((character) => character.codePointAt(0)?.toString(16))).toEqual([]);
    expect(everyUnseen.length).toBeGreaterThan(4_000);
  });

  it('is the only kind of character that is removed', () => {
    const removed = sampled(everyCharacter, 100_000).filter(
      (one) =>
        !unseen.test(one) &&
        !overlay.test(one) &&
        !/[\u2028\u2029]/.test(one) &&
        withoutInvisible(`a${one}b`) !== `a${one}b`.toWellFormed(),
    );
    expect(removed).toEqual([]);
  });

  it('is removed in one pass, and the rest of the text stays unchanged', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = withoutInvisible(text);
        expect(withoutInvisible(shown)).toBe(shown);
        expect(nothingUnseen(shown)).toBe(true);
        for (const character of shown)
          if (unseen.test(character) && !mayShow.test(character))
            expect(character).toMatch(selective);
        let from = 0;
        for (const { start, end } of invisibleSpans(text)) {
          expect(start).toBeGreaterThanOrEqual(from);
          for (const character of text.slice(start, end)) expect(character).toMatch(unseen);
          from = end;
        }
      }),
      { numRuns: cases(50) },
    );
  });
});

describe('an invisible character that a script or an emoji needs', () => {
  it('stays in every common emoji of one or two pictographs', () => {
    const all = everyCharacter.filter((character) => /\p{Emoji}/v.test(character));
    const pictographs = sampled(all, 400);
    const tones = ['🏻', '🏽', '🏿'];
    const afterJoiner = ['♂️', '♀️', '⚕️', '✈️', '🚀', '🔥', '🌈', '🦯', '💻', '☠️', '⚧️', '👩', '❤️‍👨'];
    const candidates = pictographs.flatMap((one) => {
      const forms = [one, `${one}\ufe0f`, ...tones.map((tone) => one + tone), `${one}\ufe0f\u20e3`];
      return [
        ...forms,
        ...forms.flatMap((form) => afterJoiner.map((other) => `${form}\u200d${other}`)),
      ];
    });
    const flags = ['eng', 'sct', 'wls'].map(
      (region) =>
        `🏴${[...`gb${region}`].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')}\u{e007f}`,
    );
    const inUse = [...candidates, ...flags, '🇩🇪', '👨‍👩‍👧‍👦', '👩🏽‍❤️‍💋‍👨🏿'].filter((emoji) =>
      /^\p{RGI_Emoji}$/v.test(emoji),
    );
    expect(inUse.length).toBeGreaterThan(500);
    expect(inUse.filter((emoji) => withoutInvisible(`a${emoji}b`) !== `a${emoji}b`)).toEqual([]);
  });

  it.each(['می‌خواهم', 'क्‍ष', 'ක්‍ර', 'ন্‌', 'ന്‍ ', 'ᠠ\u180b', '葛城', 'ﷺ\u06dd'])('stays in %j', (text) =>
    expect(withoutInvisible(text)).toBe(text),
  );

  it.each([
    ['й\u200dй', 'йй'],
    ['漢\u200c字', '漢字'],
    ['葛\u{e0100}城', '葛城'],
    ['👩\u200d b', '👩 b'],
    ['1\ufe0f', '1'],
    ['❤️\ufe0f\ufe0f', '❤️'],
    [`🏴${tagsOfEngland}\u{e0041}`, `🏴${tagsOfEngland}`],
    ['می\u200c\u200cخ', 'میخ'],
  ])('turns %j into %j if it is not needed', (text, shown) =>
    expect(withoutInvisible(text)).toBe(shown),
  );
});

describe('invisible characters are removed', () => {
  it('in pages and Markdown files', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        expect(nothingUnseen(parseMarkdown(text, 'markdown').markdown)).toBe(true);
        expect(nothingUnseen(parseMarkdown(text, 'text').markdown)).toBe(true);
      }),
      { numRuns: cases(50) },
    );
    await fc.assert(
      fc.asyncProperty(withHidden, async (text) => {
        const { markdown, title } = await parseHtml(
          `<title>${text}</title><main><h1>${text}</h1><p>${text}</p><pre>${text}</pre></main>`,
          undefined,
        );
        expect(nothingUnseen(markdown)).toBe(true);
        expect(nothingUnseen(title ?? '')).toBe(true);
      }),
      { numRuns: cases(10) },
    );
  });

  it('in stored documents and searches', async () => {
    const { find, ingest, storedText } = await startService();
    await fc.assert(
      fc.asyncProperty(withHidden, anyText, async (withNul, title) => {
        // A text with NUL is rejected as binary.
        const text = withNul.replaceAll('\0', '');
        const said = `# ${text}\n\nRefunds ${text}.\n`;
        const { body } = await ingest({
          sources: [{ text: said, title: `Title ${title}`.slice(0, 90) }],
        });
        const [{ document }] = body.results;
        expect(nothingUnseen(await storedText('default', document.file))).toBe(true);
        const resultsOf = async (query: string) =>
          (await find({ query, maxResults: 3 })).body.results;
        const plainly = await resultsOf(withoutInvisible(`refunds ${text}`));
        expect(await resultsOf(`re\u{e0100}fu\u061cnds ${text}`)).toEqual(plainly);
        expect(nothingUnseen(JSON.stringify(plainly))).toBe(true);
      }),
      { numRuns: cases(6), examples: [['refunds', '\uffa0 \u115f']] },
    );
  });

  it('in passages, questions and earlier messages for a model', async () => {
    const provider = await startFakeProvider();
    const { generate } = await startService(
      { LLM_BASE_URL: provider.baseUrl, LLM_MODEL: 'm' },
      {
        'default/a.md': `# Re\u115ffunds\u{e0041}\n\nRefunds \u202eare\u202c paid wi\u{e01ef}thin 30\ufe00 days\u3164.\n`,
      },
    );
    provider.reply('Refunds are paid within 30 days. [1]');
    await fc.assert(
      fc.asyncProperty(withHidden, fc.array(hidden, { maxLength: 20 }), async (earlier, marks) => {
        const content = `@agent how long ${marks.join('')} do re\u{e0049}\u061cfunds take?`;
        const messages = [
          { role: 'user', content: `@agent ${earlier}` },
          { role: 'assistant', content: earlier },
          { role: 'user', content },
        ];
        expect((await generate({ messages })).status).toBe(200);
        const sent = provider.requests.at(-1)?.body.messages ?? [];
        expect(sent.length).toBeGreaterThan(1);
        expect(nothingUnseen(JSON.stringify(sent))).toBe(true);
      }),
      { numRuns: cases(4) },
    );
  });

  it('in the check of an answer, whose quotes stay slices of the stored text', () => {
    fc.assert(
      fc.property(anyText, (stored) => {
        const { text, storedSpan } = toPlainPassage(stored);
        expect(nothingUnseen(text)).toBe(true);
        for (let at = 0; at < text.length; at++) {
          const { start, end } = storedSpan(at, at + 1);
          expect(stored.slice(start, end)).toBe(text[at]);
        }
      }),
    );
  });

  it('in log lines', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const lines: string[] = [];
        const logger = createLogger('info', { write: (line) => lines.push(line) });
        logger.warn(
          { folder: text, nested: [text], err: new Error(text, { cause: new Error(text) }) },
          text,
        );
        const [line = ''] = lines;
        expect(lines).toHaveLength(1);
        expect(line.slice(0, -1)).not.toMatch(/\p{Cc}/u);
        expect(nothingUnseen(line)).toBe(true);
        expect(JSON.parse(line).level).toBe('warn');
      }),
      { examples: [['a\u0085b'], ['a\u2028b\u2029c']] },
    );
  });

  it('in terminal output: lines, cells and JSON of the same value', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const shown of [shownLine(text), cell(text, 20)]) {
          expect(shown).not.toMatch(/\p{Cc}|[\u2028\u2029]/u);
          expect(nothingUnseen(shown)).toBe(true);
        }
        const json = shownJson({ [text]: [text] });
        expect(nothingUnseen(json)).toBe(true);
        expect(JSON.parse(json)).toEqual({ [text]: [text] });
      }),
      { examples: [[`👩👩𐀀🏴${tagsOfEngland}👩`]] },
    );
  });
});
