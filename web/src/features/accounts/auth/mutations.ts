import { client, bodyOf, type Schemas } from '@/api/client';

export const authMutations = {
  signIn: (body: Schemas['Credentials']) => bodyOf(client.POST('/api/auth/login', { body })),
  signUp: (body: Schemas['SignUp']) => bodyOf(client.POST('/api/auth/signup', { body })),
  /** Answers the same whether or not the address has an account. */
  forgotPassword: (body: Schemas['ForgotPassword']) =>
    client.POST('/api/auth/forgot-password', { body }),
  resetPassword: (body: Schemas['ResetPassword']) =>
    client.POST('/api/auth/reset-password', { body }),
  verifyEmail: (token: string) => client.POST('/api/auth/verify', { body: { token } }),
  resendVerification: () => client.POST('/api/auth/resend-verification'),
  rename: (body: Schemas['Names']) => bodyOf(client.PUT('/api/auth/user', { body })),
  changePassword: (body: Schemas['ChangePassword']) => client.PUT('/api/auth/password', { body }),
  endSession: (id: string) =>
    client.DELETE('/api/auth/sessions/{id}', { params: { path: { id } } }),
  signOutEverywhere: () => client.POST('/api/auth/sign-out-everywhere'),
  deleteAccount: (body: Schemas['Confirmation']) => client.DELETE('/api/auth/user', { body }),
};
