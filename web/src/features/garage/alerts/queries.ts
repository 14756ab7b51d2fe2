import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';
import type { Day } from '@/lib/dates';

export const alertQueries = {
  /** What is overdue or due within 30 days, of all vehicles; null for a visitor. */
  list: (today: Day) =>
    readQuery(['alerts', 'list', { today }], (signal) =>
      client.GET('/api/alerts', { params: { query: { today } }, signal }),
    ),
};
