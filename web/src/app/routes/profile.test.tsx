import { act, fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { ProfileRoute } from '@/app/routes/profile';
import { keepReturnPath } from '@/lib/return-path';
import { hrefOf, renderScreen } from '@/testing/render';
import { answer, settings } from '@/testing/server';

const GOOGLE = 'Sign in with Google';

beforeEach(() => {
  answer('get', '/api/settings', { ...settings, externalSignIn: true });
  answer('get', '/api/auth/user', null);
});

it('leads by Google to the screen that asked for the sign-in', async () => {
  keepReturnPath(null, '/batches');
  const { router } = renderScreen(<ProfileRoute />, '/profile');
  await screen.findByRole('link', { name: GOOGLE });
  expect(hrefOf(GOOGLE)).toBe('/api/login?returnTo=%2Fbatches');
  await act(() => router.navigate('/profile', { state: { returnTo: '/subscribe?plan=pro' } }));
  expect(hrefOf(GOOGLE)).toBe('/api/login?returnTo=%2Fsubscribe%3Fplan%3Dpro');
});

it('shows the invitation again to whoever comes back from Google', async () => {
  const invitation = {
    id: 'invitation-1',
    companyName: 'Corner Garage',
    invitedBy: 'Bob',
    inviterEmail: 'bob@example.org',
    role: 'member',
    expiresAt: '2027-02-01T00:00:00Z',
    photosGoTo: null,
  } as const;
  answer('post', '/api/company/invitations/show', invitation);
  const { unmount } = renderScreen(<ProfileRoute />, '/profile#invitation=s3cret');
  const link = await screen.findByRole('link', { name: GOOGLE });
  // The secret stands in no address that a server sees.
  expect(hrefOf(GOOGLE)).toBe('/api/login?returnTo=%2Fprofile');
  // The page stays: jsdom can go nowhere.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  fireEvent.click(link);
  vi.useRealTimers();
  unmount();
  const { router } = renderScreen(<ProfileRoute />, '/profile?sign-in=failed&reason=cancelled');
  expect(await screen.findByText(/You are invited to join Corner Garage/)).toBeVisible();
  expect(screen.getByText(/The sign-in was cancelled/)).toBeVisible();
  expect(router.state.location.hash).toBe('#invitation=s3cret');
});
