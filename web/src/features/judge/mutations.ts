import { mutationOptions } from '@tanstack/react-query';
import { bodyOf, client, type Schemas } from '@/api/client';

export const judgeMutations = {
  /** Allows or forbids that photos which the model is not sure of are sent. */
  decide: () =>
    mutationOptions({
      mutationKey: ['judge', 'decide'],
      mutationFn: (allowed: boolean) => bodyOf(client.PUT('/api/judge', { body: { allowed } })),
    }),
  /** Sets what it may cost at most. */
  budget: () =>
    mutationOptions({
      mutationKey: ['judge', 'budget'],
      mutationFn: (body: Schemas['JudgeBudgetDecision']) =>
        bodyOf(client.PUT('/api/judge/budget', { body })),
    }),
};
