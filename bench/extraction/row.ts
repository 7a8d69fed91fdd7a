/** One source of the bench and what has to come out of it. Rows of other formats fit as well; only those of HTML meet the other readers. */

export interface Row {
  readonly name: string;
  readonly group: string;
  readonly source: () => Promise<{
    readonly bytes: Uint8Array;
    readonly fileName: string;
    readonly mediaType: string;
    readonly location?: string;
  }>;
  /** Text that a reader of the source sees and could ask for; compared without markup and white space. */
  readonly keep: readonly string[];
  /** Text that frames or serves the content, or that nobody sees. */
  readonly drop: readonly string[];
  /** Markdown that has to stand in our result as it is: languages, anchors, rows of tables. Not counted for others. */
  readonly keepMarkdown?: readonly string[];
}

/** A page of a site that its generator builds. */
export interface SitePage extends Omit<Row, 'group' | 'source'> {
  readonly url: string;
  /** Where the page is, below the site's folder. */
  readonly built: string;
}
