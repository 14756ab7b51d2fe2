import { mutationOptions } from '@tanstack/react-query';
import { bodyOf, client } from '@/api/client';

export const guideMutations = {
  /** Has a language model write a guide for a part that people taught. */
  ask: (partId: string) =>
    mutationOptions({
      mutationKey: ['scan', 'askGuide', { partId }],
      mutationFn: () =>
        bodyOf(client.POST('/api/parts/{id}/guide', { params: { path: { id: partId } } })),
    }),
  /** Throws that guide away. */
  remove: (partId: string) =>
    mutationOptions({
      mutationKey: ['scan', 'removeGuide', { partId }],
      mutationFn: () =>
        client.DELETE('/api/parts/{id}/guide', { params: { path: { id: partId } } }),
    }),
};
