import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';
import { today, untilTomorrow } from '@/lib/dates';

export const alertQueries = {
  /** What is overdue or due within 30 days, of all vehicles, on the day that it is when they are asked for; null for a visitor. */
  list: () => ({
    ...readQuery(['alerts', 'list'], (signal) =>
      client.GET('/api/alerts', { params: { query: { today: today() } }, signal }),
    ),
    // In a tab that stays open, the next day is another.
    refetchInterval: untilTomorrow,
  }),
};
