import { mutationOptions } from '@tanstack/react-query';
import { client, bodyOf } from '@/api/client';

export const legalMutations = {
  acceptTerms: () =>
    mutationOptions({
      mutationKey: ['legal', 'acceptTerms'],
      mutationFn: () => bodyOf(client.POST('/api/auth/user/accept-terms')),
    }),
};
