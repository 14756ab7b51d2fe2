import { client, bodyOf, type Schemas } from '@/api/client';

export const subscriptionMutations = {
  create: (body: Schemas['SubscriptionOrder']) =>
    bodyOf(client.POST('/api/create-subscription', { body })),
  /** Another plan or interval for a subscription that runs. */
  change: (body: Schemas['SubscriptionOrder']) =>
    bodyOf(client.POST('/api/subscription/change', { body })),
  requestCancellation: () => client.POST('/api/subscription/request-cancellation'),
  /** Takes a request back that nobody has seen to. */
  withdrawCancellation: () => client.DELETE('/api/subscription/request-cancellation'),
  reactivate: () => client.POST('/api/subscription/reactivate'),
  /** Gives a paid plan back the limit that it includes. */
  resetScans: () => client.POST('/api/force-scan-reset'),
};
