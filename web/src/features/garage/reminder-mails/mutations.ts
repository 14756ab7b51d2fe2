import { client } from '@/api/client';

export type Rhythm = 'daily' | 'weekly';

export function isRhythm(text: string): text is Rhythm {
  return text === 'daily' || text === 'weekly';
}

/** The hour of the day in UTC at which it is seven in the morning here. */
export function sevenHere(now: Date): number {
  const hours = 7 + now.getTimezoneOffset() / 60;
  return ((Math.round(hours) % 24) + 24) % 24;
}

export const reminderMailMutations = {
  /** Null for no mails. */
  choose: async (rhythm: Rhythm | null): Promise<void> => {
    if (rhythm === null) await client.DELETE('/api/reminders/mails');
    else {
      const body = { rhythm, hourUtc: sevenHere(new Date()) };
      await client.PUT('/api/reminders/mails', { body });
    }
  },
  unsubscribe: (token: string) =>
    client.POST('/api/reminders/unsubscribe/{token}', { params: { path: { token } } }),
};
