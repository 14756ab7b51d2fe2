import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';

/** What the server may learn from feedback, and what it has learnt; null for a visitor. */
export const learningQuery = () =>
  queryOptions({
    queryKey: ['learning'],
    queryFn: ({ signal }) => read(client.GET('/api/learning', { signal })),
  });
