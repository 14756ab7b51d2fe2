import { mutationOptions } from '@tanstack/react-query';
import { client, bodyOf, type Schemas } from '@/api/client';

export const subscriptionMutations = {
  create: () =>
    mutationOptions({
      mutationKey: ['subscription', 'create'],
      mutationFn: (body: Schemas['SubscriptionOrder']) =>
        bodyOf(client.POST('/api/create-subscription', { body })),
    }),
  /** Another plan or interval for a subscription that runs. */
  change: () =>
    mutationOptions({
      mutationKey: ['subscription', 'change'],
      mutationFn: (body: Schemas['SubscriptionOrder']) =>
        bodyOf(client.POST('/api/subscription/change', { body })),
    }),
  requestCancellation: () =>
    mutationOptions({
      mutationKey: ['subscription', 'requestCancellation'],
      mutationFn: () => client.POST('/api/subscription/request-cancellation'),
    }),
  reactivate: () =>
    mutationOptions({
      mutationKey: ['subscription', 'reactivate'],
      mutationFn: () => client.POST('/api/subscription/reactivate'),
    }),
  /** Gives a paid plan back the limit that it includes. */
  resetScans: () =>
    mutationOptions({
      mutationKey: ['subscription', 'resetScans'],
      mutationFn: () => client.POST('/api/force-scan-reset'),
    }),
};
