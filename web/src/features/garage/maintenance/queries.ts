import { client, type Schemas } from '@/api/client';
import { readQuery } from '@/api/read-query';
import type { Day } from '@/lib/dates';

export const maintenanceQueries = {
  /** What is due on each vehicle, as of `today` where the reader is: one call for all panels of a screen. */
  plans: (today: Day) =>
    readQuery(['maintenance', 'plans', { today }], (signal) =>
      client.GET('/api/maintenance', { params: { query: { today } }, signal }),
    ),
  /** What is due on one of them. */
  plan: (vehicleId: string, today: Day) => ({
    ...maintenanceQueries.plans(today),
    select: (plans: Schemas['MaintenancePlan'][] | null) =>
      plans?.find((plan) => plan.vehicleId === vehicleId) ?? null,
  }),
  /** Whether there is a private calendar address, and since when. */
  calendar: () =>
    readQuery(['maintenance', 'calendar'], (signal) => client.GET('/api/calendar', { signal })),
};
