import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';

/** The price lists of the shop, the newest first, with deleted ones that can be brought back. */
export const priceListsQuery = () =>
  readQuery(['price-lists'], (signal) => client.GET('/api/price-lists', { signal }));
