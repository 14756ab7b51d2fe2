import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';
import type { Day } from '@/lib/dates';

export const maintenanceQueries = {
  /** What is due on a vehicle, as of `today` where the reader is. */
  plan: (vehicleId: string, today: Day) =>
    readQuery(['maintenance', 'plan', { vehicleId, today }], (signal) =>
      client.GET('/api/vehicles/{id}/maintenance', {
        params: { path: { id: vehicleId }, query: { today } },
        signal,
      }),
    ),
  /** Whether there is a private calendar address, and since when. */
  calendar: () =>
    readQuery(['maintenance', 'calendar'], (signal) => client.GET('/api/calendar', { signal })),
};
