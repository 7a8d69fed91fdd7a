/**
 * What an answer has to say: a text, found in any case and across line breaks, or a regular expression written as `/…/flags`. An answer
 * is looked at with and without its markers, so that `[1]` between two sentences is in nobody's way.
 */
import { runInNewContext } from 'node:vm';

export interface Pattern {
  /** As the questions file has it. */
  readonly written: string;
  readonly isIn: (text: string) => boolean;
}

/** An answer is a few sentences; no expression is run over more. */
const maxSearchedChars = 20_000;
/** An expression that goes back and forth for longer is taken not to match. */
const maxMatchMs = 250;

const asExpression = /^\/(.+)\/([a-z]*)$/is;
const marker = /[ \t]*\[\d{1,3}\]/g;

const flat = (text: string) => text.replace(/\s+/g, ' ').toLowerCase();

function matches(source: string, flags: string, text: string): boolean {
  try {
    // Only in a context of its own can an expression be ended; a new one for each test, because `g` and `y` remember.
    return runInNewContext('pattern.test(text)', { pattern: new RegExp(source, flags), text }, { timeout: maxMatchMs }) as boolean;
  } catch (error) {
    // An error of the other context is no `Error` of this one.
    if ((error as { readonly code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}

/** @throws SyntaxError where `/…/flags` is no regular expression */
export function parsePattern(written: string): Pattern {
  const [, source, flags = ''] = asExpression.exec(written) ?? [];
  const looked = (text: string) => [text, text.replace(marker, '')].map((form) => form.slice(0, maxSearchedChars));
  if (source === undefined) {
    const wanted = flat(written.trim());
    return { written, isIn: (text) => looked(text).some((form) => flat(form).includes(wanted)) };
  }
  new RegExp(source, flags);
  return { written, isIn: (text) => looked(text).some((form) => matches(source, flags, form)) };
}
