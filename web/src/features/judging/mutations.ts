import { bodyOf, client, type Schemas } from '@/api/client';

export const judgeMutations = {
  /** Allows or forbids that photos which the model is not sure of are sent. */
  decide: (allowed: boolean) => bodyOf(client.PUT('/api/judge', { body: { allowed } })),
  /** Refuses it for one's own photos, whatever the company allows, or takes that back. */
  decideForSelf: (allowed: boolean) => bodyOf(client.PUT('/api/judge/own', { body: { allowed } })),
  /** Sets what it may cost at most. What is not changed stays as another manager may have set it meanwhile. */
  budget: async (changes: Partial<Schemas['JudgeBudgetDecision']>) => {
    const { today, thisMonth } = await bodyOf(client.GET('/api/judge'));
    const body = {
      dayMicroDollars: today.chosenMicroDollars,
      monthMicroDollars: thisMonth.chosenMicroDollars,
      ...changes,
    };
    return bodyOf(client.PUT('/api/judge/budget', { body }));
  },
};
