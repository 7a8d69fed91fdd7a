/** JSON and NDJSON → Markdown. What is no JSON is refused with its line. */
import type { ParsedSource } from '../../types.ts';
import { jsonToMarkdown, leafText } from './json-markdown.ts';
import { isObject, type Json, memberOf, readJson } from './json-read.ts';
import { isOpenApi, openApiToMarkdown } from './openapi-markdown.ts';
import { inlineValue } from './records-markdown.ts';

const longestTitle = 200;

function titleOf(document: Json): string | undefined {
  if (!isObject(document)) return undefined;
  const title = ['title', 'name', 'headline'].map((key) => inlineValue(leafText(memberOf(document, key)))).find((text) => text !== '');
  return title !== undefined && title.length <= longestTitle ? title : undefined;
}

/** @throws KnowledgeError `unsupported_media_type`, `payload_too_large` */
export async function parseJson(text: string): Promise<ParsedSource> {
  const documents = readJson(text.replace(/^\uFEFF/, ''));
  const [first] = documents;
  if (documents.length === 1 && isOpenApi(first)) return openApiToMarkdown(first);
  const document: Json = documents.length === 1 && first !== undefined ? first : { kind: 'array', items: documents };
  return { title: titleOf(document), markdown: jsonToMarkdown(document, 2) };
}
