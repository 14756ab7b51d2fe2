import { client } from '@/api/client';

type Rhythm = 'daily' | 'weekly';

export function isRhythm(text: string): text is Rhythm {
  return text === 'daily' || text === 'weekly';
}

/** When it is seven in the morning here on a Monday, in UTC; weekdays from 1 for Monday to 7 for Sunday. */
export function mondayAtSeven(now: Date): { hourUtc: number; weekdayUtc: number } {
  const hours = Math.round(7 + now.getTimezoneOffset() / 60);
  return { hourUtc: (hours + 24) % 24, weekdayUtc: ((Math.floor(hours / 24) + 7) % 7) + 1 };
}

export const reminderMailMutations = {
  /** Null for no mails. */
  choose: async (rhythm: Rhythm | null): Promise<void> => {
    if (rhythm === null) await client.DELETE('/api/reminders/mails');
    else {
      const body = { rhythm, ...mondayAtSeven(new Date()) };
      await client.PUT('/api/reminders/mails', { body });
    }
  },
  unsubscribe: (token: string) =>
    client.POST('/api/reminders/unsubscribe/{token}', { params: { path: { token } } }),
};
