import { bodyOf, client } from '@/api/client';

export const guideMutations = {
  /** Has a language model write a guide for a part that people taught. */
  ask: (partId: string) => () =>
    bodyOf(client.POST('/api/parts/{id}/guide', { params: { path: { id: partId } } })),
  /** Throws that guide away. */
  remove: (partId: string) => () =>
    client.DELETE('/api/parts/{id}/guide', { params: { path: { id: partId } } }),
};
