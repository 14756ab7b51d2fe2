import { mutationOptions } from '@tanstack/react-query';
import { client, type Schemas } from '@/api/client';

export const contactMutations = {
  send: () =>
    mutationOptions({
      mutationKey: ['contact', 'send'],
      mutationFn: (body: Schemas['ContactMessage']) => client.POST('/api/contact', { body }),
    }),
};
