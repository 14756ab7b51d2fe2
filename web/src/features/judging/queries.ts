import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';

/** What the vision-LLM means for the signed-in user, or the company; null for a visitor. */
export const judgeQuery = () =>
  queryOptions({
    queryKey: ['judge'],
    queryFn: ({ signal }) => read(client.GET('/api/judge', { signal })),
  });
