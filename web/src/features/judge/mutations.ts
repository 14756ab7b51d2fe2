import { mutationOptions } from '@tanstack/react-query';
import { bodyOf, client } from '@/api/client';

export const judgeMutations = {
  /** Allows or forbids that photos which the model is not sure of are sent. */
  decide: () =>
    mutationOptions({
      mutationKey: ['judge', 'decide'],
      mutationFn: (allowed: boolean) => bodyOf(client.PUT('/api/judge', { body: { allowed } })),
    }),
};
