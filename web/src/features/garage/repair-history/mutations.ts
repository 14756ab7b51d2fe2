import { bodyOf, client, type Schemas } from '@/api/client';

export const repairMutations = {
  /** Saves a new repair, or with an id replaces what that one says. */
  save: (id: string | null) => (body: Schemas['NewRepair'], key: string) =>
    id === null
      ? bodyOf(
          client.POST('/api/repair-history', {
            params: { header: { 'Idempotency-Key': key } },
            body,
          }),
        )
      : bodyOf(client.PUT('/api/repair-history/{id}', { params: { path: { id } }, body })),
  remove: (id: string) => client.DELETE('/api/repair-history/{id}', { params: { path: { id } } }),
};
