import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';

/** The lists of cross-references of the shop, the newest first, with deleted ones that can be brought back. */
export const crossReferencesQuery = () =>
  readQuery(['cross-references'], (signal) => client.GET('/api/cross-references', { signal }));
