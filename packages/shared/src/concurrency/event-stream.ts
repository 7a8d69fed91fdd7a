/**
 * Reads server-sent events (HTML Living Standard, 9.2.6) in the browser and on the command line.
 */
export interface ServerEvent {
  /** Default: `message`. */
  readonly event: string;
  /** Lines joined by LF. */
  readonly data: string;
}

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/** Lines may end in LF, CR or CRLF. */
async function* linesOf(body: Body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let line = '';
  let endsInCr = false;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const [first = '', ...others] = (endsInCr ? value.replace(/^\n/, '') : value).split(
        /\r\n|\n|\r/,
      );
      endsInCr = value.endsWith('\r');
      line += first;
      for (const next of others) {
        yield line;
        line = next;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * Yields events as they arrive; drops an incomplete last event. @throws if the connection breaks
 */
export async function* readEvents(body: Body): AsyncGenerator<ServerEvent, void> {
  let event = '';
  let data: string[] = [];
  for await (const line of linesOf(body)) {
    const [, name, text = ''] = /^(event|data)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'event') event = text;
    if (name === 'data') data.push(text);
    if (line !== '') continue;
    if (data.length > 0) yield { event: event || 'message', data: data.join('\n') };
    event = '';
    data = [];
  }
}
