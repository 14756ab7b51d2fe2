import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { SignInPanel } from '@/features/accounts/auth/components/sign-in-panel';
import { initials } from '@/features/accounts/auth/model';
import { keepDraft } from '@/lib/drafts';
import { keepReturnPath } from '@/lib/return-path';
import { ada } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, note, refuse, settings } from '@/testing/server';

function open() {
  const onSignedIn = vi.fn();
  return { ...renderScreen(<SignInPanel onSignedIn={onSignedIn} />), onSignedIn };
}

const signUpButton = () => screen.getByRole('button', { name: 'Sign Up' });

it('says why Google cannot be used, and whom to ask for help', async () => {
  open();
  expect(await screen.findByText(/Google sign-in is not set up on this server/)).toBeVisible();
  expect(screen.getByRole('button', { name: 'Sign in with Google' })).toBeDisabled();
  expect(screen.getByRole('link', { name: settings.supportEmail })).toBeVisible();
});

const WELCOME = 'Sign in to scan parts and keep your vehicles.';
const ENDED = 'Your session has ended. Sign in again.';
const ENDED_WITH_DRAFT = 'Your session has ended. Sign in again: what you typed is kept.';

it.each([
  ['nobody left a session', null, null, WELCOME],
  ['a visitor went to the sign-in', { userId: null }, null, WELCOME],
  ['a session ended', { userId: 'ada' }, null, ENDED],
  ['a session ended, and another person typed', { userId: 'ada' }, 'bob', ENDED],
  ['a session ended in a form', { userId: 'ada' }, 'ada', ENDED_WITH_DRAFT],
])('says why to sign in where %s', (_, left, typist, said) => {
  if (typist !== null) keepDraft({ userId: typist, key: 'draft.vehicle.new' }, { make: 'Ford' });
  if (left !== null) keepReturnPath(left.userId, '/vehicle');
  open();
  expect(screen.getByText(said)).toBeVisible();
});

it('leads to Google where the server has it', async () => {
  answer('get', '/api/settings', { ...settings, externalSignIn: true });
  const { person } = open();
  expect(await screen.findByRole('link', { name: 'Sign in with Google' })).toHaveAttribute(
    'href',
    '/api/login',
  );
  await person.click(screen.getByRole('tab', { name: 'Sign Up' }));
  expect(screen.getByRole('link', { name: 'Sign up with Google' })).toBeVisible();
});

it('leads to Google again where the way back shows the page as it was left', async () => {
  answer('get', '/api/settings', { ...settings, externalSignIn: true });
  open();
  const link = await screen.findByRole('link', { name: 'Sign in with Google' });
  // The page stays: jsdom can go nowhere.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  fireEvent.click(link);
  vi.useRealTimers();
  expect(link).toHaveTextContent('Opening Google...');
  fireEvent(window, new PageTransitionEvent('pageshow', { persisted: true }));
  expect(link).toHaveTextContent('Sign in with Google');
});

it('still signs in by e-mail when the settings cannot be read', async () => {
  refuse('get', '/api/settings', { status: 503, detail: 'Busy.' });
  open();
  expect(await screen.findByText(/Google sign-in cannot be reached now/)).toBeVisible();
  expect(screen.queryByText(/Need help/)).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Sign In' })).toBeEnabled();
});

it('signs in', async () => {
  answer('post', '/api/auth/login', ada);
  const { person, onSignedIn, queryClient } = open();
  queryClient.setQueryData(['vehicles', 'list'], ['of another person']);
  await waitFor(() => expect(queryClient.getQueryData(['settings'])).toEqual(settings));
  onSignedIn.mockImplementation(() =>
    expect(queryClient.getQueryData(['auth', 'user'])).toEqual(ada),
  );
  await person.type(screen.getByLabelText(/E-mail/), 'ada@example.org');
  await person.type(screen.getByLabelText(/Password/), 'secret1{Enter}');
  await waitFor(() => expect(onSignedIn).toHaveReturned());
  expect(queryClient.getQueryData(['vehicles', 'list'])).toBeUndefined();
  expect(queryClient.getQueryData(['settings'])).toEqual(settings);
});

it('keeps the e-mail address that was typed for the other forms', async () => {
  const { person } = open();
  await person.type(screen.getByLabelText(/E-mail/), 'ada@example.org');
  await person.click(screen.getByRole('tab', { name: 'Sign Up' }));
  expect(screen.getByLabelText(/E-mail/)).toHaveValue('ada@example.org');
  await person.type(screen.getByLabelText(/E-mail/), '.uk');
  await person.click(screen.getByRole('tab', { name: 'Sign In' }));
  await person.click(screen.getByRole('button', { name: 'Forgot your password?' }));
  expect(screen.getByLabelText(/E-mail/)).toHaveValue('ada@example.org.uk');
  await person.click(screen.getByRole('button', { name: 'Back to sign in' }));
  expect(screen.getByLabelText(/E-mail/)).toHaveValue('ada@example.org.uk');
});

it('hints at the password length and sends nothing that breaks it', async () => {
  const { person } = open();
  await person.click(screen.getByRole('tab', { name: 'Sign Up' }));
  expect(screen.getByText('Password must be at least 6 characters')).toBeVisible();
  await person.type(screen.getByLabelText(/Password/), '12345');
  await person.click(signUpButton());
  expect(screen.getByLabelText(/First name/)).toHaveFocus();
  expect(screen.getByLabelText(/Password/)).toBeInvalid();
  expect(screen.getByLabelText(/First name/)).toHaveAccessibleDescription('Enter your first name.');
});

it('signs up with trimmed names, and puts a taken address beside its field', async () => {
  const sent = note(
    'post',
    '/api/auth/signup',
    { code: 'conflict', detail: 'This address has an account.' },
    409,
  );
  const { person } = open();
  await person.click(screen.getByRole('tab', { name: 'Sign Up' }));
  await person.type(screen.getByLabelText(/First name/), ' Ada ');
  await person.type(screen.getByLabelText(/Last name/), 'Byron');
  await person.type(screen.getByLabelText(/E-mail/), 'ada@example.org');
  await person.type(screen.getByLabelText(/Password/), 'secret1');
  await person.click(signUpButton());
  await waitFor(() =>
    expect(screen.getByLabelText(/E-mail/)).toHaveAccessibleDescription(
      'This address has an account.',
    ),
  );
  expect(sent).toHaveBeenCalledWith({
    email: 'ada@example.org',
    password: 'secret1',
    firstName: 'Ada',
    lastName: 'Byron',
  });
});

it('says of a name that is too long how long it may be, beside its field', async () => {
  const sent = note('post', '/api/auth/signup', ada);
  const { person } = open();
  await person.click(screen.getByRole('tab', { name: 'Sign Up' }));
  await person.click(screen.getByLabelText(/First name/));
  await person.paste('x'.repeat(81));
  await person.type(screen.getByLabelText(/Last name/), 'Byron');
  await person.type(screen.getByLabelText(/E-mail/), 'ada@example.org');
  await person.type(screen.getByLabelText(/Password/), 'secret1');
  await person.click(signUpButton());
  expect(screen.getByLabelText(/First name/)).toHaveAccessibleDescription(
    'Use at most 80 characters.',
  );
  expect(sent).not.toHaveBeenCalled();
});

it.each([
  ['Ada', 'Byron', 'AB'],
  ['😀', 'byron', '😀B'],
  ['👩‍🔧', '🇺🇸', '👩‍🔧🇺🇸'],
  ['', '', 'A'],
])('has initials for %s %s: %s', (firstName, lastName, letters) => {
  expect(initials({ ...ada, firstName, lastName })).toBe(letters);
});
