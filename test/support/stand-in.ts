/** Stand-in for a model that answers each kind of request by its header, as a gateway could. */
import type { ProviderRequest, Script } from './fake-provider.ts';
import { lastText } from './fake-provider.ts';

export type Purpose = 'search' | 'answer' | 'check' | 'rewrite';

type Asked = Readonly<{
  question: string;
  earlier: readonly { readonly role: string; readonly text: string }[];
  languages: readonly string[];
  headings: readonly string[];
  reply: string;
  sentences: readonly {
    readonly n: number;
    readonly text: string;
    readonly passages: readonly number[];
  }[];
  failed: readonly { readonly n: number; readonly text: string }[];
  shown: number;
}>;

export const purposeOf = ({ headers }: ProviderRequest): Purpose | undefined =>
  headers['x-knowledge-purpose'] as Purpose | undefined;

/** The JSON at the end of a request. */
export const askedIn = (request: ProviderRequest): Asked =>
  JSON.parse(lastText(request).split('\n').at(-1) ?? '{}');

/** Number of the first passage with these words. */
export const numberOf = (request: ProviderRequest, words: string): string =>
  lastText(request)
    .split('<<<')
    .find((passage) => passage.includes(words))
    ?.match(/\[(\d+)\]/)?.[1] ?? 'none';

export const purposesOf = (requests: readonly ProviderRequest[]) => requests.map(purposeOf);

export type StandIn = { readonly [Kind in Purpose]?: string | Script };

/** By default the question is the query, each sentence holds, and failed ones are left out. */
export const standIn =
  (replies: StandIn): Script =>
  (request, response) => {
    const purpose = purposeOf(request) ?? 'answer';
    const own = replies[purpose];
    if (own !== undefined) return typeof own === 'string' ? own : own(request, response);
    if (purpose === 'search') return askedIn(request).question;
    if (purpose === 'check')
      return askedIn(request)
        .sentences.map(({ n, passages: [passage] }) => `${n}: yes [${passage}]`)
        .join('\n');
    if (purpose === 'rewrite')
      return askedIn(request)
        .failed.map(({ n }) => `${n}:`)
        .join('\n');
    return 'NO_ANSWER';
  };

/** Denies sentences that contain one of the texts. */
export const denying =
  (...texts: readonly string[]): Script =>
  (request) =>
    askedIn(request)
      .sentences.map(({ n, text, passages: [passage] }) =>
        texts.some((one) => text.includes(one)) ? `${n}: no` : `${n}: yes [${passage}]`,
      )
      .join('\n');
