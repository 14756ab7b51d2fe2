import { client, type Schemas } from '@/api/client';

export const contactMutations = {
  send: (body: Schemas['ContactMessage']) => client.POST('/api/contact', { body }),
};
