import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';
import type { PartCategory } from '@/features/parts/browser/model';

export const partQueries = {
  category: (category: PartCategory) =>
    readQuery(['parts', 'category', category], (signal) =>
      client.GET('/api/parts/category/{category}', { params: { path: { category } }, signal }),
    ),
  /** Where to buy a part for the default vehicle. */
  suppliers: (id: string) =>
    readQuery(['parts', 'suppliers', id], (signal) =>
      client.GET('/api/parts/{id}/ai-suppliers', { params: { path: { id } }, signal }),
    ),
};
