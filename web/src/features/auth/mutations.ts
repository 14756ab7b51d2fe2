import { mutationOptions } from '@tanstack/react-query';
import { client, write, type Schemas } from '@/api/client';

export const authMutations = {
  signIn: () =>
    mutationOptions({
      mutationKey: ['auth', 'signIn'],
      mutationFn: (body: Schemas['Credentials']) => write(client.POST('/api/auth/login', { body })),
    }),
  signUp: () =>
    mutationOptions({
      mutationKey: ['auth', 'signUp'],
      mutationFn: (body: Schemas['SignUp']) => write(client.POST('/api/auth/signup', { body })),
    }),
};
