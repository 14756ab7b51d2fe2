import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';

export const catalogQueries = {
  /** The parts that were taught, with their photos; null for a visitor. */
  types: () =>
    readQuery(['catalog', 'types'], (signal) => client.GET('/api/catalog/types', { signal })),
};
