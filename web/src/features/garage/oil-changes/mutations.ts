import { bodyOf, client, type Schemas } from '@/api/client';

export const oilChangeMutations = {
  /** Saves a new oil change, or with an id replaces what that one says. */
  save: (id: string | null) => (body: Schemas['NewOilChange'], key: string) =>
    id === null
      ? bodyOf(
          client.POST('/api/oil-changes', { params: { header: { 'Idempotency-Key': key } }, body }),
        )
      : bodyOf(client.PUT('/api/oil-changes/{id}', { params: { path: { id } }, body })),
  remove: (id: string) => client.DELETE('/api/oil-changes/{id}', { params: { path: { id } } }),
};
