import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';

/** What the vision-LLM means for the signed-in user, or the company; null for a visitor. */
export const judgeQuery = () =>
  readQuery(['judge'], (signal) => client.GET('/api/judge', { signal }));
