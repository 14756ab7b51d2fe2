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
  /** Answers the same whether or not the address has an account. */
  forgotPassword: () =>
    mutationOptions({
      mutationKey: ['auth', 'forgotPassword'],
      mutationFn: (body: Schemas['ForgotPassword']) =>
        client.POST('/api/auth/forgot-password', { body }),
    }),
  resetPassword: () =>
    mutationOptions({
      mutationKey: ['auth', 'resetPassword'],
      mutationFn: (body: Schemas['ResetPassword']) =>
        client.POST('/api/auth/reset-password', { body }),
    }),
  verifyEmail: () =>
    mutationOptions({
      mutationKey: ['auth', 'verifyEmail'],
      mutationFn: (token: string) => client.POST('/api/auth/verify', { body: { token } }),
    }),
  resendVerification: () =>
    mutationOptions({
      mutationKey: ['auth', 'resendVerification'],
      mutationFn: () => client.POST('/api/auth/resend-verification'),
    }),
  rename: () =>
    mutationOptions({
      mutationKey: ['auth', 'rename'],
      mutationFn: (body: Schemas['Names']) => bodyOf(client.PUT('/api/auth/user', { body })),
    }),
  changePassword: () =>
    mutationOptions({
      mutationKey: ['auth', 'changePassword'],
      mutationFn: (body: Schemas['ChangePassword']) => client.PUT('/api/auth/password', { body }),
    }),
  endSession: () =>
    mutationOptions({
      mutationKey: ['auth', 'endSession'],
      mutationFn: (id: string) =>
        client.DELETE('/api/auth/sessions/{id}', { params: { path: { id } } }),
    }),
  signOutEverywhere: () =>
    mutationOptions({
      mutationKey: ['auth', 'signOutEverywhere'],
      mutationFn: () => client.POST('/api/auth/sign-out-everywhere'),
    }),
  deleteAccount: () =>
    mutationOptions({
      mutationKey: ['auth', 'deleteAccount'],
      mutationFn: (body: Schemas['Confirmation']) => client.DELETE('/api/auth/user', { body }),
    }),
};
