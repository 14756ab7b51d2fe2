import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { InvitationNotice } from '@/features/plans/company/components/invitation-notice';
import { OwnInvitations } from '@/features/plans/company/components/own-invitations';
import { garage } from '@/testing/company';
import { hrefOf, renderScreen } from '@/testing/render';
import { answer, note, refuse, server } from '@/testing/server';

const button = (name: string) => screen.getByRole('button', { name });

describe('an invitation', () => {
  const shown: Schemas['Invitation'] = {
    id: 'invitation-1',
    companyName: "Lee's Garage",
    invitedBy: 'Ada Byron',
    inviterEmail: 'ada@example.org',
    photosGoTo: null,
    email: 'cy@example.org',
    role: 'manager',
    expiresAt: '2026-12-06T03:04:05Z',
  };

  it('says who asks, where to, as what, until when, and what it means', async () => {
    answer('post', '/api/company/invitations/show', shown);
    renderScreen(<InvitationNotice token="t" signedIn={false} onDone={vi.fn()} />);
    expect(await screen.findByText("You are invited to join Lee's Garage")).toBeVisible();
    expect(
      screen.getByText(/Ada Byron \(ada@example.org\) asks you in as a manager/),
    ).toHaveTextContent('Please answer by Dec');
    expect(screen.getByText(/Your garage and scans stay your own/)).toBeVisible();
    expect(screen.getByText(/No vision-LLM elsewhere gets photos/)).toBeVisible();
  });

  it('says where photos may go', async () => {
    answer('post', '/api/company/invitations/show', { ...shown, photosGoTo: 'api.example.com' });
    renderScreen(<InvitationNotice token="t" signedIn onDone={vi.fn()} />);
    expect(await screen.findByText(/be sent to api.example.com. You can refuse/)).toBeVisible();
  });

  it('leads to where photos can be refused to a judge elsewhere', async () => {
    answer('post', '/api/company/invitations/show', { ...shown, photosGoTo: 'api.example.com' });
    renderScreen(<InvitationNotice token="t" signedIn onDone={vi.fn()} />);
    expect(await screen.findByRole('link', { name: 'Accuracy' })).toBeVisible();
    expect(hrefOf('Accuracy')).toBe('/shop/accuracy');
  });

  it('is declined without an account, after a question', async () => {
    answer('post', '/api/company/invitations/show', shown);
    const sent = note('post', '/api/company/invitations/decline');
    const onDone = vi.fn();
    const { person } = renderScreen(
      <InvitationNotice token="t" signedIn={false} onDone={onDone} />,
    );
    await person.click(await screen.findByRole('button', { name: 'Decline' }));
    const question = within(screen.getByRole('alertdialog'));
    expect(question.getByText(/cannot ask you again for 30 days/)).toBeVisible();
    await person.click(question.getByRole('button', { name: 'Decline' }));
    expect(await screen.findByText('Invitation declined')).toBeVisible();
    expect(sent).toHaveBeenCalledWith({ token: 't' });
    expect(onDone).toHaveBeenCalled();
  });

  it('is shown to whose address it is, and accepted by its id', async () => {
    const sent = vi.fn();
    answer('get', '/api/company/invitations', [shown]);
    server.use(
      http.post('/api/company/invitations/accept', async ({ request }) => {
        sent(await request.json());
        answer('get', '/api/company/invitations', []);
        return HttpResponse.json(garage);
      }),
    );
    const { person } = renderScreen(
      <main tabIndex={-1}>
        <OwnInvitations />
      </main>,
    );
    expect(await screen.findByText("You are invited to join Lee's Garage")).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Not now' })).not.toBeInTheDocument();
    await person.click(button('Join'));
    expect(await screen.findByText("You are a member of Lee's Garage now.")).toBeVisible();
    expect(sent).toHaveBeenCalledWith({ id: 'invitation-1' });
    await waitFor(() => {
      expect(screen.queryByRole('button', { name: 'Join' })).not.toBeInTheDocument();
    });
    expect(screen.getByRole('main')).toHaveFocus();
  });

  it.each([
    ['Join', 'accept', 'Failed to accept the invitation'],
    ['Decline', 'decline', 'Failed to decline the invitation'],
  ])('says that it could not be answered: %s', async (label, call, title) => {
    answer('get', '/api/company/invitations', [shown]);
    refuse('post', `/api/company/invitations/${call}`, { status: 500, detail: '' });
    const { person } = renderScreen(<OwnInvitations />);
    await person.click(await screen.findByRole('button', { name: label }));
    if (label === 'Decline') {
      await person.click(
        within(screen.getByRole('alertdialog')).getByRole('button', { name: label }),
      );
    }
    expect(await screen.findByText(title)).toBeVisible();
    expect(screen.getByText("You are invited to join Lee's Garage")).toBeVisible();
  });

  it('is joined once by a double click', async () => {
    answer('get', '/api/company/invitations', [shown]);
    const sent = note('post', '/api/company/invitations/accept', garage);
    renderScreen(<OwnInvitations />);
    const join = await screen.findByRole('button', { name: 'Join' });
    fireEvent.click(join);
    fireEvent.click(join);
    expect(await screen.findByText("You are a member of Lee's Garage now.")).toBeVisible();
    // While it still stands here.
    fireEvent.click(join);
    await act(() => new Promise((resolve) => setTimeout(resolve, 20)));
    expect(sent).toHaveBeenCalledOnce();
  });

  const withdrawn = { status: 422, detail: 'This invitation is no longer valid.' };

  it('goes from the screen where it turns out to be withdrawn', async () => {
    answer('get', '/api/company/invitations', [shown]);
    refuse('post', '/api/company/invitations/accept', withdrawn);
    const { person } = renderScreen(<OwnInvitations />);
    const join = await screen.findByRole('button', { name: 'Join' });
    answer('get', '/api/company/invitations', []);
    await person.click(join);
    expect(await screen.findByText('This invitation is no longer valid.')).toBeVisible();
    await waitFor(() => expect(join).not.toBeInTheDocument());
  });

  it('that was mailed can only be closed where it turns out to be withdrawn', async () => {
    answer('post', '/api/company/invitations/show', shown);
    refuse('post', '/api/company/invitations/accept', withdrawn);
    const { person } = renderScreen(<InvitationNotice token="t" signedIn onDone={vi.fn()} />);
    const join = await screen.findByRole('button', { name: 'Join' });
    refuse('post', '/api/company/invitations/show', withdrawn);
    await person.click(join);
    expect(await screen.findByText('Invitation not valid')).toBeVisible();
    expect(join).not.toBeInTheDocument();
  });

  it('that is not open any more is only to be closed', async () => {
    refuse('post', '/api/company/invitations/show', {
      status: 422,
      detail: 'This invitation is no longer valid. Please ask for a new one.',
    });
    const onDone = vi.fn();
    const { person } = renderScreen(<InvitationNotice token="t" signedIn onDone={onDone} />);
    expect(await screen.findByText(/no longer valid/)).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Join' })).not.toBeInTheDocument();
    await person.click(button('Close'));
    expect(onDone).toHaveBeenCalled();
  });

  it('is accepted by somebody who is signed in', async () => {
    answer('post', '/api/company/invitations/show', shown);
    answer('post', '/api/company/invitations/accept', garage);
    const onDone = vi.fn();
    const { person } = renderScreen(<InvitationNotice token="t" signedIn onDone={onDone} />);
    await person.click(await screen.findByRole('button', { name: 'Join' }));
    expect(await screen.findByText("You are a member of Lee's Garage now.")).toBeVisible();
    expect(onDone).toHaveBeenCalled();
  });

  it('waits for the sign-in of a visitor', async () => {
    answer('post', '/api/company/invitations/show', shown);
    renderScreen(<InvitationNotice token="t" signedIn={false} onDone={vi.fn()} />);
    expect(await screen.findByText(/Sign in or sign up first; then you can join./)).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Join' })).not.toBeInTheDocument();
  });
});
