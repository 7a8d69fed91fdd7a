/**
 * Where the paragraphs of a Word document go while they are written anew: the body, text boxes after the paragraph that holds them, notes
 * to where they are referred to; and what is known of the whole in the end.
 */
import { type Boxes, createBoxes } from './boxes.ts';
import type { Label, Numberings } from './numbering.ts';
import { headingLevel, newParagraph, openingXml, type Paragraph } from './paragraph.ts';
import type { Styles } from './styles.ts';

const maxListDepth = 6;
/** Of one piece, in characters, longer where a table is: what converts them builds trees. */
const pieceChars = 400_000;

export interface Story {
  /** Elements of `w:body`, in pieces that lists do not reach across. */
  readonly pieces: readonly string[];
  readonly hasHeadings: boolean;
  /** The first paragraph of the style Title. */
  readonly title: string;
  /** Of a part that holds notes: their text, by their kind and number. */
  readonly notes: ReadonlyMap<string, string>;
}

/** What is written as text where the XML of a note is not wanted. */
const textOfXml = (xml: string): string =>
  xml
    .replace(/<w:instrText.*?<\/w:instrText>|<\/w:p>/g, (tag) => (tag === '</w:p>' ? ' ' : ''))
    .replace(/<[^>]+>/g, '')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ')
    .trim();

export function createStory(styles: Styles, numberings: Numberings) {
  const boxes: Boxes = createBoxes(styles);
  const outputs: string[][] = [[]];
  const paragraphs: Paragraph[] = [];
  /** Levels of the items around, for every place where lists begin anew. */
  const lists: number[][] = [[]];
  const notes = new Map<string, string>();
  /** Offsets in the body at which a piece may end. */
  const cuts: number[] = [];
  let textBoxes = 0;
  let title = '';
  let hasHeadings = false;

  const out = () => outputs.at(-1) ?? [];

  /** The label before a paragraph, and how deep it stands among the items around it. */
  function labelOf({ numId, numLevel, style, styleId }: Paragraph): { readonly label: Label; readonly depth: number } | undefined {
    const id = numId ?? style.numbering?.numId;
    if (id === undefined || id === '0') return undefined;
    const found = numberings.next({ numId: id, level: numLevel ?? (numId === undefined ? style.numbering?.level : undefined) }, styleId);
    if (found === undefined) return undefined;
    const open = lists.at(-1) ?? [];
    while ((open.at(-1) ?? -1) >= found.level) open.pop();
    open.push(found.level);
    return { label: found.label, depth: Math.min(open.length, maxListDepth) - 1 };
  }

  function closeParagraph(): void {
    const paragraph = paragraphs.pop();
    if (paragraph === undefined) return;
    const lines = out();
    const isEmpty = paragraph.text.trim() === '';
    if (paragraph.style.role === 'contents' || (isEmpty && !paragraph.isJoined)) {
      lines.length = paragraph.slot;
      for (const line of paragraph.after) lines.push(line);
      return;
    }
    if (paragraph.hasLink) lines.push('<w:r><w:fldChar w:fldCharType="end"/></w:r>');
    const numbered = labelOf(paragraph);
    const isInBody = !boxes.isInTable && outputs.length === 1;
    let level = isInBody ? headingLevel(paragraph) : 0;
    if (level > 0 && paragraph.style.role === 'title') title ||= paragraph.text.trim();
    else if (level > 0 && title !== '') level++;
    if (!numbered || level > 0) lists[lists.length - 1] = [];
    lines[paragraph.slot] = openingXml(paragraph, level, numbered?.label, boxes.isInCell ? undefined : (numbered?.depth ?? 0));
    lines.push('</w:p>');
    for (const line of paragraph.after) lines.push(line);
    hasHeadings ||= level > 0;
    if (isInBody && !numbered) cuts.push(lines.length);
  }

  function openElsewhere(lines: string[], onClose: () => void): () => void {
    outputs.push(lines);
    lists.push([]);
    return () => {
      outputs.pop();
      lists.pop();
      onClose();
    };
  }

  function inPieces(): string[] {
    const lines = outputs[0] ?? [];
    const pieces: string[] = [];
    let from = 0;
    let counted = 0;
    let size = 0;
    for (const cut of [...cuts, lines.length]) {
      for (; counted < cut; counted++) size += lines[counted]?.length ?? 0;
      if (size < pieceChars && cut < lines.length) continue;
      pieces.push(lines.slice(from, cut).join(''));
      from = cut;
      size = 0;
    }
    return pieces;
  }

  return {
    boxes,
    out,
    paragraph: () => paragraphs.at(-1),
    /** What is painted behind the text here, the nearest last; `?` where a shape decides it. */
    ground: (): readonly string[] => [...(textBoxes > 0 ? ['?'] : []), ...boxes.ground],
    openParagraph(): () => void {
      paragraphs.push(newParagraph(out().push('') - 1, styles.paragraph(undefined)));
      return closeParagraph;
    },
    openBox(name: string): () => void {
      const isListPlace = name !== 'w:tr';
      if (isListPlace) lists.push([]);
      const lines = out();
      const close = boxes.open(name, lines, outputs.length === 1, () => cuts.push(lines.length));
      return () => {
        if (isListPlace) lists.pop();
        close();
      };
    },
    openTextBox(): () => void {
      textBoxes++;
      return openElsewhere(paragraphs.at(-1)?.after ?? out(), () => textBoxes--);
    },
    openNote(key: string): () => void {
      const lines: string[] = [];
      return openElsewhere(lines, () => {
        const text = textOfXml(lines.join(''));
        if (text !== '') notes.set(key, text);
      });
    },
    told: (): Story => ({ pieces: inPieces(), hasHeadings, title, notes }),
  };
}
