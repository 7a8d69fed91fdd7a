/**
 * HTML → its tree, as browsers build it. Refuses pages that are nested or tagged beyond what a page for people is, because trees and
 * everything done to them would take minutes or gigabytes: first in one linear pass over the text, then while the tree is built, where
 * misplaced tags multiply (unclosed formatting is opened again in every paragraph: https://html.spec.whatwg.org/#reconstruct-the-active-formatting-elements).
 */
import { load } from 'cheerio';
import { Parser } from 'htmlparser2';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { KnowledgeError } from '../../errors.ts';
import { childrenOf, type HtmlNode } from './dom.ts';

const maxDepth = 256;
const maxTags = 100_000;
/** More are read in quadratic time by the tree's builder. */
const maxAttributesOfTag = 500;
/** A builder adds what authors leave out: `tbody`, and formatting opened again. */
const maxElements = 2 * maxTags;
/** Each node that is moved costs as much as its parent has children. */
const maxMoves = 20_000;

const refusal = (what: string) => new KnowledgeError('unsupported_media_type', `The page ${what}.`);
const tooLarge = () => refusal(`has more than ${maxTags} tags or nests them deeper than ${maxDepth}`);

/** @throws KnowledgeError `unsupported_media_type` */
function checkTags(html: string): void {
  let depth = 0;
  let tags = 0;
  let attributes = 0;
  const parser = new Parser({
    onopentagname() {
      depth++;
      tags++;
      attributes = 0;
      if (depth > maxDepth || tags > maxTags) throw tooLarge();
    },
    onattribute() {
      if (++attributes > maxAttributesOfTag) throw refusal(`has a tag with more than ${maxAttributesOfTag} attributes`);
    },
    onclosetag() {
      depth--;
    },
  });
  parser.write(html);
  parser.end();
}

/** Nodes that were moved while the tree was built may lie deeper than any open tag did. */
function checkDepth(root: HtmlNode): void {
  let level: readonly HtmlNode[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > 2 * maxDepth) throw tooLarge();
    level = level.flatMap(childrenOf);
  }
}

export type Page = ReturnType<typeof load>;

/** @throws KnowledgeError `unsupported_media_type` for a page that is nested or tagged beyond reason */
export function openPage(html: string): Page {
  checkTags(html);
  let elements = 0;
  let depth = 0;
  let moves = 0;
  const counted =
    <Args extends readonly unknown[]>(move: (...args: Args) => void) =>
    (...args: Args) => {
      if (++moves > maxMoves) throw refusal('is too broken to be read: its tags do not end where they should');
      move(...args);
    };
  const page = load(html, {
    treeAdapter: {
      ...adapter,
      insertBefore: counted(adapter.insertBefore),
      insertTextBefore: counted(adapter.insertTextBefore),
      detachNode: counted(adapter.detachNode),
      createElement(name, namespace, attributes) {
        if (++elements > maxElements) throw tooLarge();
        return adapter.createElement(name, namespace, attributes);
      },
      onItemPush() {
        if (++depth > 2 * maxDepth) throw tooLarge();
      },
      onItemPop() {
        depth--;
      },
    },
  });
  checkDepth(page.root().get(0) as HtmlNode);
  return page;
}
