import { bodyOf, client, type Schemas } from '@/api/client';

export const apiKeyMutations = {
  create: (body: Schemas['ApiKeyForm']) => bodyOf(client.POST('/api/api-keys', { body })),
  revoke: (id: string) => client.DELETE('/api/api-keys/{id}', { params: { path: { id } } }),
};
