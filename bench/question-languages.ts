/**
 * Detects the language of sentences of one to ten words in twenty languages, from the test parts of
 * treebanks (Universal Dependencies); of Chinese and Japanese, up to 25 characters. Documents in an
 * unknown language. Run: UD_DATA=<folder of *-ud-test.conllu> node bench/question-languages.ts
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { languageOf } from '../packages/shared/src/language/languages.ts';
import { questionLanguage } from '../src/ask/reply/question-language.ts';

const ours = ['de', 'en', 'es', 'fr', 'it', 'ja', 'ko', 'nl', 'pt', 'ru', 'zh'];
const maxSentences = 400;
const folder = process.env.UD_DATA ?? '';

function shortSentences(file: string): string[] {
  const text = readFileSync(join(folder, file), 'utf8');
  const all = [...text.matchAll(/^# text = (.*)$/gm)].map(([, line = '']) => line.trim());
  const isShort = (line: string) =>
    /^(?:ja|zh)/.test(file) ? [...line].length <= 25 : line.split(/\s+/).length <= 10;
  return all.filter((line) => /\p{L}/u.test(line) && isShort(line)).slice(0, maxSentences);
}

console.log(
  '| treebank | sentences | another of ours: before, now | unknown: before, now |\n|---|---|---|---|',
);
for (const file of readdirSync(folder).sort()) {
  const [name = '', part] = file.split('-ud-');
  if (part !== 'test.conllu') continue;
  const lines = shortSentences(file);
  const percent = (count: number) => `${((100 * count) / lines.length).toFixed(1)} %`;
  const counts = [
    (line: string) => languageOf(line, 'xx'),
    (line: string) => questionLanguage(line, 'other'),
  ].map((detect) => {
    const found = lines.map(detect).filter((code) => code !== name.slice(0, 2));
    return [found.filter((code) => ours.includes(code)).length, found.length] as const;
  });
  const wrong = counts.map(([count]) => percent(count)).join(', ');
  const unknown = counts.map(([count, all]) => percent(all - count)).join(', ');
  console.log(`| ${name} | ${lines.length} | ${wrong} | ${unknown} |`);
}
