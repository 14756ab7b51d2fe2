import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';

/** The price lists of the shop, the newest first, with deleted ones that can be brought back. */
export const priceListsQuery = () =>
  queryOptions({
    queryKey: ['price-lists'],
    queryFn: ({ signal }) => read(client.GET('/api/price-lists', { signal })),
  });
