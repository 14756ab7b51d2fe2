import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';
import type { Day } from '@/lib/dates';

export const alertQueries = {
  /** What is overdue or due within 30 days, of all vehicles; null for a visitor. */
  list: (today: Day) =>
    queryOptions({
      queryKey: ['alerts', 'list', { today }],
      queryFn: ({ signal }) =>
        read(client.GET('/api/alerts', { params: { query: { today } }, signal })),
    }),
};
