import { fireEvent, screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { garage, openCompany, owner } from '@/testing/company';
import type { Company } from '@/features/plans/company/model';
import { isLeavingGuarded } from '@/lib/leave-guard';
import { answer, note, refuse, server, SIGNED_OUT } from '@/testing/server';

/** There is no canvas here: the browser of these tests can show PNG alone. */
vi.mock('@/lib/photos/drawn-picture', () => ({
  drawnPicture: (file: Blob) => Promise.resolve(file.type === 'image/png' ? file : null),
}));

const button = (name: string) => screen.getByRole('button', { name });

describe('a new company', () => {
  it('is made once by a double click, and has the focus then', async () => {
    let own: Company | null = null;
    const sent = vi.fn();
    server.use(
      http.get('/api/company', () => HttpResponse.json(own)),
      http.get('/api/company/company-1/members', () => HttpResponse.json([owner])),
      http.post('/api/company', () => {
        sent();
        own = garage;
        return HttpResponse.json(garage, { status: 201 });
      }),
    );
    const { person } = openCompany();
    await person.click(await screen.findByRole('button', { name: 'Create Company' }));
    await person.type(screen.getByLabelText(/Company name/), "Lee's Garage");
    fireEvent.click(button('Create Company'));
    fireEvent.click(button('Create Company'));
    expect(await screen.findByRole('heading', { name: "Lee's Garage" })).toHaveFocus();
    expect(sent).toHaveBeenCalledOnce();
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
  const { person } = openCompany();
  await person.click(await screen.findByRole('button', { name: opener }));
  await person.type(screen.getByLabelText(/Company name/), '!{Enter}');
  await waitFor(() => {
    expect(screen.getByLabelText(/Company name/)).toHaveAccessibleDescription('Too odd.');
  });
  await person.click(button('Cancel'));
  await person.click(button(opener));
  expect(screen.getByLabelText(/Company name/)).not.toHaveAccessibleDescription();
});

it('takes back nothing of a company that somebody else has saved meanwhile', async () => {
  answer('get', '/api/company', garage);
  answer('get', '/api/company/company-1/members', [owner]);
  const sent = note('put', '/api/company/company-1', garage);
  const { person } = openCompany();
  await person.click(await screen.findByRole('button', { name: 'Edit Company' }));
  await person.type(screen.getByLabelText('Description'), ' And exhausts.');
  answer('get', '/api/company', { ...garage, name: 'Byron Motors' });
  await person.click(button('Save Company'));
  expect(await screen.findByText('Company saved')).toBeVisible();
  expect(sent).toHaveBeenCalledWith({
    name: 'Byron Motors',
    description: 'Brakes and exhausts. And exhausts.',
  });
});

it('keeps what was edited, and the logo, over a session that ended', async () => {
  refuse('post', '/api/company', SIGNED_OUT);
  answer('get', '/api/company', null);
  const before = openCompany();
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
  const after = openCompany();
  expect(await screen.findByLabelText(/Company name/)).toHaveValue('Garage');
  expect(await screen.findByAltText('Preview of the logo')).toHaveAttribute(
    'src',
    'data:image/png;base64,cG5n',
  );
  after.unmount();
  const later = openCompany();
  await later.person.click(await screen.findByRole('button', { name: 'Create Company' }));
  expect(screen.queryByAltText('Preview of the logo')).not.toBeInTheDocument();
});

it('asks before a chosen logo is left', async () => {
  answer('get', '/api/company', null);
  const { person } = openCompany();
  await person.click(await screen.findByRole('button', { name: 'Create Company' }));
  expect(isLeavingGuarded()).toBe(false);
  await person.upload(
    screen.getByLabelText('Logo'),
    new File(['png'], 'logo.png', { type: 'image/png' }),
  );
  await screen.findByAltText('Preview of the logo');
  expect(isLeavingGuarded()).toBe(true);
  await person.click(button('Remove Logo'));
  expect(isLeavingGuarded()).toBe(false);
  expect(button('Select Logo')).toHaveFocus();
});

it('refuses a picture that the browser cannot show before its preview', async () => {
  answer('get', '/api/company', null);
  const { person } = openCompany();
  await person.click(await screen.findByRole('button', { name: 'Create Company' }));
  await person.upload(
    screen.getByLabelText('Logo'),
    new File(['heic'], 'logo.heic', { type: 'image/heic' }),
  );
  expect(await screen.findByText('Invalid file type')).toBeVisible();
  expect(screen.queryByAltText('Preview of the logo')).not.toBeInTheDocument();
});

it('keeps that a logo goes over a session that ended', async () => {
  const saved = { ...garage, logo: 'data:image/png;base64,cG5n' };
  refuse('put', '/api/company/company-1', SIGNED_OUT);
  server.use(
    http.get('/api/company', () => HttpResponse.json(saved)),
    http.get('/api/company/company-1/members', () => HttpResponse.json([owner])),
  );
  const before = openCompany();
  await before.person.click(await screen.findByRole('button', { name: 'Edit Company' }));
  await before.person.click(button('Remove Logo'));
  await before.person.click(button('Save Company'));
  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
  before.unmount();
  openCompany();
  expect(await screen.findByRole('button', { name: 'Select Logo' })).toBeVisible();
});
