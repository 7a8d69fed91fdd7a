/**
 * Asks a running server its suggested questions: are they answered, and from the section that they
 * were made from? `node bench/suggestions.ts URL`
 */
const [, , url = 'http://127.0.0.1:4111', only] = process.argv;

// The shape of each response is that of its operation.
const read = async (path: string, body?: unknown): Promise<any> => {
  const init =
    body === undefined
      ? {}
      : {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        };
  return (await fetch(`${url}${path}`, init)).json();
};
const words = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));

interface Row {
  readonly namespace: string;
  readonly question: string;
  readonly title: string;
  readonly isAnswered: boolean;
  readonly isOwn: boolean;
  readonly text: string;
}

const rows: Row[] = [];
let namespaces = 0;
let full = 0;
for (const { name, documents } of (await read('/api/namespaces')).namespaces) {
  if (documents === 0 || (only && !name.startsWith(only))) continue;
  const started = performance.now();
  const { suggestions } = await read(`/api/namespaces/${name}/suggestions`);
  namespaces += 1;
  if (suggestions.length >= 3) full += 1;
  console.log(
    `\n${name}: ${documents} documents, ${suggestions.length} questions, ${Math.round(performance.now() - started)} ms`,
  );
  for (const { question, documentId, title } of suggestions) {
    const message = {
      messages: [{ role: 'user', content: `@agent ${question}` }],
      requestContext: { namespace: name },
    };
    const { answered, citations, text } = await read('/api/agents/knowledge/generate', message);
    const asked = words(question);
    // Most words of a heading above the quote are in the question.
    const isAsked = (heading: string) => {
      const named = [...words(heading)];
      return (
        named.filter((word) => asked.has(word) || question.toLowerCase().includes(word)).length >=
        Math.max(1, named.length / 2)
      );
    };
    const isOwn =
      citations?.[0]?.documentId === documentId && citations[0].headingPath.some(isAsked);
    rows.push({ namespace: name, question, title, isAnswered: answered, isOwn, text });
    console.log(
      `  ${answered ? ' ' : 'UNANSWERED '}${isOwn ? '' : 'ELSEWHERE '}${question}   (${title})\n      ${text?.split('\n\nSources')[0].replace(/\s+/g, ' ').slice(0, 160)}`,
    );
  }
}
const share = (count: number, of: number) =>
  `${count} of ${of} (${Math.round((100 * count) / Math.max(1, of))} %)`;
console.log(`\nnamespaces with three or more: ${share(full, namespaces)}`);
console.log(`answered: ${share(rows.filter(({ isAnswered }) => isAnswered).length, rows.length)}`);
console.log(
  `from the same section: ${share(rows.filter(({ isAnswered, isOwn }) => isAnswered && isOwn).length, rows.length)}`,
);
