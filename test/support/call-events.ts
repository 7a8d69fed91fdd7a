/** Webhook bodies as in the platform's documentation. */

const envelope = { appId: 'app', region: 'us', webhook: 'hook-1' };

interface Ringing {
  readonly sessionId?: string;
  readonly from?: string;
  readonly to?: string;
  readonly at: number;
  readonly type?: string;
}

export const initiated = ({
  sessionId = 's1',
  from = 'ann',
  to = 'bob',
  at,
  type = 'audio',
}: Ringing) => ({
  ...envelope,
  trigger: 'call_initiated',
  data: {
    call: {
      id: '52',
      conversationId: `${from}_user_${to}`,
      sender: from,
      receiverType: 'user',
      receiver: to,
      category: 'call',
      type,
      data: {
        action: 'initiated',
        entities: {
          by: { entity: { uid: from, name: `${from} A.`, role: 'default' }, entityType: 'user' },
          for: { entity: { uid: to, name: `${to} B.`, role: 'default' }, entityType: 'user' },
          on: {
            entity: {
              sessionid: sessionId,
              status: 'initiated',
              type,
              initiatedAt: at,
              joinedAt: at,
            },
            entityType: 'call',
          },
        },
      },
      sentAt: at,
      updatedAt: at,
    },
  },
});

/** End of a ringing call: it has no session id, and the sender is the user who ended it. */
export const rung = (
  status: 'busy' | 'cancelled' | 'rejected' | 'unanswered',
  { from = 'ann', to = 'bob', at, type = 'audio' }: Ringing,
) => ({
  ...envelope,
  trigger: `call_${status}`,
  data: {
    call: {
      id: '53',
      conversationId: `${from}_user_${to}`,
      sender: status === 'cancelled' ? from : to,
      receiverType: 'user',
      receiver: status === 'cancelled' ? to : from,
      category: 'call',
      type,
      data: { action: status },
      sentAt: at,
      updatedAt: at,
    },
  },
});

export const started = (kind: 'call' | 'meeting', at: number, sessionId = 's1') => ({
  ...envelope,
  trigger: `${kind}_started`,
  type: kind === 'call' ? 'call' : 'meet',
  data: { created_at: at, sessionId },
});

export const occupant = (name: string, joined: number, left?: number, audio = true) => ({
  joined_at: joined,
  audio_call: String(audio),
  ...(left === undefined ? {} : { left_at: left }),
  name,
});

export const cameOrWent = (
  kind: 'call' | 'meeting',
  who: ReturnType<typeof occupant>,
  sessionId = 's1',
) => ({
  ...envelope,
  trigger: `${kind}_participant_${'left_at' in who ? 'left' : 'joined'}`,
  type: kind === 'call' ? 'call' : 'meet',
  data: { occupant: who, initial_config: { is_audio_only: 'true', mode: 'DEFAULT' }, sessionId },
});

export const ended = (
  kind: 'call' | 'meeting',
  created: number,
  destroyed: number,
  all: readonly ReturnType<typeof occupant>[],
  sessionId = 's1',
) => ({
  ...envelope,
  trigger: `${kind}_ended`,
  type: kind === 'call' ? 'call' : 'meet',
  data: { all_occupants: all, destroyed_at: destroyed, created_at: created, sessionId },
});

export const recorded = (sessionId = 's1') => ({
  ...envelope,
  trigger: 'recording_generated',
  data: {
    recordingDate: '2023-10-10',
    duration: '21.433000',
    startTime: '1696937627',
    sessionId,
    recording_url: 'https://example.com/r.mp4',
  },
});
