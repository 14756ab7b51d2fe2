import { bodyOf, client } from '@/api/client';

export const dialMutations = {
  /** Chooses the percentage of wrong answers; null for what the model does by itself. */
  choose: (maxWrongPercent: number | null) =>
    bodyOf(client.PUT('/api/dial', { body: { maxWrongPercent } })),
};
