/** One source of the bench and its expected text. The other readers only run on HTML rows. */

export interface Row {
  readonly name: string;
  readonly group: string;
  readonly source: () => Promise<{
    readonly bytes: Uint8Array;
    readonly fileName: string;
    readonly mediaType: string;
    readonly location?: string;
  }>;
  /** Text that a reader of the source sees; compared without markup and white space. */
  readonly keep: readonly string[];
  /** Hidden text, and text around the content. */
  readonly drop: readonly string[];
  /**
   * Markdown that our result must contain unchanged: languages, anchors, table rows. Not counted
   * for other readers.
   */
  readonly keepMarkdown?: readonly string[];
}

/** A page of a built site. */
export interface SitePage extends Omit<Row, 'group' | 'source'> {
  readonly url: string;
  /** Path of the page in the site's folder. */
  readonly built: string;
}
