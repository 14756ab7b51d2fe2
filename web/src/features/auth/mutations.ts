import { mutationOptions } from '@tanstack/react-query';
import { client, bodyOf, type Schemas } from '@/api/client';

export const authMutations = {
  signIn: () =>
    mutationOptions({
      mutationKey: ['auth', 'signIn'],
      mutationFn: (body: Schemas['Credentials']) =>
        bodyOf(client.POST('/api/auth/login', { body })),
    }),
  signUp: () =>
    mutationOptions({
      mutationKey: ['auth', 'signUp'],
      mutationFn: (body: Schemas['SignUp']) => bodyOf(client.POST('/api/auth/signup', { body })),
    }),
};
