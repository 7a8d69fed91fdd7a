/**
 * Checks answers against the contract only and returns one line per problem. Uses the answer's
 * passages, the stored files and the model's request, but not the service's own checks.
 */
import { createHash } from 'node:crypto';
import { closest, refusal } from '../../src/ask/reply/answer.ts';
import { lastText, type ProviderRequest, textIn } from './fake-provider.ts';
import { listed } from './listed.ts';
import type { TestService } from './workspace.ts';

/** Answer from `generate` or from a stream. */
export type ReceivedAnswer = Readonly<{
  status: number;
  text: string;
  /** Undefined if it ended in an error. */
  body: any;
  code: string | undefined;
  /** Passages that the caller received. */
  passages: readonly any[];
  toolCalls: readonly any[];
  /** Complete response text. */
  raw: string;
  problems: readonly string[];
}>;

const chunkTypes = listed(
  'start | tool-call | tool-result | text-start | text-delta | text-end | finish | tripwire | error',
);
const noAnswer = { text: '', body: undefined, passages: [], toolCalls: [], problems: [] };
const asking = (question: string, namespace: string) => ({
  messages: [{ role: 'user', content: `@agent ${question}` }],
  toolParams: { namespace },
});

export async function generated(
  service: TestService,
  question: string,
  namespace = 'docs',
): Promise<ReceivedAnswer> {
  const { status, body } = await service.generate(asking(question, namespace));
  const { code, text, toolCalls } = body;
  const received = { ...noAnswer, status, code, raw: JSON.stringify(body) };
  if (status !== 200) return received;
  const passages = body.toolResults.flatMap((call: any) => call.result.results);
  return { ...received, text, body, passages, toolCalls };
}

export async function streamed(
  service: TestService,
  question: string,
  namespace = 'docs',
): Promise<ReceivedAnswer> {
  const response = await service.send('/api/agents/knowledge/stream', asking(question, namespace));
  const raw = await response.text();
  const { status } = response;
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
    return { ...noAnswer, status, code: JSON.parse(raw).code, raw };
  const lines = raw.split('\n').filter((line) => line !== '' && !line.startsWith(':'));
  const problems = lines
    .filter((line) => !line.startsWith('data: '))
    .map((line) => `a line of the stream is not an event: ${line}`);
  const last = lines.pop();
  if (last !== 'data: [DONE]') problems.push(`the stream ends in ${last}`);
  const chunks = lines.map((line) => JSON.parse(line.slice('data: '.length)));
  const types: string[] = chunks.map(({ type }) => type);
  for (const type of types)
    if (!chunkTypes.includes(type)) problems.push(`a chunk of type ${type}`);
  if (types[0] !== 'start') problems.push(`the stream begins with ${types[0]}`);
  if (!['finish', 'error'].includes(types.at(-1) ?? ''))
    problems.push(`the last chunk is ${types.at(-1)}`);
  const of = (type: string) =>
    chunks.filter((chunk) => chunk.type === type).map(({ payload }) => payload);
  const text = of('text-delta')
    .map((payload) => payload.text)
    .join('');
  // After an error, the finish chunk contains no answer.
  const finish = types.includes('error') ? undefined : of('finish')[0];
  if (finish && finish.output.text !== text)
    problems.push('the deltas together are not the final text');
  return {
    status,
    text,
    body: finish && { ...finish, text: finish.output.text },
    code: of('error')[0]?.code,
    passages: of('tool-result').flatMap((payload) => payload.result.results),
    toolCalls: of('tool-call'),
    raw,
    problems,
  };
}

const figure = /\d+(?:[.,:/-]\d+)*/g;
const money = /[$€£¥]\s?\d[\d.,]*|\d[\d.,]*\s?[%€£¥]/g;
const address =
  /[a-z][a-z0-9+.-]*:\/\/[^\s)\]>|"'`]+|\bwww\.[^\s)\]>|"'`]+|(?<![\p{L}\p{N}@./-])(?:[\p{L}\p{N}-]+\.)+(?:com|dev|example|invalid|io|net|org|test)\b/giu;
const mail = /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;
const unseen =
  /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E0FFF}]|(?![\t\n])\p{Cc}/u;
const lookAlikeMark = /【\s*\d|［|〔|\[\^|\[\s*-|†\d|\[\d+\s*[-–.]/u;

const plain = (text: string) => text.normalize('NFKC').replace(/(?<=\d),(?=\d{3}(?!\d))/g, '');
/** Passage without invisible characters. */
const readable = (text: string) => plain(text.replace(new RegExp(unseen, 'gu'), ''));
const found = (text: string, pattern: RegExp) =>
  (text.match(pattern) ?? []).map((one) => one.toLowerCase().replace(/[.,;:]+$/, ''));
/** Blanks brackets in code, so that an array index is not taken for a citation. */
const withoutCode = (text: string) =>
  text.replace(/^(`{3,})\n[\s\S]*?\n\1$|`[^`\n]+`/gm, (code) => code.replace(/[[\]<>!]/g, ' '));

/** Cuts the body at its citations. */
function claimsOf(body: string) {
  const claims: { readonly text: string; readonly numbers: readonly number[] }[] = [];
  let from = 0;
  for (const match of withoutCode(body).matchAll(/(?:\s*\[\d+\])+/g)) {
    claims.push({
      text: body.slice(from, match.index),
      numbers: [...match[0].matchAll(/\d+/g)].map(Number),
    });
    from = match.index + match[0].length;
  }
  return { claims, rest: body.slice(from) };
}

/** Beginnings of the longer words. */
const beginnings = (text: string) =>
  (text.match(/[\p{Script=Latin}]{4,}/gu) ?? []).map((word) => word.toLowerCase().slice(0, 4));

function problemsOfClaim(text: string, passages: readonly any[]) {
  const evidence = readable(
    passages
      .map((passage) => `${passage.title}\n${passage.headingPath.join('\n')}\n${passage.text}`)
      .join('\n'),
  );
  const claim = plain(text.replace(/^\s*(?:[-*+]|\d{1,3}[.)])\s/gm, ''));
  const missing = (what: string, pattern: RegExp) => {
    const there = new Set(found(evidence, pattern));
    return found(claim, pattern).flatMap((one) =>
      there.has(one) ? [] : [`${what} ${one} is not in the cited passage: ${text.trim()}`],
    );
  };
  const problems = [
    missing('figure', figure),
    missing('amount', money),
    missing('address', address),
    missing('e-mail', mail),
  ].flat();
  const flat = evidence.replace(/\s+/g, ' ');
  for (const [, code = ''] of claim.matchAll(/`([^`\n]+)`/g))
    if (!flat.includes(code)) problems.push(`code ${code} is not in the cited passage`);
  const words = beginnings(claim);
  const there = new Set(beginnings(evidence));
  const supported = words.filter((word) => there.has(word)).length;
  if (words.length > 0 && supported < words.length / 2)
    problems.push(`most words are not in the cited passage: ${text.trim()}`);
  return problems;
}

/** Content that no answer may contain. */
function problemsOfMarkup(body: string, passages: readonly any[]) {
  const shown = withoutCode(body);
  const sources = new Set(
    passages.filter(({ kind }) => kind === 'url').map(({ source }) => source),
  );
  const problems = [
    ...(/!\[/.test(shown) ? ['an image'] : []),
    ...(/<[a-z!/?]/i.test(shown) ? ['HTML'] : []),
    ...(/(?:javascript|vbscript|data|file)\s*:/i.test(shown) ? ['an active address'] : []),
    ...(lookAlikeMark.test(shown) ? ['a mark that looks like a citation'] : []),
    ...(unseen.test(body) ? ['an invisible character'] : []),
    ...(!body.isWellFormed() || body.includes('\uFFFD') ? ['a broken character'] : []),
    ...(/^\W*(?:sources|references|quellen|fuentes|出典)\s*[:：]/im.test(body)
      ? ['a list of sources inside the answer']
      : []),
  ];
  for (const [, target = ''] of shown.matchAll(/\]\(\s*<?([^)\s>]*)|^\s*\[[^\]]+\]:\s*(\S+)/gm))
    if (!sources.has(target.replace(/#.*$/, ''))) problems.push(`a link to ${target}`);
  return problems.map((problem) => `${problem}: ${body}`);
}

async function problemsOfCitations(
  received: ReceivedAnswer,
  stored: TestService['storedText'],
  sourceLines: readonly string[],
) {
  const problems: string[] = [];
  const { citations, namespace } = received.body;
  const documents = new Set(citations.map(({ documentId }: any) => documentId));
  if (sourceLines.length !== documents.size)
    problems.push(`${sourceLines.length} lines of sources for ${documents.size} documents`);
  for (const line of sourceLines) {
    const [, numbers = '', label = '', target] =
      /^((?:\[\d+\])+) ([^[\]<>`\n]+?)(?: \((https?:\S+)\))?$/.exec(line) ?? [];
    const named = found(numbers, /\d+/g).map(Number);
    const cited = citations.filter(({ index }: any) => named.includes(index));
    const [first] = cited;
    if (!first || cited.some(({ documentId }: any) => documentId !== first.documentId))
      problems.push(`a line of sources that names no document: ${line}`);
    else if (
      target === undefined
        ? /^http/.test(first.source)
        : target.replace(/#.*$/, '') !== first.source
    )
      problems.push(`a source that is not the citation's: ${line}`);
    else if (label === '') problems.push(`a source without a name: ${line}`);
  }
  const numbers = new Set(citations.map(({ index }: any) => index));
  if (citations.some(({ index }: any) => index > numbers.size))
    problems.push('numbers that are not in a row');
  for (const place of [...citations, ...received.passages]) {
    const file = await stored(namespace, place.file);
    if (file.slice(place.start, place.end) !== (place.quote ?? place.text))
      problems.push(`${place.file} does not contain the quote`);
    if (place.revision !== `sha256-${createHash('sha256').update(file).digest('hex')}`)
      problems.push(`the revision of ${place.file} is wrong`);
  }
  return problems;
}

const passagesOf = (received: ReceivedAnswer, numbers: readonly number[]) =>
  received.passages.filter(({ file, start, end }) =>
    received.body?.citations.some(
      (citation: any) =>
        numbers.includes(citation.index) &&
        citation.file === file &&
        citation.start >= start &&
        citation.end <= end,
    ),
  );

/** Sections below their headings, each with its number, at most 1,800 characters in all. */
function problemsOfSections(sections: string, received: ReceivedAnswer) {
  const { claims, rest } = claimsOf(sections);
  const problems = sections.length > 1_900 ? [`sections that are too long: ${sections}`] : [];
  if (rest.trim() !== '') problems.push(`a section without its number: ${rest}`);
  for (const { text, numbers } of claims) {
    if (!/^\s*\*\*.+\*\*\n\n\S/.test(text)) problems.push(`a section without heading: ${text}`);
    problems.push(...problemsOfClaim(text, passagesOf(received, numbers)));
  }
  return problems;
}

function problemsOfClaims(body: string, received: ReceivedAnswer) {
  const { claims, rest } = claimsOf(body);
  const isUncited = /[\p{L}\p{N}]/u.test(rest);
  // The number of a run of sentences stands at its end, which a stream that breaks off lacks.
  const problems = !isUncited
    ? []
    : received.body
      ? [`text without a citation: ${rest}`]
      : problemsOfClaim(rest, received.passages);
  for (const { text, numbers } of claims) {
    const cited = received.body ? passagesOf(received, numbers) : received.passages;
    const isLost = (number: number) => passagesOf(received, [number]).length === 0;
    if (received.body && numbers.some(isLost))
      problems.push(`a citation [${numbers}] that leads nowhere`);
    problems.push(...problemsOfClaim(text, cited));
  }
  return problems;
}

/** Partial answer and sections that may answer; one of them may be missing. */
function problemsOfClosest(body: string, received: ReceivedAnswer) {
  const leads = languages.map(
    (language) => closest([], [], { language }).text.split('\n')[0] ?? '',
  );
  const lead = leads.find((one) => `\n\n${body}`.includes(`\n\n${one}\n\n`));
  const [partial = '', sections] =
    lead === undefined ? [body] : `\n\n${body}`.split(`\n\n${lead}\n\n`);
  const problems = problemsOfClaims(partial, received);
  if (partial === '' && sections === undefined)
    problems.push(`an unknown refusal: ${received.text}`);
  for (const { index } of received.body.citations)
    if (!body.includes(`[${index}]`)) problems.push(`citation ${index} has no mark: ${body}`);
  return sections === undefined
    ? problems
    : [...problems, ...problemsOfSections(sections, received)];
}

const languages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ru', 'ja', 'zh', 'ko'] as const;

/** Searches for five-word runs of the instructions, to find partial or reformatted leaks. */
function problemsOfSecrets(
  received: ReceivedAnswer,
  request: ProviderRequest | undefined,
  secrets: readonly string[],
) {
  const sent = `${received.raw}\n${received.text}`;
  const words = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const system = words(
    request?.body.messages
      .flatMap(({ role, content }) => (role === 'system' ? [textIn(content)] : []))
      .join('\n') ?? '',
  );
  const sentWords = ` ${words(sent).join(' ')} `;
  const runs = system.slice(0, -4).map((_, at) => system.slice(at, at + 5).join(' '));
  const boundary = request && /<<<(\S+)/.exec(lastText(request))?.[1];
  return [
    ...runs
      .filter((run) => sentWords.includes(` ${run} `))
      .map((run) => `the instructions leak: ${run}`),
    ...[boundary ?? [], secrets, 'NO_ANSWER', 'chatcmpl']
      .flat()
      .flatMap((secret) => (sent.includes(secret) ? [`${secret} leaks`] : [])),
  ];
}

/** @param request request to the model; undefined if there was none */
export async function problemsOf(
  received: ReceivedAnswer,
  service: Pick<TestService, 'storedText'>,
  request: ProviderRequest | undefined,
  secrets: readonly string[],
): Promise<string[]> {
  const problems = [...received.problems, ...problemsOfSecrets(received, request, secrets)];
  if (!received.body && ![200, 502, 503, 504].includes(received.status))
    problems.push(`status ${received.status} ${received.code}`);
  if (!received.body && !/^(?:model_failed|model_unavailable|timeout)$/.test(`${received.code}`))
    problems.push(`no answer, and the code is ${received.code}`);
  const [body = '', sources, ...more] = received.text.split(/\n\nSources:[ \n]/);
  if (received.body?.answered === false) {
    const { reason, citations } = received.body;
    if (
      reason !== 'closest' &&
      !languages.some((language) => refusal({ language }).text === received.text)
    )
      problems.push(`an unknown refusal: ${received.text}`);
    if (
      !['no_context', 'closest'].includes(reason) ||
      citations.length > 0 !== (reason === 'closest')
    )
      problems.push('a refusal with a wrong reason or wrong citations');
    if (reason === 'closest')
      problems.push(
        ...problemsOfMarkup(body, received.passages),
        ...problemsOfClosest(body, received),
      );
  } else {
    problems.push(
      ...problemsOfClaims(body, received),
      ...problemsOfMarkup(body, received.passages),
    );
  }
  if (received.body) {
    if (more.length > 0 || sources === undefined)
      problems.push(`not exactly one list of sources: ${received.text}`);
    const lines = (sources ?? '').split('\n');
    problems.push(
      ...(await problemsOfCitations(received, service.storedText, sources === 'none' ? [] : lines)),
    );
    for (const count of ['dropped', 'repaired'] as const)
      if (!Number.isInteger(received.body[count]) || received.body[count] < 0)
        problems.push(`${count} is ${received.body[count]}`);
  }
  return problems;
}
