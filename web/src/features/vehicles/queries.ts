import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';

export const vehicleQueries = {
  /** All saved vehicles, the default first; null for a visitor. */
  list: () =>
    queryOptions({
      queryKey: ['vehicles', 'list'],
      queryFn: ({ signal }) => read(client.GET('/api/vehicles', { signal })),
    }),
  /** The default vehicle, or null while there is none. */
  default: () =>
    queryOptions({
      queryKey: ['vehicles', 'default'],
      queryFn: ({ signal }) => read(client.GET('/api/vehicles/default', { signal })),
    }),
};
