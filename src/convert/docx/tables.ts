/**
 * What a Word document consists of once it is read, and its tables as Markdown can hold them: one line of text in a cell, no cell that
 * spans others. Frames around text become the text.
 */
import type { Label } from './numbering.ts';

/** Text of one look. */
export interface DocxRun {
  readonly text: string;
  /** Elements of HTML around it, the outermost first, as they are opened: `a href="…"`, `code`, `strong`, `em`, `s`. */
  readonly tags: readonly string[];
}

export interface DocxParagraph {
  readonly kind: 'paragraph';
  readonly role: 'heading' | 'item' | 'code' | 'quote' | 'text';
  /** Of a heading from 1; of an item how deep it stands, from 0. */
  readonly level: number;
  /** What Word shows before an item. */
  readonly label: Label | undefined;
  readonly runs: readonly DocxRun[];
}

export interface DocxCell {
  readonly columns: number;
  /** Merged with the cell above. */
  readonly isContinued: boolean;
  readonly blocks: DocxBlock[];
}

export interface DocxRow {
  readonly isHeader: boolean;
  readonly cells: readonly DocxCell[];
}

export interface DocxTable {
  readonly kind: 'table';
  readonly rows: DocxRow[];
}

export type DocxBlock = DocxParagraph | DocxTable;

type GridCell = readonly DocxRun[];
/** A table whose rows have the same cells. */
export interface DocxGrid {
  readonly kind: 'grid';
  readonly header: readonly (readonly GridCell[])[];
  readonly rows: readonly (readonly GridCell[])[];
}

/** In rows: a passage should hold the header of its rows. */
const rowsPerTable = 25;
/** In characters: a cell with more is a part of a page, not of a table. */
const longestCell = 1_200;
/** What is wider is a page laid out in cells; also bounds what cells that span columns cost. */
const maxColumns = 60;

const plain = (text: string): DocxRun => ({ text, tags: [] });
const textOfRuns = (runs: readonly DocxRun[]) => runs.map(({ text }) => text).join('');
/** What stands before an item where it is no item of a list. */
export const labelText = (label: Label | undefined): string => (label === undefined || label.kind === 'bullet' ? '' : `${label.text} `);

export function docxTextOf(block: DocxBlock): string {
  if (block.kind === 'paragraph') return labelText(block.label) + textOfRuns(block.runs);
  return block.rows.flatMap(({ cells }) => cells.map(textOfCell)).join(' ');
}
const textOfCell = ({ blocks }: DocxCell) => blocks.map(docxTextOf).join(' ');
const isBlank = (cell: DocxCell) => textOfCell(cell).trim() === '';

const areBold = (runs: readonly DocxRun[]) => runs.every(({ text, tags }) => text.trim() === '' || tags.includes('strong'));
export const isBold = (block: DocxBlock | undefined): boolean =>
  block?.kind === 'paragraph' && labelText(block.label) === '' && docxTextOf(block).trim() !== '' && areBold(block.runs);

/** All paragraphs, those of tables in cells too. */
export function paragraphsIn(blocks: readonly DocxBlock[]): DocxParagraph[] {
  return blocks.flatMap((block) =>
    block.kind === 'paragraph'
      ? docxTextOf(block).trim() === ''
        ? []
        : [block]
      : paragraphsIn(block.rows.flatMap(({ cells }) => cells.flatMap((cell) => cell.blocks))),
  );
}

/** Line breaks inside of a cell separate like paragraphs. */
function inOneLine(paragraphs: readonly DocxParagraph[]): DocxRun[] {
  const runs: DocxRun[] = [];
  for (const paragraph of paragraphs) {
    if (runs.length > 0) runs.push(plain(/[.,:;!?]$/.test(textOfRuns(runs).trimEnd()) ? ' ' : '; '));
    const label = labelText(paragraph.label);
    if (label !== '') runs.push(plain(label));
    for (const { text, tags } of paragraph.runs) runs.push({ text: text.replaceAll('\n', ' '), tags });
  }
  return runs;
}

const emptyCell: GridCell = [];
const isFilled = (cell: GridCell | undefined) => cell !== undefined && textOfRuns(cell).trim() !== '';

/** Rows of equal length: a cell that spans rows says its text in each, one that spans columns stands in its first. */
function gridOf(rows: readonly DocxRow[]): GridCell[][] {
  const grid: GridCell[][] = [];
  for (const { cells } of rows) {
    const row: GridCell[] = [];
    for (const { blocks, columns, isContinued } of cells) {
      const above = isContinued ? grid.at(-1)?.[row.length] : undefined;
      row.push(above ?? inOneLine(paragraphsIn(blocks)), ...Array<GridCell>(columns - 1).fill(emptyCell));
    }
    grid.push(row);
  }
  const width = grid.reduce((widest, row) => Math.max(widest, row.length), 0);
  const used = Array.from({ length: width }, (_, column) => column).filter((column) => grid.some((row) => isFilled(row[column])));
  return grid.map((row) => used.map((column) => row[column] ?? emptyCell));
}

/** Whether a table only lays out what stands in it. */
function isFrame(rows: readonly DocxRow[]): boolean {
  const filled = rows.map(({ cells }) => cells.filter((cell) => !isBlank(cell)));
  return (
    filled.every((cells) => cells.length <= 1) ||
    rows.some(({ cells }) => cells.reduce((sum, { columns }) => sum + columns, 0) > maxColumns) ||
    filled.flat().some((cell) => textOfCell(cell).length > longestCell)
  );
}

/** @returns what stands in the place of a table */
function shapeTable(table: DocxTable): (DocxParagraph | DocxGrid)[] {
  const rows = table.rows.filter(({ cells }) => cells.some((cell) => !isBlank(cell)));
  if (isFrame(rows)) return shapeTables(rows.flatMap(({ cells }) => cells.flatMap(({ blocks }) => blocks)));
  const grid = gridOf(rows);
  const headers = rows.findIndex(({ isHeader }) => !isHeader);
  const headerRows = Math.max(1, headers);
  const header = grid.slice(0, headerRows);
  const tables: DocxGrid[] = [];
  for (let at = headerRows; at === headerRows || at < grid.length; at += rowsPerTable)
    tables.push({ kind: 'grid', header, rows: grid.slice(at, at + rowsPerTable) });
  return tables;
}

export const shapeTables = (blocks: readonly DocxBlock[]): (DocxParagraph | DocxGrid)[] =>
  blocks.flatMap((block) => (block.kind === 'table' ? shapeTable(block) : [block]));
