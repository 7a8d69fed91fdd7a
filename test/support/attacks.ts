/** Attacks on pages, by name, and what they would leave in a page. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** Browser globals, for functions that run in the page. */
declare const document: any;
declare const window: any;

export const evil = 'evil.example';

const file = new URL('../fixtures/attacks.yaml', import.meta.url);
export const attacks: Readonly<Record<string, string>> = parse(readFileSync(file, 'utf8'));

/** Attacks call this. It logs a console error, which fails the test. */
export const canary = `window.pwned = () => { top.isPwned = true; console.error('a script of a document ran'); };`;

/**
 * Chromium also logs these for content that is parsed and discarded; `collectFaults` checks the
 * page itself.
 */
export const parsingErrors =
  /^(Executing inline event handler|Applying inline style|Setting the document's base URI|This document requires 'TrustedScript' assignment)/;

/** Returns forbidden elements, attributes and link targets in rendered text; runs in the page. */
export function collectFaults(within: string): string[] {
  const allowed = new Set(
    'A P H1 H2 H3 H4 H5 H6 UL OL LI BLOCKQUOTE PRE CODE EM STRONG DEL INS SUB SUP KBD BR HR DL DT DD TABLE THEAD TBODY TR TH TD DETAILS SUMMARY MARK'.split(
      ' ',
    ),
  );
  const isOwn = (element: any) => element.matches('div.slice, button.mark, pre.source');
  // A form field may be named `getAttributeNames`.
  const attributesOf = (element: any): any[] =>
    window.Element.prototype.getAttributeNames.call(element).map((name: string) => ({
      name,
      value: window.Element.prototype.getAttribute.call(element, name),
    }));
  const faults: string[] = [];
  for (const element of document.querySelectorAll(`${within} *`)) {
    if (!isOwn(element) && !allowed.has(element.tagName)) faults.push(`element ${element.tagName}`);
    for (const { name, value } of attributesOf(element)) {
      if (
        /^on/i.test(name) ||
        ['src', 'srcset', 'style', 'id', 'name', 'ping', 'background', 'is'].includes(name)
      ) {
        if (!isOwn(element)) faults.push(`attribute ${name}`);
      }
      if (name === 'href' && !/^(https?:\/\/|mailto:|#)/i.test(value))
        faults.push(`address ${value}`);
    }
  }
  for (const element of document.querySelectorAll('*'))
    for (const { name } of attributesOf(element))
      if (/^on/i.test(name)) faults.push(`handler ${name} on ${element.tagName}`);
  if (
    document.querySelectorAll('script').length !== 1 ||
    document.querySelectorAll('base, meta[http-equiv], iframe, object, embed').length > 0
  )
    faults.push('the page contains foreign scripts or frames');
  return faults;
}
