/**
 * The body of a Word document, written anew with what a reader sees and in the few elements that are converted afterwards: hidden text,
 * deletions, tables of contents, comments and pictures are gone, numbers that Word counts are text, notes stand where they are referred to.
 */

import { withoutInvisible } from '../invisible.ts';
import { createFields, isWebAddress } from './fields.ts';
import { isSeen } from './look.ts';
import type { Numberings } from './numbering.ts';
import { escapeXml, newRun, type Run, textEnd, textStart, textXml, writeRun } from './paragraph.ts';
import { createStory, type Story } from './story.ts';
import { readLook, type Styles, shadeOf } from './styles.ts';
import { type Attributes, isOn, walkXml } from './xml.ts';

export interface VisibleParts {
  readonly styles: Styles;
  readonly numberings: Numberings;
  /** Where a relationship leads to. */
  readonly links: ReadonlyMap<string, string>;
  /** Text of notes by `footnote 3`. */
  readonly notes: ReadonlyMap<string, string>;
}

export interface VisibleBody extends Story {
  /** How much text is in which language. */
  readonly languages: ReadonlyMap<string, number>;
}

type Closer = (() => void) | undefined;

const gone = new Set(
  'w:del w:moveFrom w:sectPr w:rPrChange w:pPrChange w:tblPrChange w:trPrChange w:tcPrChange w:tblGrid w:rt w:sdtEndPr w:delText w:delInstrText w:ffData w:object m:rPr m:ctrlPr'.split(
    ' ',
  ),
);
/** What mathematics in one line writes between its parts. */
const mathMarks: Readonly<Record<string, string>> = { 'm:num': '(', 'm:den': ')/(', 'm:sup': '^', 'm:sub': '_', 'm:rad': '√' };

export function writeVisible(xml: string, { styles, numberings, links, notes }: VisibleParts): VisibleBody {
  const story = createStory(styles, numberings);
  const runs: Run[] = [];
  const fields = createFields();
  const languages = new Map<string, number>();
  const isDroppedControl: boolean[] = [];
  /** How much was written when an alternative began. */
  const choices: number[] = [];
  let written = 0;

  function put(text: string, ...parts: readonly string[]): undefined {
    const run = runs.at(-1);
    if (run === undefined || !fields.isShown) return;
    run.parts.push(...parts);
    run.text += text;
  }
  const putText = (text: string) => put(text, textStart, escapeXml(text), textEnd);
  const fieldMark = (kind: string) => `<w:r><w:fldChar w:fldCharType="${kind}"/></w:r>`;

  function openRun(): Closer {
    runs.push(newRun());
    return closeRun;
  }

  function closeRun(): void {
    const run = runs.pop();
    const around = story.paragraph();
    if (run === undefined || around === undefined || run.text === '') return;
    const looks = [styles.defaults, around.style.look, styles.character(run.styleId).look, run.look];
    if (!isSeen(looks, [...story.ground(), around.style.look.shade ?? '', around.shade])) return;
    const language = run.look.language ?? styles.defaults.language ?? '';
    languages.set(language, (languages.get(language) ?? 0) + run.text.length);
    written += run.text.length;
    writeRun(run, around, styles, story.out());
  }

  function openField(type: string | undefined): undefined {
    const around = story.paragraph();
    if (type === 'begin') fields.begin();
    else if (type === 'separate') {
      const target = fields.separate();
      if (target === undefined || around === undefined || around.hasLink || !fields.isShown) return;
      const code = `<w:instrText xml:space="preserve"> HYPERLINK "${escapeXml(target)}" </w:instrText>`;
      story.out().push(`${fieldMark('begin')}<w:r>${code}</w:r>${fieldMark('separate')}`);
      around.hasLink = true;
    } else if (type === 'end' && fields.end() && around?.hasLink) {
      story.out().push(fieldMark('end'));
      around.hasLink = false;
    }
  }

  function openSimpleField(instruction: string): Closer {
    fields.begin();
    fields.code(instruction);
    fields.separate();
    return () => {
      fields.end();
    };
  }

  function openHyperlink(id: string): Closer {
    if (!isWebAddress(links.get(id) ?? '') || story.paragraph() === undefined) return undefined;
    const lines = story.out();
    const slot = lines.push(`<w:hyperlink r:id="${escapeXml(id)}">`) - 1;
    return () => {
      if (lines.length === slot + 1) lines.pop();
      else lines.push('</w:hyperlink>');
    };
  }

  /** Runs around it are no part of what stands elsewhere. */
  function openElsewhere(open: () => () => void): Closer {
    const around = runs.splice(0);
    const close = open();
    return () => {
      close();
      runs.push(...around);
    };
  }

  function dropControl(): undefined {
    isDroppedControl[isDroppedControl.length - 1] = true;
  }

  function putNote(key: string): undefined {
    const note = notes.get(key);
    if (note !== undefined) putText(` (${note})`);
  }

  const openers: Readonly<Record<string, (attributes: Attributes) => Closer>> = {
    'w:p': () => story.openParagraph(),
    'w:r': openRun,
    'm:r': openRun,
    'w:tbl': () => story.openBox('w:tbl'),
    'w:tr': () => story.openBox('w:tr'),
    'w:tc': () => story.openBox('w:tc'),
    'w:txbxContent': () => openElsewhere(story.openTextBox),
    'w:footnote': (attributes) => openElsewhere(() => story.openNote(`footnote ${attributes['w:id']}`)),
    'w:endnote': (attributes) => openElsewhere(() => story.openNote(`endnote ${attributes['w:id']}`)),
    'w:footnoteReference': (attributes) => putNote(`footnote ${attributes['w:id']}`),
    'w:endnoteReference': (attributes) => putNote(`endnote ${attributes['w:id']}`),
    'w:hyperlink': (attributes) => openHyperlink(attributes['r:id'] ?? ''),
    'w:tab': () => put('\t', '<w:tab/>'),
    'w:br': (attributes) => (/^(?:page|column)$/.test(attributes['w:type'] ?? '') ? undefined : put('\n', '<w:br/>')),
    'w:cr': () => put('\n', '<w:br/>'),
    'w:noBreakHyphen': () => putText('-'),
    'w:sym': (attributes) =>
      put('•', `<w:sym w:font="${escapeXml(attributes['w:font'] ?? '')}" w:char="${escapeXml(attributes['w:char'] ?? '')}"/>`),
    'w:fldChar': (attributes) => openField(attributes['w:fldCharType']),
    'w:fldSimple': (attributes) => openSimpleField(attributes['w:instr'] ?? ''),
    'w:sdt': () => {
      isDroppedControl.push(false);
      return () => isDroppedControl.pop();
    },
    'w:docPartGallery': (attributes) => (/table of contents/i.test(attributes['w:val'] ?? '') ? dropControl() : undefined),
    'w:showingPlcHdr': (attributes) => (isOn(attributes) ? dropControl() : undefined),
    'mc:AlternateContent': () => {
      choices.push(written);
      return () => choices.pop();
    },
  };

  function property(name: string, attributes: Attributes, parent: string, isOfRun: boolean): void {
    const value = attributes['w:val'];
    const paragraph = story.paragraph();
    const run = runs.at(-1);
    if (parent === 'w:rPr' && isOfRun && run) {
      if (name === 'w:rStyle') run.styleId = value;
      else if (name === 'w:vertAlign') run.raise = value === 'superscript' || value === 'subscript' ? value : '';
      else readLook(run.look, name, attributes);
    } else if (parent === 'w:rPr' && /^w:(?:del|moveFrom)$/.test(name) && paragraph) paragraph.isJoined = true;
    else if (parent === 'w:pPr' && paragraph) {
      if (name === 'w:pStyle') {
        paragraph.styleId = value;
        paragraph.style = styles.paragraph(value);
      } else if (name === 'w:outlineLvl') paragraph.outline = Number.parseInt(value ?? '9', 10);
      else if (name === 'w:shd') paragraph.shade = shadeOf(attributes);
    } else if (parent === 'w:numPr' && paragraph) {
      if (name === 'w:numId') paragraph.numId = value;
      else if (name === 'w:ilvl') paragraph.numLevel = Number.parseInt(value ?? '0', 10);
    } else if (/^w:(?:tc|tr|tbl)Pr$/.test(parent)) story.boxes.property(name, attributes, parent);
  }

  const closers: Closer[] = [];
  const path: string[] = [];
  let goneDepth = 0;
  walkXml(xml, {
    open(name, attributes) {
      const parent = path.at(-1) ?? '';
      path.push(name);
      const isProperty = /^w:(?:r|p|tc|tr|tbl|num)Pr$/.test(parent);
      const isGone =
        (gone.has(name) && !isProperty) ||
        /PrChange$/.test(name) ||
        (name === 'w:sdtContent' && isDroppedControl.at(-1) === true) ||
        (name === 'mc:Fallback' && written > (choices.at(-1) ?? 0));
      if (goneDepth > 0 || isGone) goneDepth++;
      else if (isProperty) property(name, attributes, parent, path.at(-3) === 'w:r');
      const mark = goneDepth === 0 ? mathMarks[name] : undefined;
      if (mark !== undefined) story.out().push(`<w:r>${textXml(mark)}</w:r>`);
      closers.push(goneDepth === 0 && !isProperty ? openers[name]?.(attributes) : undefined);
    },
    text(text) {
      if (goneDepth > 0) return;
      const name = path.at(-1);
      if (name === 'w:t' || name === 'm:t') putText(withoutInvisible(text));
      else if (name === 'w:instrText') fields.code(text);
    },
    close(name) {
      path.pop();
      const closer = closers.pop();
      if (goneDepth > 0) {
        goneDepth--;
        return;
      }
      if (name === 'm:f') story.out().push(`<w:r>${textXml(')')}</w:r>`);
      closer?.();
    },
  });
  return { ...story.told(), languages };
}
