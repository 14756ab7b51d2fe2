import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { bob, garage, invited, justInvited, openCompany, owner } from '@/testing/company';
import { isLeavingGuarded } from '@/lib/leave-guard';
import { ada } from '@/testing/fixtures';
import { confirm } from '@/testing/render';
import { answer, note, refuse, server } from '@/testing/server';

const button = (name: string) => screen.getByRole('button', { name });

it('shows the picture of a member, and initials where there is none', async () => {
  const { id, email, firstName, lastName } = ada;
  const user = { id, email, firstName, lastName, profileImageUrl: 'data:image/png;base64,cG5n' };
  server.use(
    http.get('/api/company', () => HttpResponse.json(garage)),
    http.get('/api/company/company-1/members', () => HttpResponse.json([{ ...owner, user }])),
  );
  const { container } = openCompany();
  await screen.findByText('admin');
  expect(container.querySelector('li img')).toHaveAttribute('src', 'data:image/png;base64,cG5n');
});

describe('the team', () => {
  it('shows roles, and who has not answered', async () => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner, bob, invited]);
    openCompany();
    expect(await screen.findByRole('heading', { name: "Lee's Garage" })).toBeVisible();
    const rows = await screen.findAllByRole('listitem');
    expect(rows).toHaveLength(3);
    expect(within(rows[0] ?? document.body).getByText('admin')).toBeVisible();
    expect(within(rows[0] ?? document.body).queryByRole('button')).not.toBeInTheDocument();
    expect(screen.getByLabelText('Role of Bob Lee')).toHaveValue('member');
    expect(within(rows[2] ?? document.body).getByText('pending')).toBeVisible();
    expect(screen.getByText('cy@example.org')).toBeVisible();
    expect(screen.getByText(/^Invited until Dec/)).toBeVisible();
  });

  it('adds a member by name and address, as a member unless said otherwise', async () => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner]);
    const sent = note('post', '/api/company/company-1/members', justInvited, 201);
    const { person } = openCompany();
    await person.click(await screen.findByRole('button', { name: 'Add Member' }));
    await person.click(button('Add to Team'));
    expect(screen.getByLabelText(/Full name/)).toHaveFocus();
    expect(screen.getByLabelText('Role')).toHaveValue('member');
    expect(isLeavingGuarded()).toBe(false);
    await person.type(screen.getByLabelText(/Full name/), 'Cy Young');
    expect(isLeavingGuarded()).toBe(true);
    await person.type(screen.getByLabelText(/E-mail/), 'cy@example.org{Enter}');
    expect(await screen.findByText('Invitation sent')).toBeVisible();
    expect(isLeavingGuarded()).toBe(false);
    expect(sent).toHaveBeenCalledWith({
      userName: 'Cy Young',
      userEmail: 'cy@example.org',
      role: 'member',
    });
  });

  it.each([
    ['its owner', ada.id, /until you renew it/],
    ['a manager', 'user-2', /until its owner renews it/],
  ])('offers %s nothing that needs a plan that has ended', async (_, id, until) => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner, { ...bob, role: 'manager' }]);
    openCompany(id, 'basic');
    expect(await screen.findByText('The Business plan of this company has ended')).toBeVisible();
    expect(screen.getByText(until)).toBeVisible();
    expect(await screen.findByText('Bob Lee')).toBeVisible();
    expect(screen.queryByText(/They have what the Business plan includes/)).not.toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Add Member' })).not.toBeInTheDocument();
  });

  it('lets a plain member add nobody, but leave', async () => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner, bob]);
    const removed = note('delete', '/api/company/company-1/members/user-2');
    const { person } = openCompany('user-2');
    await person.click(await screen.findByRole('button', { name: 'Leave the company' }));
    expect(screen.queryByRole('button', { name: 'Add Member' })).not.toBeInTheDocument();
    expect(screen.queryByLabelText('Role of Bob Lee')).not.toBeInTheDocument();
    await confirm(person, 'Leave');
    expect(await screen.findByText('You left the company')).toBeVisible();
    expect(removed).toHaveBeenCalledOnce();
  });

  it('offers a plain member nothing that the server refuses', async () => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner, bob, invited]);
    openCompany('user-2');
    const remove = await screen.findByRole('button', { name: 'Remove Cy Young' });
    expect(remove).toBeDisabled();
    expect(remove).toHaveAccessibleDescription('Only the owner and managers can remove people.');
    expect(screen.queryByRole('button', { name: 'Edit Company' })).not.toBeInTheDocument();
  });

  it('says what goes with a company before it is deleted', async () => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner]);
    const { person } = openCompany();
    await person.click(await screen.findByRole('button', { name: 'Edit Company' }));
    await person.click(button('Delete Company'));
    expect(await screen.findByRole('alertdialog')).toHaveTextContent(
      /price lists, cross-references, grades and evaluations are deleted with it/,
    );
  });

  it('lets a manager edit the company', async () => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner, { ...bob, role: 'manager' }]);
    openCompany('user-2');
    expect(await screen.findByRole('button', { name: 'Edit Company' })).toBeVisible();
  });

  it('removes an invitation by its own id, only after a question', async () => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner, invited]);
    const removed = vi.fn();
    server.use(
      http.delete('/api/company/company-1/members/:id', ({ params }) => {
        removed(params.id);
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { person } = openCompany();
    await person.click(await screen.findByRole('button', { name: 'Remove Cy Young' }));
    expect(removed).not.toHaveBeenCalled();
    await confirm(person, 'Remove');
    expect(await screen.findByText('Team member removed')).toBeVisible();
    expect(removed).toHaveBeenCalledWith('invitation-1');
  });

  it('changes a role, or says why not', async () => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner, bob]);
    refuse('put', '/api/company/company-1/members/user-2', {
      status: 403,
      detail: 'Only the owner or a manager may do this.',
    });
    const { person } = openCompany();
    await person.selectOptions(await screen.findByLabelText('Role of Bob Lee'), 'manager');
    expect(await screen.findByText('Only the owner or a manager may do this.')).toBeVisible();
    expect(screen.getByLabelText('Role of Bob Lee')).toHaveValue('member');
  });

  it('leaves the focus at a role while it changes', async () => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner, bob]);
    server.use(
      http.put('/api/company/company-1/members/user-2', () => new Promise(() => undefined)),
    );
    const { person } = openCompany();
    const role = await screen.findByLabelText('Role of Bob Lee');
    role.focus();
    await person.selectOptions(role, 'manager');
    await waitFor(() => expect(role).toHaveValue('manager'));
    expect(role).toBeEnabled();
    expect(role).toHaveFocus();
  });

  it('asks a manager before they give up their own role', async () => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner, { ...bob, role: 'manager' }]);
    const sent = note('put', '/api/company/company-1/members/user-2', bob);
    const { person } = openCompany('user-2');
    const role = await screen.findByLabelText('Role of Bob Lee');
    await person.selectOptions(role, 'member');
    await confirm(person, 'Cancel');
    expect(sent).not.toHaveBeenCalled();
    expect(role).toHaveValue('manager');
    await waitFor(() => expect(role).toHaveFocus());
    await person.selectOptions(role, 'member');
    await confirm(person, 'Become a Member');
    expect(await screen.findByText('Role changed')).toBeVisible();
    expect(sent).toHaveBeenCalledExactlyOnceWith({ role: 'member' });
    expect(screen.getByRole('list', { name: 'Members' })).toHaveFocus();
  });
});

describe('handing over', () => {
  const makeOwner = { name: 'Make Bob Lee the owner' };

  it('asks the owner first, and tells who owns it then', async () => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner, bob, invited]);
    const sent = note('put', '/api/company/company-1/owner', { ...garage, ownerId: 'user-2' });
    const { person } = openCompany();
    await person.click(await screen.findByRole('button', makeOwner));
    expect(sent).not.toHaveBeenCalled();
    await confirm(person, 'Make Owner');
    expect(await screen.findByText("Bob Lee owns Lee's Garage now.")).toBeVisible();
    expect(sent).toHaveBeenCalledExactlyOnceWith({ userId: 'user-2' });
  });

  it('is offered to nobody but the owner, and only for those who are in', async () => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [
      owner,
      bob,
      { ...bob, id: 'member-3', userId: 'user-3', displayName: 'Cy Young', role: 'manager' },
    ]);
    openCompany('user-3');
    expect(await screen.findByLabelText('Role of Bob Lee')).toBeVisible();
    expect(screen.queryByRole('button', makeOwner)).not.toBeInTheDocument();
  });
});

it('keeps what a manager has typed who turns out to be none any more', async () => {
  const manager = { ...bob, role: 'manager' };
  answer('get', '/api/company', garage);
  answer('get', '/api/company/company-1/members', [owner, manager]);
  refuse('put', '/api/company/company-1', { status: 403, detail: 'Managers only.' });
  const { person } = openCompany('user-2');
  await person.click(await screen.findByRole('button', { name: 'Edit Company' }));
  await person.type(screen.getByLabelText(/Company name/), ' and Son');
  answer('get', '/api/company/company-1/members', [owner, bob]);
  await person.click(button('Save Company'));
  expect(await screen.findByText('Managers only.')).toBeVisible();
  expect(await screen.findByText(/Only the owner and managers can remove/)).toBeVisible();
  expect(screen.getByLabelText(/Company name/)).toHaveValue("Lee's Garage and Son");
});
