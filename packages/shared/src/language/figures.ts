/**
 * Figures of a text with units, normalized: `$1,000.00` is 1000 dollars; `thirty-day` and `30日` are
 * 30 days. Used to check that the figures of a sentence are in the cited passage. Words for numbers
 * and units are in the lexicon.
 */
import { spanOf } from './invisible.ts';
import { fold, isStopWord, type Language } from './languages.ts';
import { type ListName, lexiconGroups, listedLanguages, namesOf } from './lexicon.ts';
import { pattern } from './pattern.ts';
import { perLanguage, perWord } from './per-language.ts';
import { hasUnspaced } from './tokens.ts';

const symbols = namesOf(lexiconGroups('all', 'measure-symbols'));
const characters = [...namesOf(lexiconGroups('all', 'measure-characters'))].sort(
  (a, b) => b[0].length - a[0].length,
);

/** Falls back to the English list: units and product names are often English. */
const namesIn = (language: Language, list: ListName) => {
  const names = namesOf(lexiconGroups(language, list));
  return names.size > 0 ? names : namesOf(lexiconGroups('en', list));
};

/** How languages write 21 to 99 as one word. */
const compounds: Readonly<Record<string, (one: string, ten: string) => string>> = {
  de: (one, ten) => `${one}und${ten}`,
  nl: (one, ten) => `${one}en${ten}`,
  it: (one, ten) => `${/^[ou]/.test(one) ? ten.slice(0, -1) : ten}${one}`,
};

/** Number words with their values, including compounds (`vierundzwanzig`). */
function numbersOf(language: Language) {
  const numbers = new Map(namesIn(language, 'numbers'));
  const between = (least: number, below: number) =>
    [...numbers].filter(([, value]) => Number(value) >= least && Number(value) < below);
  const compound = compounds[language];
  if (!compound) return numbers;
  const tens = between(20, 100);
  for (const [one, few] of between(1, 10))
    for (const [ten, many] of tens)
      numbers.set(compound(one, ten), String(Number(many) + Number(few)));
  return numbers;
}

/** Shorter words of Latin letters mean other things elsewhere: `due`, `once`, `cent`. */
const minForeignChars = 5;
const otherMeanings = new Set(['seize', 'media', 'medio', 'mille']);
/** Number words of other languages. */
const foreignNumbers = perLanguage((language) => {
  const others = listedLanguages.filter((other) => other !== language);
  return new Map(
    others
      .flatMap((other) => [...numbersOf(other)])
      .filter(
        ([word, value]) =>
          Number(value) > 1 &&
          !otherMeanings.has(word) &&
          (word.length >= minForeignChars || !/^\p{Script=Latin}+$/u.test(word)),
      ),
  );
});

/** Not units: `240 annual leave hours` is not a figure of years. */
const adverbOfTime = /^(?:annual|annually|yearly|quarterly|monthly|weekly|daily|hourly)$/i;

export const measuresOf = perLanguage((language) => {
  const words = namesIn(language, 'measures');
  const numbers = numbersOf(language);
  // Cached, because folding costs more than the lookup, and every word of a passage is looked up.
  const folded = perWord(fold);
  const of = (word: string) => words.get(word) ?? words.get(folded(word));
  const month = (word: string) => months.find((one) => one === word);
  return {
    /** Unit that a word names; with `?` at the end if it is ambiguous. */
    of,
    afterFigure: (word: string) =>
      (of(word) ?? symbols.get(word.toLowerCase()) ?? month(word))?.replace('?', ''),
    numberOf: (word: string) =>
      numbers.get(folded(word)) ?? foreignNumbers(language).get(folded(word)),
  };
});

const calendarWords =
  /[月火水木金土日]曜|周[一二三四五六日末]|星期[一二三四五六日]|週末|平日|[月年週]間|[每毎][日天周週月年]|[月年]額/gu;

/**
 * Units per word. Ambiguous ones (`?`) count only next to another unit: `business days`, but not
 * `your business`.
 */
export function unitsOf(words: readonly string[], language: Language): string[][] {
  const { of } = measuresOf(language);
  const named = words.map((word) => {
    if (hasUnspaced(word))
      return [...word.matchAll(calendarWords)].map(([found]) =>
        measureAtStart(found.replace(/^[每毎]|額$/u, '')),
      );
    const whole = of(word);
    return whole === undefined && /[-/]/.test(word) ? word.split(/[-/]/).map(of) : [whole];
  });
  const isUnit = (at: number) => named[at]?.some((unit) => unit && !unit.endsWith('?'));
  return named.map((units, at) => {
    const isNextToUnit = isUnit(at - 1) || isUnit(at + 1);
    return units.flatMap((unit) =>
      unit && (isNextToUnit || !unit.endsWith('?')) ? unit.replace('?', '') : [],
    );
  });
}

/** The unit at the start of a text without spaces. */
const measureAtStart = (text: string): string | undefined =>
  characters.find(([word]) => text.startsWith(word))?.[1];

const chineseDigits = '〇一二三四五六七八九';
/** Other characters of the same values: formal ones, and Korean syllables. */
const alike = new Map(
  [
    ...'零〇两二兩二壹一贰二叁三肆四伍五陆六柒七捌八玖九拾十佰百仟千萬万億亿영〇일一이二삼三사四오五육六칠七팔八구九십十백百천千만万억亿'.matchAll(
      /(.)(.)/gu,
    ),
  ].map(([, from = '', to = '']) => [from, to] as const),
);
const places: Readonly<Record<string, number>> = { 十: 10, 百: 100, 千: 1_000 };
const myriads: Readonly<Record<string, number>> = { 万: 10_000, 亿: 100_000_000 };

/** `三十` → 30, `二〇二六` → 2026. */
function chineseFigure(text: string) {
  const characters = [...text].map((character) => alike.get(character) ?? character);
  if (characters.every((character) => chineseDigits.includes(character)))
    return Number(characters.map((character) => chineseDigits.indexOf(character)).join(''));
  let whole = 0;
  let part = 0;
  let digit = 0;
  for (const character of characters) {
    const value = chineseDigits.indexOf(character);
    const place = places[character];
    const myriad = myriads[character];
    if (value >= 0) digit = value;
    else if (place !== undefined) [part, digit] = [part + (digit || 1) * place, 0];
    else if (myriad !== undefined)
      [whole, part, digit] = [whole + (part + digit || 1) * myriad, 0, 0];
  }
  return whole + part + digit;
}

const otherDigit = /(?![0-9])\p{Nd}/gu;
const isDigit = (code: number) => /\p{Nd}/u.test(String.fromCodePoint(code));

/** The digits of a script follow each other from 0 to 9. */
function digitValue(digit: string) {
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (isDigit(code - before - 1)) before++;
  return String(before % 10);
}

/** `٣٠` → `30`. */
const withAsciiDigits = (text: string) =>
  text
    .replace(otherDigit, digitValue)
    .replace(/(?<=\d)٬(?=\d)/g, ',')
    .replace(/(?<=\d)٫(?=\d)/g, '.');

const percent =
  /(?<!\p{L})(?:(?:pour|por|per) (?:cento?|ciento)|procent|процент\p{L}{0,3})(?!\p{L})/giu;
const germanHour =
  /(?<![\d.,:])(\d{1,2})(?:\.(\d{2}))?(?=(?: (?:bis|und) \d{1,2}(?:[.:]\d{2})?)? Uhr)/g;
const months =
  'january february march april may june july august september october november december'.split(
    ' ',
  );
/** `2026-03-31`, `31.03.2026`; `2026年3月31日` and `3월 31일`, also behind a word. */
const numericDates = [
  /(?<![\p{L}\p{N}.,:/-])(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})(?![\d-])/gu,
  /(?<![\p{L}\p{N}.,:/-])(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})(?!\d)/gu,
  /(?:(?<!\d)(?<year>\d{4})[年년]\s?)?(?<!\d)(?<month>\d{1,2})[月월]\s?(?<day>\d{1,2})[日일]/gu,
];
const withMonths = (text: string) =>
  numericDates.reduce(
    (written, date) =>
      written.replace(date, (found, ...more) => {
        const { day, month, year = '' } = more.at(-1);
        const name = months[month - 1];
        return name ? ` ${Number(day)} ${name} ${year} ` : found;
      }),
    text,
  );
/**
 * As English writes them: `99 pour cent`, `8h30`, `8.30 Uhr`, `9 bis 17 Uhr`, `8時半`, `1万2000`,
 * `1 200`, `1’200`, `$1.2m`.
 */
const inEnglish = (text: string) =>
  withMonths(text)
    .replace(percent, '%')
    .replace(/(?<!\p{L})minus (?=\d)/giu, '-')
    .replace(/(?<=\p{Sc}\s?\d[\d.,]{0,15}) ?m(?![\p{L}\p{N}²³])/gu, ' million')
    .replace(/(?<!\d)(\d{1,2}) ?h ?(\d{2})(?!\d| ?min)/g, '$1:$2')
    .replace(
      /(?<!\d)(\d{1,2})\s?[時时点點시]\s?(?:(\d{1,2})\s?[分분]|半|반)/g,
      (_, hour: string, minute = '30') => `${hour}:${minute}`,
    )
    .replace(/(?<![\d.,])(\d{1,4})[万萬만](\d{4})(?!\d)/g, '$1$2')
    .replace(germanHour, (_, hour: string, minute = '00') => `${hour}:${minute}`)
    .replace(/(?<![\d.,:/'’-])\d{1,3}(?:([ '’])\d{3})(?:\1\d{3})*(?![\d'’/-])/g, (figure) =>
      figure.replace(/[ '’]/g, ''),
    );

export type Figure = Readonly<{
  value: string;
  isTime: boolean;
  units: ReadonlySet<string>;
  /** Whether it may have a unit for which there is no word list. */
  hasOtherUnit: boolean;
  /** Word that multiplied the value: `million` of `1.5 million`. */
  scale?: string | undefined;
  /** Duration: 14 for `14 days` and `two weeks`; undefined for a rate such as `60 per minute`. */
  days?: number | undefined;
}>;

/** A minus is directly before its figure; `plans - 30 days` has a dash. `R$30` is not in dollars. */
const digits =
  /(?:(?<![\p{L}\p{N}])[-−](?=[\p{Sc}\d]))?((?:(?<![\p{L}\p{N}])[A-Z]{1,3})?\p{Sc}\s?)?(\d+(?:[.,:/]\d+)*)([百千万萬億亿백천만억]{1,2})?/gu;
const counted = 'か月|ヶ月|个月|個月|[日月年時分秒週周天小名人回次件円元个個倍点営工]';
const one = '〇零一二两兩三四五六七八九壹贰叁肆伍陆柒捌玖';
const many = '十百千万亿萬億拾佰仟';
/** `三十`, with or without a unit. */
export const chineseNumbers = new RegExp(`[${one}${many}]+`, 'gu');
const unspaced = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]`;
const koreanOne = '일이삼사오육칠팔구';
const koreanMany = '십백천만억';
/**
 * Numbers in Chinese characters: before a unit, between words of another script, or with a digit
 * before a place (`五十`, but not `万一`). Korean ones have a place.
 */
const chineseRun = new RegExp(
  pattern`
    [${one}${many}]{1,12}(?=\s?(?:${counted}))|(?<!${unspaced})(?!万一)[${one}${many}]{1,12}(?!${unspaced})|
    [${one}][${many}][${one}${many}]{0,10}|
    (?<!\p{sc=Hangul})(?!만일)[${koreanOne}]?[${koreanMany}][${koreanOne}${koreanMany}]{0,10}?(?=\s?(?:일|주|개월|년|시간|분|원|명|개|회|달러|유로|퍼센트)|(?!\p{sc=Hangul}))
  `,
  'gu',
);
const wordPattern = /[\p{L}\p{M}\p{N}]+(?:\.[a-z]\b)?|[%‰\p{Sc}°]/gu;
/** Words after a figure that are searched for a unit. */
const maxWordsBehind = 2;
/** `$100 in year 2` is not a figure of years. */
const otherPhrase = /\s(?:in|on|at|for|from|to|by|of|and|or)\s.*/is;
/** `all three` refers to earlier items and is not a figure. */
const countsBefore = /\b(?:all|the|these|those|other)\s$/i;
const maxCharsBehind = 80;
/** `one` and `once` are figures only with a unit. */
const small = new Set(['1', '0']);
/** With both marks, as `1,250.50` or `1.250,50`, the last is the decimal mark in any language. */
const bothMarks = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*(?!\1)[.,]\d{1,9}$/;
/** Removes thousands separators, which depend on the language, and `.00`, but not that of `50.000`. */
function normalised(value: string, language: Language) {
  const mark = bothMarks.exec(value)?.[1];
  const isEuropean = mark ? mark === '.' : /^(?:de|es|fr|it|nl|pt|ru)$/.test(language);
  const plain = isEuropean
    ? value.replace(/[.](?=\d{3}(?!\d))/g, '').replace(mark ? ',' : /,(?=\d{1,2}$)/, '.')
    : value.replace(/,(?=\d{3}(?!\d))/g, '');
  return plain.replace(/^0+(?=\d)/, '').replace(/\.00?$/, '');
}

const maxDigits = 12;
/** `1.5` and a million are 1500000; undefined for a time or a fraction. */
function scaled(value: string, scale: number) {
  const product = Number((Number(value) * scale).toPrecision(maxDigits));
  return Number.isFinite(product) ? String(product) : undefined;
}

type Found = Readonly<{
  value: string;
  start: number;
  end: number;
  symbol?: string | undefined;
  isWord?: boolean;
  hasColon?: boolean;
}>;

const digitsOf = (text: string, language: Language): Found[] =>
  [...text.matchAll(digits)].map((match) => {
    const [whole, symbol, amount = '', places] = match;
    const value = /[:/]/.test(amount)
      ? amount.replace(/^0?(\d{1,2}):00$/, '$1').replace(/^0(?=\d:)/, '')
      : normalised(amount, language);
    const sign = /^[-−]/.test(whole) ? '-' : '';
    return {
      value: `${sign}${(places && scaled(value, chineseFigure(places))) ?? value}`,
      ...spanOf(match),
      symbol: symbol?.trim(),
      hasColon: amount.includes(':'),
    };
  });

/** Combines `twenty` and `four`, or `two` and `hundred`; undefined for separate figures. */
function combined(last: Found, value: number) {
  const before = Number(last.value);
  if (last.isWord && before >= 20 && before < 100 && value >= 1 && value < 10)
    return String(before + value);
  return value >= 100 && before >= 1 && before < 100 ? scaled(last.value, value) : undefined;
}

const maxNumberChars = 20;

/** Whether a number word counts the next word. */
const countsNext = (text: string, at: number, language: Language) => {
  const next = /^[\s-](\p{L}{1,20})/u.exec(text.slice(at, at + maxNumberChars))?.[1];
  return next !== undefined && !isStopWord(next, language);
};

/** People say these without counting. */
const idiom = /^(?:-(?:fa[ck]tor|step|way|time|class|hand|check)|[- ]part(?:y|ies))\b/i;

/** True for `all three`, `two-factor` and `third parties`; false for `the two weeks`, `six-digit`. */
function isWithoutCount(text: string, start: number, end: number, language: Language) {
  const before = text.slice(Math.max(0, start - 8), start);
  return (
    (countsBefore.test(before) && !countsNext(text, end, language)) ||
    idiom.test(text.slice(end, end + maxNumberChars))
  );
}

function wordFiguresOf(text: string, language: Language) {
  const { numberOf } = measuresOf(language);
  const found: Found[] = [];
  for (const match of text.matchAll(/[\p{L}\p{M}]+/gu)) {
    const { start, end } = spanOf(match);
    const value = end - start > maxNumberChars ? undefined : numberOf(match[0]);
    if (value === undefined || isWithoutCount(text, start, end, language)) continue;
    found.push({ value, start, end, isWord: true });
  }
  return found;
}

/** Joins `twenty` and `four`, `two` and `hundred`, `5` and `thousand`. */
function withoutParts(found: readonly Found[], text: string) {
  const joined: Found[] = [];
  for (const one of found) {
    const last = joined.at(-1);
    const isNext =
      one.isWord && last && /^(?:[\s-]|\s[ey]\s)$/.test(text.slice(last.end, one.start));
    const value = isNext ? combined(last, Number(one.value)) : undefined;
    if (last && value) joined[joined.length - 1] = { ...last, value, end: one.end };
    else joined.push(one);
  }
  return joined;
}

const chineseFiguresOf = (text: string): Found[] =>
  [...text.matchAll(chineseRun)].map((match) => ({
    value: String(chineseFigure(match[0])),
    ...spanOf(match),
    isWord: true,
  }));

/** `50.000` is 50 or 50,000. */
const threeDecimals = /\.\d{3}$/;
const currencyBefore = /\b(USD|EUR|GBP|JPY|CHF|US\$)\s$/;

const halves = new Set(['am', 'pm']);
const halvesBefore = new Map(
  ['午前', '上午', '오전', '午後', '下午', '오후'].map((word, at) => [word, at < 3 ? 'am' : 'pm']),
);
const ofClock = new Set([...halves, 'clock']);
const scales = new Map(Object.entries({ thousand: 1e3, million: 1e6, billion: 1e9 }));

/** `3 pm` is 15, `12:30 am` is 0:30. */
function onTheClock(value: string, half: string) {
  const [hour = '', ...minutes] = value.split(/[:.]/);
  const from = /^(?:[1-9]|1[0-2])$/.test(hour)
    ? (Number(hour) % 12) + (half === 'pm' ? 12 : 0)
    : hour;
  return [from, ...minutes].join(':');
}

const withoutMeasures = /^(?:ru|ko|other)$/;
/** A word in a script of none of our languages. */
const otherWord =
  /^[\s-]{0,2}(?![\p{sc=Latin}\p{sc=Greek}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])\p{L}/u;

/** `March 3, 2027` is `3 March 2027`. */
function monthBefore(text: string, start: number, language: Language) {
  const before = text.slice(Math.max(0, start - maxNumberChars), start);
  const word = /(\p{L}+)\.?\s(?:\d{1,2}\s?,?\s)?$/u.exec(before)?.[1] ?? '';
  const unit = measuresOf(language).afterFigure(word);
  return months.find((one) => one === unit);
}

/** The currency of a symbol (`$`, `R$`) or of a code before its figure. */
function currencyOf(text: string, { start, symbol }: Found) {
  const written =
    symbol ?? currencyBefore.exec(text.slice(Math.max(0, start - 5), start))?.[1] ?? '';
  return symbols.get(written.toLowerCase()) ?? (written || undefined);
}

/** @param until start of the next figure, which has its own units */
function withUnits(text: string, found: Found, until: number, language: Language): Figure {
  const { value, start, end, hasColon = false } = found;
  const { afterFigure } = measuresOf(language);
  // `8:30 p.m., Mondays` is not a figure of Mondays.
  const behind = text.slice(end, Math.min(end + maxCharsBehind, until)).replace(/[,;]\s.*/s, '');
  const near = behind.replace(otherPhrase, '').match(wordPattern) ?? [];
  const words = near
    .filter((word) => !adverbOfTime.test(word))
    .slice(0, maxWordsBehind)
    .map(afterFigure);
  const all = [
    monthBefore(text, start, language),
    currencyOf(text, found),
    measureAtStart(behind.trimStart()),
    ...words,
  ].filter((unit) => unit !== undefined);
  const [scale = ''] = words;
  const product = scaled(value, scales.get(scale) ?? Number.NaN);
  if (product !== undefined) all.splice(all.indexOf(scale), 1);
  const before = text.slice(Math.max(0, start - 3), start).trim();
  const half = halvesBefore.get(before.slice(-2)) ?? all.find((unit) => halves.has(unit));
  if (half !== undefined) all.push(half);
  const isRate = /^[\s-]{0,2}(?:per|an?|each|every|pro|par|por)\s|^\s?\//i.test(behind);
  // `5 business days` has two units and is not five days.
  const [only = ''] = all.length > 1 || isRate || threeDecimals.test(value) ? [] : all;
  const length = inDays[only];
  return {
    value: half === undefined ? (product ?? value) : onTheClock(value, half),
    scale: product && scale,
    isTime: hasColon || all.some((one) => one === 'hour' || ofClock.has(one)),
    units: new Set(all),
    hasOtherUnit: all.length === 0 && (withoutMeasures.test(language) || otherWord.test(behind)),
    days: length && Number(value) * length,
  };
}

/**
 * All figures of a text, in reading order. @param written in NFKC @param notation language whose
 * marks its digits have
 */
export function figuresOf(written: string, language: Language, notation = language): Figure[] {
  const text = inEnglish(withAsciiDigits(written));
  const inDigits = digitsOf(text, notation);
  const isPlace = ({ start }: Found) =>
    inDigits.some((one) => one.start < start && start < one.end);
  const found = [
    ...inDigits,
    ...wordFiguresOf(text, language),
    ...chineseFiguresOf(text).filter((one) => !isPlace(one)),
  ];
  const ordered = withoutParts(
    found.toSorted((a, b) => a.start - b.start),
    text,
  );
  return ordered.flatMap((one, order) => {
    const figure = withUnits(text, one, ordered[order + 1]?.start ?? text.length, language);
    return one.isWord && small.has(one.value) && figure.units.size === 0 ? [] : figure;
  });
}

const inDays: Readonly<Record<string, number>> = {
  ms: 1.16e-8,
  s: 1.16e-5,
  minute: 1 / 1440,
  hour: 1 / 24,
  day: 1,
  week: 7,
  month: 30.44,
  quarter: 91.31,
  year: 365.25,
};

/**
 * Whether a passage states the figure of a sentence: the same value with all its units, or the same
 * duration.
 */
export const isSameFigure = (said: Figure, stated: Figure) =>
  (said.value === stated.value &&
    // 8 pm has the value 20, but does not state 20 copies.
    (said.isTime || stated.units.isDisjointFrom(ofClock)) &&
    (stated.isTime || said.units.isDisjointFrom(halves)) &&
    (said.units.difference(ofClock).isSubsetOf(stated.units) || stated.hasOtherUnit)) ||
  isSameLength(said.days, stated.days);

/** Relative difference of equal durations: 12 months are not exactly a year. */
const tolerance = 0.001;
const isSameLength = (a = 0, b = Number.NaN) => a > 0 && Math.abs(a - b) <= tolerance * a;
