import { mutationOptions } from '@tanstack/react-query';
import { bodyOf, client, type Schemas } from '@/api/client';

export const oilChangeMutations = {
  /** Saves a new oil change, or with an id replaces what that one says. */
  save: (id: string | null) =>
    mutationOptions({
      mutationKey: ['oil-changes', 'save', { id }],
      mutationFn: (body: Schemas['NewOilChange']) =>
        id === null
          ? bodyOf(client.POST('/api/oil-changes', { body }))
          : bodyOf(client.PUT('/api/oil-changes/{id}', { params: { path: { id } }, body })),
    }),
  remove: () =>
    mutationOptions({
      mutationKey: ['oil-changes', 'remove'],
      mutationFn: (id: string) =>
        client.DELETE('/api/oil-changes/{id}', { params: { path: { id } } }),
    }),
};
