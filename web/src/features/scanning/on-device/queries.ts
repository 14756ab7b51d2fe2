import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client } from '@/api/client';

/** The facts of the model for this browser; it fails where the server's model is none for browsers. */
export const browserModelQuery = () =>
  queryOptions({
    queryKey: ['scan', 'model'],
    queryFn: ({ signal }) => bodyOf(client.GET('/api/model', { signal })),
    // Another model comes with another start of the server, which the next page load notices.
    staleTime: Infinity,
    retry: false,
    refetchOnWindowFocus: false,
  });
