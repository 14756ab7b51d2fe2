import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';

/** Between two looks at how far the server is with a new model. */
const PROGRESS_MS = 3000;

/** Whether the model in use knows the photos; asked again while the server is at it. */
export const catalogStatusQuery = () =>
  queryOptions({
    queryKey: ['catalog-doctor', 'status'],
    queryFn: ({ signal }) => read(client.GET('/api/catalog', { signal })),
    refetchInterval: ({ state }) =>
      state.data?.reembedding.running === true ? PROGRESS_MS : false,
  });

/** What is doubtful in the photos of all parts. It takes seconds, so only a person starts it again. */
export const diagnosisQuery = () =>
  queryOptions({
    queryKey: ['catalog-doctor', 'diagnosis'],
    queryFn: ({ signal }) => read(client.GET('/api/catalog/doctor', { signal })),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
