/**
 * Tables, rows and cells of a Word document as they are written anew, and what is painted behind their text. A very long table is written
 * as several, each with its first row, because what converts them builds trees.
 */

import { type Styles, shadeOf } from './styles.ts';
import { type Attributes, isOn } from './xml.ts';

interface Box {
  readonly name: string;
  /** Where its opening tag goes once its properties are known. */
  readonly slot: number;
  properties: string;
  rows: number;
  firstRow: string;
}

const rowsPerTable = 400;

export interface Boxes {
  readonly isInTable: boolean;
  readonly isInCell: boolean;
  /** Colours behind the text, the nearest last. */
  readonly ground: readonly string[];
  /** @returns what closes it; true where a table of the body was ended, and the document may be cut */
  open(name: string, lines: string[], isInBody: boolean, onEnd: () => void): () => void;
  property(name: string, attributes: Attributes, parent: string): void;
}

export function createBoxes(styles: Styles): Boxes {
  const boxes: Box[] = [];
  const ground: string[] = [];
  let cells = 0;

  function closeRow(row: Box, lines: string[], onEnd: () => void): void {
    const table = boxes.at(-1);
    if (table?.name !== 'w:tbl') return;
    if (++table.rows === 1) table.firstRow = lines.slice(row.slot).join('');
    else if (table.rows % rowsPerTable === 0) {
      lines.push('</w:tbl>');
      onEnd();
      lines.push('<w:tbl>', table.firstRow);
    }
  }

  return {
    ground,
    get isInTable() {
      return boxes.length > 0;
    },
    get isInCell() {
      return cells > 0;
    },
    open(name, lines, isInBody, onEnd) {
      const box: Box = { name, slot: lines.push('') - 1, properties: '', rows: 0, firstRow: '' };
      boxes.push(box);
      if (name === 'w:tc') cells++;
      if (name !== 'w:tr') ground.push('');
      return () => {
        boxes.pop();
        if (name === 'w:tc') cells--;
        if (name !== 'w:tr') ground.pop();
        lines[box.slot] = `<${name}>${box.properties === '' ? '' : `<${name}Pr>${box.properties}</${name}Pr>`}`;
        lines.push(`</${name}>`);
        if (!isInBody) return;
        if (boxes.length === 0) onEnd();
        else if (name === 'w:tr' && boxes.length === 1) closeRow(box, lines, onEnd);
      };
    },
    property(name, attributes, parent) {
      const box = boxes.at(-1);
      const value = attributes['w:val'];
      if (box === undefined) return;
      const paint = (shade: string) => {
        if (shade !== '') ground[ground.length - 1] = shade;
      };
      if (parent === 'w:tblPr') paint(name === 'w:tblStyle' && styles.isShaded(value) ? '?' : name === 'w:shd' ? shadeOf(attributes) : '');
      else if (name === 'w:shd') paint(shadeOf(attributes));
      else if (name === 'w:gridSpan') box.properties += `<w:gridSpan w:val="${Number.parseInt(value ?? '1', 10) || 1}"/>`;
      else if (name === 'w:vMerge') box.properties += `<w:vMerge w:val="${value === 'restart' ? 'restart' : 'continue'}"/>`;
      else if (name === 'w:tblHeader' && isOn(attributes)) box.properties += '<w:tblHeader/>';
      else if (name === 'w:del') box.properties += '<w:del/>';
    },
  };
}
