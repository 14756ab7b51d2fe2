import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';
import type { PartCategory } from '@/features/parts/browser/model';

export const partQueries = {
  category: (category: PartCategory) =>
    queryOptions({
      queryKey: ['parts', 'category', category],
      queryFn: ({ signal }) =>
        read(
          client.GET('/api/parts/category/{category}', { params: { path: { category } }, signal }),
        ),
    }),
  /** Where to buy a part for the default vehicle. */
  suppliers: (id: string) =>
    queryOptions({
      queryKey: ['parts', 'suppliers', id],
      queryFn: ({ signal }) =>
        read(client.GET('/api/parts/{id}/ai-suppliers', { params: { path: { id } }, signal })),
      retry: false,
    }),
};
