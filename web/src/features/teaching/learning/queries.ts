import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';

/** What the server may learn from feedback, and what it has learnt; null for a visitor. */
export const learningQuery = () =>
  readQuery(['learning'], (signal) => client.GET('/api/learning', { signal }));
