import { mutationOptions } from '@tanstack/react-query';
import { bodyOf, client, type Schemas } from '@/api/client';

export const apiKeyMutations = {
  create: () =>
    mutationOptions({
      mutationKey: ['api-keys', 'create'],
      mutationFn: (body: Schemas['ApiKeyForm']) => bodyOf(client.POST('/api/api-keys', { body })),
    }),
  revoke: () =>
    mutationOptions({
      mutationKey: ['api-keys', 'revoke'],
      mutationFn: (id: string) => client.DELETE('/api/api-keys/{id}', { params: { path: { id } } }),
    }),
};
