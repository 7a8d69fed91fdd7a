/**
 * Blocks of Markdown in the order of the page → its text. Here it is decided what becomes of questions, and which headings need their
 * anchor written down: where the page's own is not the slug that readers of Markdown give (as `chunk/blocks.ts` does).
 */
import { slug } from 'github-slugger';
import { explicitAnchorOf, plainHeading } from '../../text/headings.ts';

export interface Block {
  /** `answer-end` stands after what answers the question before it. */
  readonly kind: 'text' | 'list' | 'heading' | 'question' | 'answer-end';
  readonly text: string;
  /** Of a heading, from 1. */
  readonly level?: number;
  readonly anchor?: string | undefined;
}

export const indented = (text: string, width: number): string => text.replace(/\n(?!\n|$)/g, `\n${' '.repeat(width)}`);
export const quoted = (text: string): string => text.replace(/^(?=.)/gm, '> ').replace(/^$/gm, '>');

/**
 * A question is a heading where everything up to the next heading is its answer, and where the questions before it are; else what
 * follows the answer would seem to belong to it.
 */
function settleQuestions(blocks: readonly Block[]): Block[] {
  const settled: Block[] = [];
  let level = 1;
  for (let at = 0; at < blocks.length; ) {
    const block = blocks[at] as Block;
    if (block.kind === 'heading') level = block.level ?? 1;
    if (block.kind !== 'question') {
      if (block.kind !== 'answer-end') settled.push(block);
      at++;
      continue;
    }
    const end = endOfQuestions(blocks, at);
    const run = blocks.slice(at, end);
    const isSection =
      (end === blocks.length || blocks[end]?.kind === 'heading') &&
      run.every((part) => part.kind !== 'question' || /[?？]$/.test(part.text));
    for (const part of run) {
      if (part.kind === 'question')
        settled.push(isSection ? { ...part, kind: 'heading', level: Math.min(level + 1, 6) } : { kind: 'text', text: `**${part.text}**` });
      else if (part.kind !== 'answer-end') settled.push(part);
    }
    at = end;
  }
  return settled;
}

/** The index after a run of questions with their answers. */
function endOfQuestions(blocks: readonly Block[], start: number): number {
  let end = start;
  let open = 0;
  for (let at = start; at < blocks.length; at++) {
    const { kind } = blocks[at] as Block;
    if (kind === 'question') open++;
    else if (kind === 'answer-end') {
      open = Math.max(0, open - 1);
      end = at + 1;
    } else if (open === 0) break;
    else if (kind === 'heading') break;
    if (end <= at) end = kind === 'question' ? at + 1 : end;
  }
  return Math.max(end, start + 1);
}

/** Slugs as `github-slugger` makes them unique, looked up before they are taken: a heading with an anchor of its own takes none. */
function createSlugs() {
  const taken = new Map<string, number>();
  return (label: string, anchor: string | undefined): string | undefined => {
    const plain = slug(label);
    let unique = plain;
    let count = taken.get(plain) ?? 0;
    while (taken.has(unique)) unique = `${plain}-${++count}`;
    const suffix = anchor === undefined || anchor === unique ? '' : ` {#${anchor}}`;
    if (suffix !== '' && explicitAnchorOf(`${label}${suffix}`) === anchor) return suffix;
    if (unique !== plain) taken.set(plain, count);
    taken.set(unique, 0);
    return undefined;
  };
}

/** @param isTight lists follow their text without a blank line, as in an item of another list */
export function renderBlocks(blocks: readonly Block[], isTight = false): string {
  const anchorOf = createSlugs();
  let text = '';
  let before: Block['kind'] | undefined;
  for (const { kind, text: content, level, anchor } of settleQuestions(blocks)) {
    const line = kind === 'heading' ? `${'#'.repeat(level ?? 1)} ${content}${anchorOf(plainHeading(content), anchor) ?? ''}` : content;
    if (line.trim() === '') continue;
    if (before !== undefined) text += isTight && before === 'text' && kind === 'list' ? '\n' : '\n\n';
    text += line;
    before = kind;
  }
  return text;
}
