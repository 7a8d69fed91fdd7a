/** Chat messages that arrive before the server is ready. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatWebhooks } from './chat-webhooks.ts';

const keptMs = 60_000;
const maxKept = 200;
const maxKeptChars = 64 * 1024;

/**
 * Refuses messages until the server is ready, so that the platform repeats them. The platform may
 * not: each is kept for a minute and then answered once, because a repetition is a duplicate.
 */
export function answerLate(
  take: ChatWebhooks['take'],
  {
    requireReady,
    whenReady,
    onWarning,
  }: Readonly<{
    /** @throws KnowledgeError `not_ready` */
    requireReady: () => Promise<void>;
    whenReady: Promise<void>;
    onWarning: (message: string, error: unknown) => void;
  }>,
): ChatWebhooks['take'] {
  let kept = 0;
  let last = Promise.resolve();

  /** In the order of arrival, so that an edit follows its message. */
  function keep(...message: Parameters<typeof take>) {
    if (kept >= maxKept || message[1].body.length > maxKeptChars) return;
    kept++;
    const isReadyInTime = Promise.race([
      whenReady.then(() => true),
      sleep(keptMs, false, { ref: false }),
    ]);
    last = last
      .then(async () => void ((await isReadyInTime) && (await take(...message))))
      .catch((error: unknown) => onWarning('answering an early chat message failed', error))
      .finally(() => kept--);
  }

  return async (...message) => {
    await requireReady().catch((error: unknown) => {
      keep(...message);
      throw error;
    });
    return take(...message);
  };
}
