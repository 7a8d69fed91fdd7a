/** How a crawl reads what is not a document: the rules and the lists of a site. */

export interface Got {
  readonly status: number;
  /** Where it led after redirects. */
  readonly url: URL;
  /** Empty for anything but a 2xx. */
  readonly bytes: Uint8Array;
}

/** @throws KnowledgeError as the loader's outbound does; an answer of any status is no error */
export type Get = (url: string, request: { readonly signal: AbortSignal | undefined; readonly maxBytes: number }) => Promise<Got>;
