import 'fake-indexeddb/auto';
import { screen, waitFor, within } from '@testing-library/react';
import { IDBFactory } from 'fake-indexeddb';
import { http, HttpResponse } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { CompanySection } from '@/features/plans/company/components/company-section';
import { InvitationNotice } from '@/features/plans/company/components/invitation-notice';
import { OwnInvitations } from '@/features/plans/company/components/own-invitations';
import {
  companyBody,
  companySchema,
  logoRefusal,
  mayManage,
  memberInitials,
  type Company,
  type CompanyMember,
} from '@/features/plans/company/model';
import { ada } from '@/testing/fixtures';
import { confirm, hrefOf, renderScreen } from '@/testing/render';
import { answer, note, refuse, server, SIGNED_OUT } from '@/testing/server';

/** There is no canvas here: the browser of these tests can show PNG alone. */
vi.mock('@/lib/photos/drawn-picture', () => ({
  drawnPicture: (file: Blob) => Promise.resolve(file.type === 'image/png' ? file : null),
}));

const garage: Company = {
  id: 'company-1',
  ownerId: ada.id,
  name: "Lee's Garage",
  description: 'Brakes and exhausts.',
  logo: null,
  createdAt: '2026-01-02T03:04:05Z',
};

const owner: CompanyMember = {
  id: 'member-1',
  userId: ada.id,
  role: 'manager',
  displayName: 'Ada Byron',
  email: ada.email,
  joinedAt: '2026-01-02T03:04:05Z',
  pending: false,
  expiresAt: null,
  user: null,
};
const bob: CompanyMember = {
  ...owner,
  id: 'member-2',
  userId: 'user-2',
  role: 'member',
  displayName: 'Bob Lee',
  email: 'bob@example.org',
};
const invited: CompanyMember = {
  ...bob,
  id: 'invitation-1',
  userId: null,
  displayName: 'Cy Young',
  email: 'cy@example.org',
  joinedAt: null,
  pending: true,
  expiresAt: '2026-12-06T03:04:05Z',
};

const open = (id = ada.id, planType: Schemas['PlanType'] = 'business') =>
  renderScreen(<CompanySection user={{ id, planType }} />);
const button = (name: string) => screen.getByRole('button', { name });

describe('a new company', () => {
  it('needs a name, and is sent with its logo', async () => {
    const sent = vi.fn();
    server.use(
      http.get('/api/company', () => HttpResponse.json(null)),
      http.post('/api/company', async ({ request }) => {
        sent(await request.json());
        return HttpResponse.json(garage, { status: 201 });
      }),
    );
    const { person } = open();
    await person.click(await screen.findByRole('button', { name: 'Create Company' }));
    await person.click(button('Create Company'));
    expect(screen.getByLabelText(/Company name/)).toHaveAccessibleDescription(
      'Enter the name of the company.',
    );
    await person.type(screen.getByLabelText(/Company name/), "Lee's Garage");
    await person.upload(
      screen.getByLabelText('Logo'),
      new File(['png'], 'logo.png', { type: 'image/png' }),
    );
    expect(await screen.findByAltText('Preview of the logo')).toBeVisible();
    await person.click(button('Create Company'));
    expect(await screen.findByText('Company created')).toBeVisible();
    expect(sent).toHaveBeenCalledWith({
      name: "Lee's Garage",
      description: null,
      logo: 'data:image/png;base64,cG5n',
    });
  });

  it.each([
    ['This server is busy.', 'This server is busy.'],
    ['', 'Failed to create company'],
  ])('keeps the form when it is refused: %s', async (detail, shown) => {
    answer('get', '/api/company', null);
    refuse('post', '/api/company', { status: 503, detail });
    const { person } = open();
    await person.click(await screen.findByRole('button', { name: 'Create Company' }));
    await person.type(screen.getByLabelText(/Company name/), 'Garage{Enter}');
    expect(await screen.findByText('Error')).toBeVisible();
    expect(screen.getByText(shown)).toBeVisible();
    expect(screen.getByLabelText(/Company name/)).toHaveValue('Garage');
  });
});

it.each([
  ['new', 'Create Company', 'post', '/api/company'],
  ['known', 'Edit Company', 'put', '/api/company/company-1'],
] as const)('forgets an old refusal of a %s company on Cancel', async (_, opener, method, path) => {
  server.use(
    http.get('/api/company', () => HttpResponse.json(opener === 'Edit Company' ? garage : null)),
    http.get('/api/company/company-1/members', () => HttpResponse.json([owner])),
  );
  refuse(method, path, { status: 422, code: 'invalid', detail: 'Too odd.', field: 'name' });
  const { person } = open();
  await person.click(await screen.findByRole('button', { name: opener }));
  await person.type(screen.getByLabelText(/Company name/), '!{Enter}');
  await waitFor(() => {
    expect(screen.getByLabelText(/Company name/)).toHaveAccessibleDescription('Too odd.');
  });
  await person.click(button('Cancel'));
  await person.click(button(opener));
  expect(screen.getByLabelText(/Company name/)).not.toHaveAccessibleDescription();
});

it('keeps what was edited, and the logo, over a session that ended', async () => {
  globalThis.indexedDB = new IDBFactory();
  refuse('post', '/api/company', SIGNED_OUT);
  answer('get', '/api/company', null);
  const before = open();
  await before.person.click(await screen.findByRole('button', { name: 'Create Company' }));
  await before.person.type(screen.getByLabelText(/Company name/), 'Garage');
  await before.person.upload(
    screen.getByLabelText('Logo'),
    new File(['png'], 'logo.png', { type: 'image/png' }),
  );
  await screen.findByAltText('Preview of the logo');
  await before.person.click(button('Create Company'));
  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
  before.unmount();
  // The form is open again.
  const after = open();
  expect(await screen.findByLabelText(/Company name/)).toHaveValue('Garage');
  expect(await screen.findByAltText('Preview of the logo')).toHaveAttribute(
    'src',
    'data:image/png;base64,cG5n',
  );
  after.unmount();
  const later = open();
  await later.person.click(await screen.findByRole('button', { name: 'Create Company' }));
  expect(screen.queryByAltText('Preview of the logo')).not.toBeInTheDocument();
});

it('refuses a picture that the browser cannot show before its preview', async () => {
  answer('get', '/api/company', null);
  const { person } = open();
  await person.click(await screen.findByRole('button', { name: 'Create Company' }));
  await person.upload(
    screen.getByLabelText('Logo'),
    new File(['heic'], 'logo.heic', { type: 'image/heic' }),
  );
  expect(await screen.findByText('Invalid file type')).toBeVisible();
  expect(screen.queryByAltText('Preview of the logo')).not.toBeInTheDocument();
});

it('shows the picture of a member, and initials where there is none', async () => {
  const { id, email, firstName, lastName } = ada;
  const user = { id, email, firstName, lastName, profileImageUrl: 'data:image/png;base64,cG5n' };
  server.use(
    http.get('/api/company', () => HttpResponse.json(garage)),
    http.get('/api/company/company-1/members', () => HttpResponse.json([{ ...owner, user }])),
  );
  const { container } = open();
  await screen.findByText('admin');
  expect(container.querySelector('li img')).toHaveAttribute('src', 'data:image/png;base64,cG5n');
});

it('keeps that a logo goes over a session that ended', async () => {
  const saved = { ...garage, logo: 'data:image/png;base64,cG5n' };
  refuse('put', '/api/company/company-1', SIGNED_OUT);
  server.use(
    http.get('/api/company', () => HttpResponse.json(saved)),
    http.get('/api/company/company-1/members', () => HttpResponse.json([owner])),
  );
  const before = open();
  await before.person.click(await screen.findByRole('button', { name: 'Edit Company' }));
  await before.person.click(button('Remove Logo'));
  await before.person.click(button('Save Company'));
  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
  before.unmount();
  open();
  expect(await screen.findByRole('button', { name: 'Select Logo' })).toBeVisible();
});

it.each([
  ['text/plain', 10, { title: 'Invalid file type', description: 'Please select an image file.' }],
  [
    'image/png',
    5 * 1024 * 1024 + 1,
    { title: 'File too large', description: 'Please select an image smaller than 5MB.' },
  ],
  ['image/png', 5 * 1024 * 1024, null],
])('a logo of type %s with %d bytes', (type, size, refusal) => {
  expect(logoRefusal({ type, size })).toEqual(refusal);
});

it('leaves a logo out that stays, and sends null for one that goes', () => {
  const company = companySchema.parse({ name: ' Garage ', description: ' ' });
  expect(companyBody(company, { kind: 'keep' })).toEqual({ name: 'Garage', description: null });
  expect(companyBody(company, { kind: 'remove' })).toMatchObject({ logo: null });
});

it.each([
  ['owner', ada.id, true],
  ['member', 'user-2', false],
  ['manager', 'user-3', true],
  ['outsider', 'user-4', false],
])('the %s may manage: %s, %s', (_who, userId, may) => {
  const members = [bob, { ...bob, userId: 'user-3', role: 'manager' as const }];
  expect(mayManage(garage, members, userId)).toBe(may);
});

it.each([
  ['Bob Lee', 'BL'],
  ['bob', 'B'],
  ['Ann van der Berg', 'AB'],
  ['Bob 😀', 'B😀'],
])('%s is %s', (name, initials) => {
  expect(memberInitials(name)).toBe(initials);
});

describe('the team', () => {
  it('shows roles, and who has not answered', async () => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner, bob, invited]);
    open();
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
    const sent = note('post', '/api/company/company-1/members', invited, 201);
    const { person } = open();
    await person.click(await screen.findByRole('button', { name: 'Add Member' }));
    await person.click(button('Add to Team'));
    expect(screen.getByLabelText(/Full name/)).toHaveFocus();
    expect(screen.getByLabelText('Role')).toHaveValue('member');
    await person.type(screen.getByLabelText(/Full name/), 'Cy Young');
    await person.type(screen.getByLabelText(/E-mail/), 'cy@example.org{Enter}');
    expect(await screen.findByText('Invitation sent')).toBeVisible();
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
    open(id, 'basic');
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
    const { person } = open('user-2');
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
    open('user-2');
    const remove = await screen.findByRole('button', { name: 'Remove Cy Young' });
    expect(remove).toBeDisabled();
    expect(remove).toHaveAccessibleDescription('Only the owner and managers can remove people.');
    expect(screen.queryByRole('button', { name: 'Edit Company' })).not.toBeInTheDocument();
  });

  it('says what goes with a company before it is deleted', async () => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner]);
    const { person } = open();
    await person.click(await screen.findByRole('button', { name: 'Edit Company' }));
    await person.click(button('Delete Company'));
    expect(await screen.findByRole('alertdialog')).toHaveTextContent(
      /price lists, cross-references and grades are deleted with it/,
    );
  });

  it('lets a manager edit the company', async () => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner, { ...bob, role: 'manager' }]);
    open('user-2');
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
    const { person } = open();
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
    const { person } = open();
    await person.selectOptions(await screen.findByLabelText('Role of Bob Lee'), 'manager');
    expect(await screen.findByText('Only the owner or a manager may do this.')).toBeVisible();
    expect(screen.getByLabelText('Role of Bob Lee')).toHaveValue('member');
  });
});

describe('handing over', () => {
  const makeOwner = { name: 'Make Bob Lee the owner' };

  it('asks the owner first, and tells who owns it then', async () => {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner, bob, invited]);
    const sent = note('put', '/api/company/company-1/owner', { ...garage, ownerId: 'user-2' });
    const { person } = open();
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
    open('user-3');
    expect(await screen.findByLabelText('Role of Bob Lee')).toBeVisible();
    expect(screen.queryByRole('button', makeOwner)).not.toBeInTheDocument();
  });
});

describe('a server that fails without a sentence', () => {
  const failure = { status: 500, detail: '' };

  async function openTeam() {
    answer('get', '/api/company', garage);
    answer('get', '/api/company/company-1/members', [owner, bob]);
    const view = open();
    await screen.findByRole('button', { name: 'Remove Bob Lee' });
    return view;
  }

  it('says that the company was not updated', async () => {
    refuse('put', '/api/company/company-1', failure);
    const { person } = await openTeam();
    await person.click(button('Edit Company'));
    await person.click(screen.getByRole('button', { name: /^Save/ }));
    expect(await screen.findByText('Failed to update company')).toBeVisible();
  });

  it('says that the member was not added', async () => {
    refuse('post', '/api/company/company-1/members', failure);
    const { person } = await openTeam();
    await person.click(button('Add Member'));
    await person.type(screen.getByLabelText(/Full name/), 'Cy Young');
    await person.type(screen.getByLabelText(/E-mail/), 'cy@example.org{Enter}');
    expect(await screen.findByText('Failed to add team member')).toBeVisible();
  });

  it('says that the member was not removed', async () => {
    refuse('delete', '/api/company/company-1/members/user-2', failure);
    const { person } = await openTeam();
    await person.click(button('Remove Bob Lee'));
    await confirm(person, 'Remove');
    expect(await screen.findByText('Failed to remove team member')).toBeVisible();
  });
});

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
    expect(screen.getByText(/Photos stay on this server/)).toBeVisible();
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
    const { person } = renderScreen(<OwnInvitations />);
    expect(await screen.findByText("You are invited to join Lee's Garage")).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Not now' })).not.toBeInTheDocument();
    await person.click(button('Join'));
    expect(await screen.findByText("You are a member of Lee's Garage now.")).toBeVisible();
    expect(sent).toHaveBeenCalledWith({ id: 'invitation-1' });
    await waitFor(() => {
      expect(screen.queryByRole('button', { name: 'Join' })).not.toBeInTheDocument();
    });
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
