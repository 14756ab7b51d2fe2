import { mutationOptions } from '@tanstack/react-query';
import { client, write } from '@/api/client';

export const legalMutations = {
  acceptTerms: () =>
    mutationOptions({
      mutationKey: ['legal', 'acceptTerms'],
      mutationFn: () => write(client.POST('/api/auth/user/accept-terms')),
    }),
};
