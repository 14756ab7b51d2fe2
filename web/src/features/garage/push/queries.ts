import { queryOptions } from '@tanstack/react-query';
import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';
import { browserPush } from '@/features/garage/push/browser';

export const pushQueries = {
  server: () =>
    readQuery(['reminders', 'push'], (signal) => client.GET('/api/reminders/push', { signal })),
  /** What only this browser knows. */
  browser: () => queryOptions({ queryKey: ['reminders', 'push', 'browser'], queryFn: browserPush }),
};
