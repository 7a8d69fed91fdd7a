/**
 * Port to vectors that servers share, so that each text is embedded once. No method throws: in an
 * outage each server embeds for itself.
 */
export interface SharedVectors {
  /**
   * Returns stored vectors, and the keys that this server must embed. A claim ends with `settle`,
   * or a minute after the server's last contact. Other servers are embedding the remaining keys.
   */
  claim(
    keys: readonly string[],
  ): Promise<Readonly<{ found: ReadonlyMap<string, Float32Array>; claimed: ReadonlySet<string> }>>;
  /** Shares vectors and ends claims. @param vectors keys without a vector can be claimed again */
  settle(claimed: readonly string[], vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
  /** Deletes vectors that no document of this server uses. */
  forget(keys: readonly string[]): Promise<void>;
}
