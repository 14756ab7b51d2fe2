import { client, type Schemas } from '@/api/client';
import { readQuery } from '@/api/read-query';
import { today, untilTomorrow } from '@/lib/dates';

export const maintenanceQueries = {
  /** What is due on each vehicle, as of the day where the reader is: one call for all panels of a screen. */
  plans: () => ({
    ...readQuery(['maintenance', 'plans'], (signal) =>
      client.GET('/api/maintenance', { params: { query: { today: today() } }, signal }),
    ),
    // In a tab that stays open, the next day is another.
    refetchInterval: untilTomorrow,
  }),
  /** What is due on one of them. */
  plan: (vehicleId: string) => ({
    ...maintenanceQueries.plans(),
    select: (plans: Schemas['MaintenancePlan'][] | null) =>
      plans?.find((plan) => plan.vehicleId === vehicleId) ?? null,
  }),
  /** What was noted of the odometer between the records of a vehicle, the newest first. */
  readings: (vehicleId: string) =>
    readQuery(['maintenance', 'readings', vehicleId], (signal) =>
      client.GET('/api/vehicles/{id}/odometer', { params: { path: { id: vehicleId } }, signal }),
    ),
  /** Whether there is a private calendar address, and since when. */
  calendar: () =>
    readQuery(['maintenance', 'calendar'], (signal) => client.GET('/api/calendar', { signal })),
};
