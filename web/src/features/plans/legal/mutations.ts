import { client, bodyOf } from '@/api/client';

export const legalMutations = {
  acceptTerms: () => bodyOf(client.POST('/api/auth/user/accept-terms')),
};
