/**
 * The port to vectors that several servers share, so that a text is paid for once by all of them. No method fails: where the vectors
 * cannot be reached, every server embeds for itself.
 */
export interface SharedVectors {
  /**
   * What is there, and which of the other texts this server is to embed: until it settles them, or has been silent for a minute. What is in
   * neither is being embedded by another server.
   */
  claim(keys: readonly string[]): Promise<{ readonly found: ReadonlyMap<string, Float32Array>; readonly claimed: ReadonlySet<string> }>;
  /** @param vectors of what was embedded, from now on there for all; the other keys may be claimed again */
  settle(claimed: readonly string[], vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
  /** No document holds these texts any more. */
  forget(keys: readonly string[]): Promise<void>;
}
