import { useQuery } from '@tanstack/react-query';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { ArrivalNotice } from '@/features/accounts/auth/components/arrival-notice';
import { DataCard } from '@/features/accounts/auth/components/data-card';
import { NamesCard } from '@/features/accounts/auth/components/names-card';
import { PasswordCard } from '@/features/accounts/auth/components/password-card';
import { ResetPasswordCard } from '@/features/accounts/auth/components/reset-password-card';
import { VerifyEmailCard } from '@/features/accounts/auth/components/verify-email-card';
import { SessionsCard } from '@/features/accounts/auth/components/sessions-card';
import { SignInPanel } from '@/features/accounts/auth/components/sign-in-panel';
import { VerificationNotice } from '@/features/accounts/auth/components/verification-notice';
import { authQueries } from '@/features/accounts/auth/queries';
import { isLeavingGuarded } from '@/lib/leave-guard';
import { ada } from '@/testing/fixtures';
import { hrefOf, renderScreen } from '@/testing/render';
import { answer, note, refuse, refuseLater, settings, SIGNED_OUT } from '@/testing/server';

const button = (name: string) => screen.getByRole('button', { name });

describe('a forgotten password', () => {
  it('sends the link without saying whether the address has an account', async () => {
    const sent = note('post', '/api/auth/forgot-password', null, 202);
    const { person } = renderScreen(<SignInPanel onSignedIn={vi.fn()} />);
    await person.click(button('Forgot your password?'));
    await person.click(button('Send the Link'));
    expect(screen.getByLabelText(/E-mail/)).toHaveAccessibleDescription(
      'Enter your e-mail address.',
    );
    await person.type(screen.getByLabelText(/E-mail/), 'ada@{Enter}');
    expect(screen.getByLabelText(/E-mail/)).toHaveAccessibleDescription(
      'This is not an e-mail address. It should look like name@example.com.',
    );
    await person.type(screen.getByLabelText(/E-mail/), 'example.org{Enter}');
    expect(await screen.findByText(/If ada@example.org has an account/)).toBeVisible();
    expect(screen.getByText(/is on its way|Ask whoever/).closest('[role=status]')).toHaveFocus();
    expect(sent).toHaveBeenCalledWith({ email: 'ada@example.org' });
    await person.click(button('Back to sign in'));
    expect(button('Sign In')).toBeVisible();
    expect(button('Forgot your password?')).toHaveFocus();
  });

  it.each([
    [true, /We mail you a link/, 'Look into your mail'],
    [false, /keeps its mails in a folder and sends none/, 'Ask for the link'],
  ])('promises a mail only where the server sends mails: %s', async (mail, promise, title) => {
    answer('get', '/api/settings', { ...settings, mail });
    note('post', '/api/auth/forgot-password', null, 202);
    const { person } = renderScreen(<SignInPanel onSignedIn={vi.fn()} />);
    await person.click(button('Forgot your password?'));
    expect(await screen.findByText(promise)).toBeVisible();
    await person.type(screen.getByLabelText(/E-mail/), 'ada@example.org{Enter}');
    expect(await screen.findByText(title)).toBeVisible();
    const told = screen.getByText(/If ada@example.org has an account/);
    if (mail) expect(told).toHaveTextContent('is on its way');
    else expect(told).toHaveTextContent('Ask whoever runs it for the link');
  });

  it('sets the new password with the secret of the link', async () => {
    const sent = note('post', '/api/auth/reset-password');
    refuse('get', '/api/auth/user', SIGNED_OUT);
    const onDone = vi.fn();
    const { person } = renderScreen(
      <ResetPasswordCard token="s3cret" onDone={onDone} onCancel={vi.fn()} />,
    );
    await person.type(screen.getByLabelText(/^New password \*/), 'secret-2');
    await person.type(screen.getByLabelText(/again/), 'secret-3{Enter}');
    expect(screen.getByLabelText(/again/)).toHaveAccessibleDescription('The two passwords differ.');
    expect(sent).not.toHaveBeenCalled();
    await person.clear(screen.getByLabelText(/again/));
    await person.click(screen.getByRole('checkbox', { name: /API keys and calendar address/ }));
    await person.type(screen.getByLabelText(/again/), 'secret-2{Enter}');
    await waitFor(() => expect(onDone).toHaveBeenCalledWith(false));
    expect(sent).toHaveBeenCalledWith({ token: 's3cret', password: 'secret-2', endKeys: true });
    expect(await screen.findByText(/All your sessions have ended/)).toBeVisible();
  });

  it('tells somebody who is signed in that it was the password of another account', async () => {
    note('post', '/api/auth/reset-password');
    answer('get', '/api/auth/user', ada);
    const onDone = vi.fn();
    const { person } = renderScreen(
      <ResetPasswordCard token="s3cret" onDone={onDone} onCancel={vi.fn()} />,
    );
    await person.type(screen.getByLabelText(/^New password \*/), 'secret-2');
    await person.type(screen.getByLabelText(/again/), 'secret-2{Enter}');
    expect(await screen.findByText('The password of the other account was changed.')).toBeVisible();
    expect(screen.queryByText(/All your sessions have ended/)).not.toBeInTheDocument();
    expect(onDone).toHaveBeenCalledWith(true);
  });

  it('keeps what was typed when the link is no longer valid', async () => {
    const detail = 'This link is no longer valid. Please ask for a new one.';
    refuse('post', '/api/auth/reset-password', { status: 422, detail });
    const { person } = renderScreen(
      <ResetPasswordCard token="old" onDone={vi.fn()} onCancel={vi.fn()} />,
    );
    await person.type(screen.getByLabelText(/^New password \*/), 'secret-2');
    await person.type(screen.getByLabelText(/again/), 'secret-2{Enter}');
    expect(await screen.findByText(detail)).toBeVisible();
    expect(screen.getByLabelText(/again/)).toHaveValue('secret-2');
  });
});

describe('confirming an address', () => {
  it('confirms once by a double click', async () => {
    const sent = note('post', '/api/auth/verify');
    const onDone = vi.fn();
    renderScreen(<VerifyEmailCard token="s3cret" onDone={onDone} />);
    fireEvent.click(button('Confirm Address'));
    fireEvent.click(button('Confirm Address'));
    await waitFor(() => expect(onDone).toHaveBeenCalledWith(true));
    await act(() => new Promise((resolve) => setTimeout(resolve, 20)));
    expect(sent).toHaveBeenCalledOnce();
  });

  it('tells a link that is no longer valid from a server that is away', async () => {
    refuse('post', '/api/auth/verify', { status: 503, code: 'unavailable', detail: 'Try later.' });
    const onDone = vi.fn();
    const { person } = renderScreen(<VerifyEmailCard token="s3cret" onDone={onDone} />);
    await person.click(button('Confirm Address'));
    expect(await screen.findByText('Try later.')).toBeVisible();
    expect(onDone).not.toHaveBeenCalled();
    refuse('post', '/api/auth/verify', { status: 422, detail: 'No.' });
    await person.click(button('Confirm Address'));
    await waitFor(() => expect(onDone).toHaveBeenCalledWith(false));
  });
});

describe('where a link led', () => {
  it.each([
    ['sign-in=failed&reason=cancelled', /The sign-in was cancelled/],
    ['sign-in=failed&reason=email-not-verified', /has not confirmed your e-mail address/],
    ['sign-in=failed&reason=never-heard-of', /Something went wrong on the way/],
    ['verified=1', 'Thank you. Your e-mail address is confirmed.'],
    ['verified=0', /older than 24 hours/],
  ])('%s', (query, text) => {
    renderScreen(<ArrivalNotice query={new URLSearchParams(query)} onDismiss={vi.fn()} />);
    expect(screen.getByText(text)).toBeVisible();
  });

  it('says nothing on an ordinary visit', () => {
    renderScreen(<ArrivalNotice query={new URLSearchParams()} onDismiss={vi.fn()} />);
    expect(screen.queryByRole('button', { name: 'Dismiss' })).not.toBeInTheDocument();
  });
});

it('asks for the confirmation of an address until it is there', async () => {
  answer('get', '/api/settings', { ...settings, mail: true });
  note('post', '/api/auth/resend-verification', null, 202);
  const { person, unmount } = renderScreen(
    <VerificationNotice user={{ ...ada, emailVerified: false }} />,
  );
  expect(
    await screen.findByText(/no reminder mails, and this page shows no invitations/),
  ).toBeVisible();
  // A forgotten password needs no confirmed address.
  expect(screen.queryByText(/password/)).not.toBeInTheDocument();
  await person.click(button('Send the link again'));
  expect(await screen.findByText('Mail sent')).toBeVisible();
  expect(button('Link sent')).toBeDisabled();
  unmount();
  renderScreen(<VerificationNotice user={ada} />);
  expect(screen.queryByText('Confirm your e-mail address')).not.toBeInTheDocument();
});

it('promises no mail where the server sends none', async () => {
  renderScreen(<VerificationNotice user={{ ...ada, emailVerified: false }} />);
  const notice = await screen.findByText(/keeps its mails in a folder/);
  expect(notice).toHaveTextContent('ask whoever runs this server');
  expect(notice).not.toHaveTextContent('password');
});

it('renames the person, with trimmed names', async () => {
  const sent = note('put', '/api/auth/user', { ...ada, lastName: 'King' });
  const { person, queryClient } = renderScreen(<NamesCard user={ada} />);
  const idle = ['aria-disabled', 'true'] as const;
  expect(screen.queryByLabelText(/Last name/)).not.toBeInTheDocument();
  await person.click(button('Change Name'));
  expect(screen.getByLabelText(/First name/)).toHaveFocus();
  expect(button('Save Name')).toHaveAttribute(...idle);
  await person.clear(screen.getByLabelText(/Last name/));
  await person.type(screen.getByLabelText(/Last name/), ' King {Enter}');
  expect(await screen.findByText('Name saved')).toBeVisible();
  expect(sent).toHaveBeenCalledWith({ firstName: 'Ada', lastName: 'King' });
  expect(queryClient.getQueryData(['auth', 'user'])).toMatchObject({ lastName: 'King' });
});

it('keeps the focus on what saved the name, and follows what was saved', async () => {
  answer('get', '/api/auth/user', ada);
  answer('put', '/api/auth/user', { ...ada, lastName: 'King' });
  function Account() {
    const user = useQuery(authQueries.user()).data;
    return user == null ? null : <NamesCard user={user} />;
  }
  const { person } = renderScreen(<Account />);
  await person.click(await screen.findByRole('button', { name: 'Change Name' }));
  await person.clear(screen.getByLabelText(/Last name/));
  await person.type(screen.getByLabelText(/Last name/), ' King');
  expect(isLeavingGuarded()).toBe(true);
  answer('get', '/api/auth/user', { ...ada, lastName: 'King' });
  await person.click(button('Save Name'));
  await waitFor(() => {
    expect(screen.getByLabelText(/Last name/)).toHaveValue('King');
  });
  expect(button('Save Name')).toHaveFocus();
  expect(button('Save Name')).toHaveAttribute('aria-disabled', 'true');
  expect(isLeavingGuarded()).toBe(false);
});

it('says no more why a name was refused once it is another one', async () => {
  refuse('put', '/api/auth/user', { status: 422, detail: 'This is no name.', field: 'lastName' });
  const { person } = renderScreen(<NamesCard user={ada} />);
  await person.click(button('Change Name'));
  await person.type(screen.getByLabelText(/Last name/), '7{Enter}');
  expect(await screen.findByText('This is no name.')).toBeVisible();
  await person.type(screen.getByLabelText(/First name/), ' B.');
  expect(screen.getByText('This is no name.')).toBeVisible();
  await person.type(screen.getByLabelText(/Last name/), '{Backspace}');
  expect(screen.queryByText('This is no name.')).not.toBeInTheDocument();
});

it('forgets what forms kept in this browser with a deleted account', async () => {
  note('delete', '/api/auth/user');
  sessionStorage.setItem('draft.vehicle.new@user-1', '{}');
  const { person } = renderScreen(<DataCard user={{ ...ada, hasPassword: false }} />);
  await person.click(button('Delete Account'));
  await person.type(screen.getByLabelText(/to confirm/), ada.email);
  await person.click(button('Delete for Good'));
  expect(await screen.findByText('Account deleted')).toBeVisible();
  expect(sessionStorage).toHaveLength(0);
});

it('keeps a typed name over a session that ended', async () => {
  refuse('put', '/api/auth/user', SIGNED_OUT);
  const before = renderScreen(<NamesCard user={ada} />);
  await before.person.click(button('Change Name'));
  await before.person.type(screen.getByLabelText(/Last name/), '-King{Enter}');
  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
  before.unmount();
  renderScreen(<NamesCard user={ada} />);
  expect(screen.getByLabelText(/Last name/)).toHaveValue('Byron-King');
  expect(button('Save Name')).toBeEnabled();
  expect(Object.keys(sessionStorage).filter((key) => key.startsWith('draft.'))).toEqual([]);
});

it('asks for no current password where there is none', async () => {
  const sent = note('put', '/api/auth/password');
  const { person } = renderScreen(<PasswordCard user={{ hasPassword: false }} />);
  await person.click(button('Set a Password'));
  expect(screen.queryByLabelText(/Current password/)).not.toBeInTheDocument();
  expect(screen.getByLabelText(/^New password \*/)).toHaveFocus();
  await person.type(screen.getByLabelText(/^New password \*/), 'secret-2');
  await person.type(screen.getByLabelText(/again/), 'secret-2{Enter}');
  expect(await screen.findByText('Password changed')).toBeVisible();
  expect(sent).toHaveBeenCalledWith({
    currentPassword: null,
    newPassword: 'secret-2',
    endKeys: false,
  });
});

it('ends API keys and the calendar address with the old password on request', async () => {
  const sent = note('put', '/api/auth/password');
  const { person } = renderScreen(<PasswordCard user={ada} />);
  await person.click(button('Change Password'));
  await person.type(screen.getByLabelText(/Current password/), 'secret-1');
  await person.click(screen.getByRole('checkbox', { name: /API keys and calendar address/ }));
  await person.type(screen.getByLabelText(/^New password \*/), 'secret-2');
  await person.type(screen.getByLabelText(/again/), 'secret-2{Enter}');
  expect(await screen.findByText('Password changed')).toBeVisible();
  expect(sent).toHaveBeenCalledWith({
    currentPassword: 'secret-1',
    newPassword: 'secret-2',
    endKeys: true,
  });
});

const session: Schemas['Session'] = {
  id: 'session-1',
  browser: 'Firefox on Windows',
  createdAt: '2026-01-02T03:04:05Z',
  lastSeenAt: '2026-01-03T03:04:05Z',
  expiresAt: '2026-02-02T03:04:05Z',
  signInMethod: 'password',
  isCurrent: true,
};

it('signs another browser out, and all of them only after a question', async () => {
  answer('get', '/api/auth/sessions', [
    session,
    { ...session, id: 'session-2', browser: '', isCurrent: false, signInMethod: 'provider' },
  ]);
  const one = note('delete', '/api/auth/sessions/session-2');
  const all = note('post', '/api/auth/sign-out-everywhere');
  const { person, queryClient } = renderScreen(<SessionsCard />);
  const rows = await screen.findAllByRole('listitem');
  expect(within(rows[0] ?? document.body).getByText('This browser')).toBeVisible();
  expect(within(rows[1] ?? document.body).getByText(/Signed in with Google/)).toBeVisible();
  await person.click(button('Sign out Unknown browser'));
  await waitFor(() => expect(one).toHaveBeenCalled());
  await waitFor(() => expect(screen.getByRole('list', { name: 'Sessions' })).toHaveFocus());
  await person.click(button('Sign out everywhere'));
  expect(all).not.toHaveBeenCalled();
  const question = screen.getByRole('alertdialog', { name: 'Sign out everywhere?' });
  await person.click(within(question).getByRole('button', { name: 'Sign out everywhere' }));
  expect(await screen.findByText('Signed out everywhere')).toBeVisible();
  expect(queryClient.getQueryData(['auth', 'user'])).toBeNull();
});

it('shows three browsers, this one among them, and the others on request', async () => {
  const others = ['2', '3', '4'].map((number) => ({
    ...session,
    id: `session-${number}`,
    browser: `Browser ${number}`,
    isCurrent: false,
  }));
  answer('get', '/api/auth/sessions', [...others, session]);
  const { person } = renderScreen(<SessionsCard />);
  expect(await screen.findByText('This browser')).toBeVisible();
  expect(screen.getAllByRole('listitem')).toHaveLength(3);
  await person.click(button('Show all 4 browsers'));
  expect(screen.getAllByRole('listitem')).toHaveLength(4);
  expect(screen.getByRole('list', { name: 'Sessions' })).toHaveFocus();
});

it('says before an account is deleted what ends with it', async () => {
  const { person } = renderScreen(
    <DataCard user={ada} alsoEnds={['Your Pro plan ends at once.']} />,
  );
  await person.click(button('Delete Account'));
  expect(screen.getByText('Your Pro plan ends at once.')).toBeVisible();
});

it('asks about the account until the server has answered, and says why it is still there', async () => {
  const end = refuseLater('delete', '/api/auth/user', {
    status: 422,
    detail: 'This is not your password.',
    field: 'password',
  });
  const { person } = renderScreen(<DataCard user={ada} />);
  await person.click(button('Delete Account'));
  await person.type(screen.getByLabelText(/to confirm/), ada.email);
  await person.type(screen.getByLabelText(/Password/), 'secret-1');
  await person.click(button('Delete for Good'));
  expect(button('Cancel')).toBeDisabled();
  await person.keyboard('{Escape}');
  end();
  expect(await screen.findByText('This is not your password.')).toBeVisible();
  expect(button('Cancel')).toBeEnabled();
});

it('deletes an account only with its address typed out, and the password', async () => {
  const sent = note('delete', '/api/auth/user');
  const { person } = renderScreen(<DataCard user={ada} />);
  expect(hrefOf('Download My Data')).toBe('/api/auth/user/export');
  await person.click(button('Delete Account'));
  await person.type(screen.getByLabelText(/to confirm/), 'ada');
  await person.click(button('Delete for Good'));
  expect(screen.getByLabelText(/to confirm/)).toHaveFocus();
  expect(sent).not.toHaveBeenCalled();
  await person.type(screen.getByLabelText(/to confirm/), '@example.org');
  await person.type(screen.getByLabelText(/Password/), 'secret-1');
  await person.click(button('Delete for Good'));
  expect(await screen.findByText('Account deleted')).toBeVisible();
  expect(sent).toHaveBeenCalledWith({ password: 'secret-1' });
});
