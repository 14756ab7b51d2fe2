import { bodyOf, client, type Schemas } from '@/api/client';
import { today } from '@/lib/dates';

const itemOf = (id: string, item: string) => ({
  params: { path: { id, item }, query: { today: today() } },
});

export const maintenanceMutations = {
  set:
    (vehicleId: string) =>
    ({ item, body }: { item: string; body: Schemas['NewMaintenanceItem'] }) =>
      bodyOf(
        client.PUT('/api/vehicles/{id}/maintenance/{item}', {
          ...itemOf(vehicleId, item),
          body,
        }),
      ),
  /** Removes an item of one's own, and all that is known of it. */
  remove: (vehicleId: string) => (item: string) =>
    client.DELETE('/api/vehicles/{id}/maintenance/{item}', {
      params: { path: { id: vehicleId, item } },
    }),
  /** Puts an item off until a day, or with null takes that back. */
  snooze:
    (vehicleId: string) =>
    ({ item, until }: { item: string; until: string | null }) => {
      const path = '/api/vehicles/{id}/maintenance/{item}/snooze';
      return until === null
        ? bodyOf(client.DELETE(path, itemOf(vehicleId, item)))
        : bodyOf(client.POST(path, { ...itemOf(vehicleId, item), body: { until } }));
    },
  finish:
    (vehicleId: string) =>
    ({ item, body }: { item: string; body: Schemas['MaintenanceDone'] }, key: string) =>
      bodyOf(
        client.POST('/api/vehicles/{id}/maintenance/{item}/done', {
          params: { ...itemOf(vehicleId, item).params, header: { 'Idempotency-Key': key } },
          body,
        }),
      ),
  addReading: (vehicleId: string) => (body: Schemas['NewReading'], key: string) =>
    bodyOf(
      client.POST('/api/vehicles/{id}/odometer', {
        params: { path: { id: vehicleId }, header: { 'Idempotency-Key': key } },
        body,
      }),
    ),
  removeReading:
    (vehicleId: string) =>
    ({ date, mileage }: Schemas['Reading']) =>
      client.DELETE('/api/vehicles/{id}/odometer', {
        params: { path: { id: vehicleId }, query: { date, mileage } },
      }),
  createCalendar: () => bodyOf(client.POST('/api/calendar')),
  revokeCalendar: () => client.DELETE('/api/calendar'),
};
