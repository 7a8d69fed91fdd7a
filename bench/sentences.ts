/**
 * Compares the ends of our sentences with those of treebanks (Universal Dependencies, test parts).
 * Text: the sentences of a treebank in order, 20 to a paragraph, joined by a space; those without a
 * mark at their end, such as headings, are left out. Run: UD_DATA=<folder of *-ud-test.conllu> node
 * bench/sentences.ts [--show de]
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { segments } from '../packages/shared/src/language/segments.ts';

const languages = ['de', 'en', 'es', 'fr', 'it', 'ja', 'ko', 'nl', 'pt', 'ru', 'zh'];
const perParagraph = 20;
const ended = /[.!?…。！？]["'”’»)\]」』]*$/;

const folder = process.env.UD_DATA ?? '';
const shownLanguage = process.argv[process.argv.indexOf('--show') + 1];
const isShown = (language: string) => process.argv.includes('--show') && shownLanguage === language;

function givenSentences(file: string): string[] {
  const text = readFileSync(join(folder, file), 'utf8');
  const lines = [...text.matchAll(/^# text = (.*)$/gm)].map(([, line = '']) => line.trim());
  return lines.filter((line) => ended.test(line) && !/^[#>|*+-]|^\d+[.)]\s/.test(line));
}

/** @returns given sentences, cuts inside one, and ends that were not found */
function compare(given: readonly string[], language: string) {
  let [cut, missed] = [0, 0];
  for (let at = 0; at < given.length; at += perParagraph) {
    const paragraph = given.slice(at, at + perParagraph);
    const text = paragraph.join(' ');
    let end = -1;
    const right = new Set(paragraph.map((sentence) => (end += sentence.length + 1)));
    const found = new Set([...segments(text)].map((one) => one.end));
    for (const one of found.difference(right)) {
      cut++;
      if (isShown(language))
        console.log('CUT ', text.slice(Math.max(0, one - 50), one), '|', text.slice(one, one + 30));
    }
    for (const one of right.difference(found)) {
      missed++;
      if (isShown(language))
        console.log('MISS', text.slice(Math.max(0, one - 50), one), '|', text.slice(one, one + 30));
    }
  }
  return { cut, missed };
}

console.log(
  '| treebank | sentences | cut inside | ends not found | F1 of ends |\n|---|---|---|---|---|',
);
for (const file of readdirSync(folder).sort()) {
  const [name = '', part] = file.split('-ud-');
  const language = name.slice(0, 2);
  if (part !== 'test.conllu' || !languages.includes(language)) continue;
  const given = givenSentences(file);
  const { cut, missed } = compare(given, language);
  const kept = given.length - missed;
  const f1 = (2 * kept) / (2 * kept + missed + cut);
  console.log(
    `| ${name} | ${given.length} | ${cut} | ${missed} | ${f1.toFixed(3).replace(/^0/, '')} |`,
  );
}
