import type { Schemas } from '@/api/client';

type Loaded<T> = T | null | undefined;

/** What else ends with an account, in sentences for the dialog that asks before it is deleted. */
export function endsWithAccount(
  userId: string,
  company: Loaded<Pick<Schemas['Company'], 'name' | 'ownerId'>>,
  status: Loaded<Pick<Schemas['SubscriptionStatus'], 'paidPlan' | 'canCancel'>>,
): string[] {
  const sentences: string[] = [];
  if (company?.ownerId === userId) {
    sentences.push(
      `Your company ${company.name} is deleted with it, its parts, price lists and what was taught in it included. While it has other members, make one of them its owner or delete it first.`,
    );
  }
  if (status?.canCancel === true) {
    const what = status.paidPlan === null ? 'subscription' : `${status.paidPlan} plan`;
    sentences.push(`Your ${what} ends at once, and what is left of its period with it.`);
  }
  return sentences;
}
