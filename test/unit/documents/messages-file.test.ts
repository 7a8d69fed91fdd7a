import { describe, expect, it } from 'vitest';
import { closest, messageText, smallTalkAnswer } from '../../../src/ask/reply/answer.ts';
import { MessagesFile, parseMessages } from '../../../src/documents/messages-file.ts';

describe('the messages of a file', () => {
  it('have one text for all languages or one per language', () => {
    expect(parseMessages('')).toEqual({});
    expect(parseMessages('# nothing yet')).toEqual({});
    expect(
      parseMessages(
        'refusal: " Sorry? "\nhandoff:\n  de: Désolé ? Non.\n  other: |\n    Write to us.\n\n    Or call.\n',
      ),
    ).toEqual({
      refusal: { other: 'Sorry?' },
      handoff: { de: 'Désolé ? Non.', other: 'Write to us.\n\nOr call.' },
    });
  });

  it('may contain addresses, links and emoji', () => {
    const text =
      'Write to help@shop.example, <https://shop.example> or [ask](https://shop.example/a) 👋🏽';
    expect(parseMessages(`handoff: ${JSON.stringify(text)}`)).toEqual({ handoff: { other: text } });
  });

  it.each([
    ['welcome: Hi', 'the file has unknown fields: "welcome"'],
    ['refusal:', 'refusal must be a text or a map from languages to texts'],
    ['refusal: { xx: Hi }', 'refusal has unknown fields: "xx"'],
    ['refusal: { de: [] }', 'refusal.de must be a text'],
    ['refusal: " "', 'refusal must not be empty'],
    [`refusal: ${'a'.repeat(1_001)}`, 'refusal must have at most 1000 characters'],
    ['refusal: "{question}"', 'refusal must not contain braces: it has no placeholders'],
    ['differ: "{numbers} {count}"', 'differ must not contain braces, except {numbers}'],
    ['differ: "a\\nb"', 'differ must be one line'],
    ['refusal: "a\\u200Bb"', 'refusal must not contain invisible characters'],
    ['refusal: "> Ｓources：none"', 'refusal must not have a line that begins with "Sources:"'],
    [
      'handoff: "Paid. [1, 2](https://shop.example)"',
      'handoff must not contain citation marks such as [1]',
    ],
    ['handoff: "```"', 'handoff must not contain a code block'],
    ...['<b>x', '![x](https://shop.example/a.png)', '[x](javascript:alert%281%29)'].map((text) => [
      `handoff: "${text}"`,
      'handoff must not contain images, HTML or links other than https:, http: and mailto:',
    ]),
  ])('are rejected with a reason: %s', (text, message) => {
    expect(() => parseMessages(text)).toThrow(new Error(message));
  });

  it('are rejected if the YAML is invalid or a bomb', () => {
    const laughs = Array.from(
      { length: 9 },
      (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`,
    ).join('\n');
    for (const text of [
      'refusal: a\nrefusal: b',
      '"',
      `a0: &a0 [x]\n${laughs}`,
      '['.repeat(32_000),
      '? '.repeat(16_000),
      `${'{? '.repeat(300)}a${'}'.repeat(300)}`,
    ]) {
      expect(() => parseMessages(text), text.slice(0, 20)).toThrow();
    }
  });
});

describe('the messages file', () => {
  const start = (content: string | undefined, namespace = 'docs') => {
    const reports: string[] = [];
    const disk = { content, isUnreadable: false, isHidden: false };
    const store = {
      stampNow: () => {
        if (disk.isHidden) throw new Error('EACCES');
        return disk.content === undefined ? undefined : `${disk.content.length}.${disk.content}`;
      },
      async read() {
        if (disk.isUnreadable) throw new Error('EACCES');
        return { text: disk.content ?? '', bytes: 0, revision: '', stamp: '' };
      },
    };
    const warnings = {
      begin: (code: string, affected?: string, cause?: unknown) =>
        reports.push(`${code} ${affected}: ${(cause as Error).message}`),
      end: (code: string, affected?: string) => reports.push(`end ${code} ${affected}`),
    };
    const file = new MessagesFile(store, namespace, warnings);
    const refreshed = async (to: Partial<typeof disk> = {}) => {
      Object.assign(disk, to);
      reports.length = 0;
      await file.refresh();
      return file.current;
    };
    return { refreshed, reports };
  };

  it('is not used while it has an error and causes one warning per error', async () => {
    const { refreshed, reports } = start('refusal: a\nwelcome: b');
    expect(await refreshed()).toBeUndefined();
    expect(reports.at(-1)).toBe(
      'messages_invalid docs: docs/.messages.yaml: the file has unknown fields: "welcome"',
    );
    await refreshed();
    expect(reports).toEqual([]);
    await refreshed({ content: 'refusal: 1' });
    expect(reports.at(-1)).toContain('refusal must be a text');
    expect(await refreshed({ content: 'refusal: c' })).toEqual({ refusal: { other: 'c' } });
    expect(reports).toEqual(['end messages_invalid docs']);
  });

  it('is not used while it is too large or unreadable, and is read again', async () => {
    const { refreshed, reports } = start(`refusal: ${'a'.repeat(40_000)}`, '');
    expect(await refreshed()).toBeUndefined();
    expect(reports).toEqual([
      'messages_invalid : .messages.yaml: the file is larger than 32768 bytes',
    ]);
    await refreshed({ content: 'refusal: a', isUnreadable: true });
    expect(reports).toEqual(['messages_invalid : .messages.yaml: EACCES']);
    expect(await refreshed({ isUnreadable: false })).toEqual({ refusal: { other: 'a' } });
    expect(await refreshed({ isHidden: true })).toBeUndefined();
    expect(await refreshed({ isHidden: false })).toEqual({ refusal: { other: 'a' } });
  });
});

describe('a message', () => {
  const own = [
    parseMessages('refusal: { de: Eigen, en: Own }\ngreeting: Hey'),
    parseMessages('refusal: { de: Alle, fr: Tous }\ndiffer: "Now {numbers}"'),
  ];

  it("is the operator's from the first file that has one: in the language of the question, else for other languages, else English", () => {
    expect(messageText('refusal', { language: 'de', own })).toBe('Eigen');
    expect(messageText('refusal', { language: 'fr', own })).toBe('Own');
    expect(messageText('refusal', { language: 'fr', own: own.slice(1) })).toBe('Tous');
    expect(messageText('greeting', { language: 'ja', own })).toBe('Hey');
  });

  it('is the built-in text in the language of the question if the operator has none', () => {
    expect(messageText('refusal', { language: 'it', own: own.slice(1) })).toBe(
      'Non l’ho trovato nei documenti.',
    );
    expect(messageText('closest', { language: 'en', own })).toBe('This may answer it:');
    expect(smallTalkAnswer({ kind: 'thanks', language: 'en' }, own).text).toMatch(
      /^Happy to help\./,
    );
  });

  it('adds no handoff to sections that may answer', () => {
    const own = [parseMessages('handoff: Write to us.')];
    expect(closest([], [], { language: 'en', own }).text).toMatch(
      /^This may answer it:\n\n\s*Sources: none$/,
    );
  });
});
