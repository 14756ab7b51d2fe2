import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';

export const apiKeyQueries = {
  list: () => readQuery(['api-keys', 'list'], (signal) => client.GET('/api/api-keys', { signal })),
  /** The last 30 days. */
  usage: () => readQuery(['api-keys', 'usage'], (signal) => client.GET('/api/usage', { signal })),
};
