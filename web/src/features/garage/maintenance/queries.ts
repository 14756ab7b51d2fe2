import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';
import type { Day } from '@/lib/dates';

export const maintenanceQueries = {
  /** What is due on a vehicle, as of `today` where the reader is. */
  plan: (vehicleId: string, today: Day) =>
    queryOptions({
      queryKey: ['maintenance', 'plan', { vehicleId, today }],
      queryFn: ({ signal }) =>
        read(
          client.GET('/api/vehicles/{id}/maintenance', {
            params: { path: { id: vehicleId }, query: { today } },
            signal,
          }),
        ),
    }),
  /** Whether there is a private calendar address, and since when. */
  calendar: () =>
    queryOptions({
      queryKey: ['maintenance', 'calendar'],
      queryFn: ({ signal }) => read(client.GET('/api/calendar', { signal })),
    }),
};
