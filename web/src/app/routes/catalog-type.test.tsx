import { cleanup, screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { Route, Routes } from 'react-router';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { CatalogTypeRoute } from '@/app/routes/catalog-type';
import { ada, partType } from '@/testing/fixtures';
import { confirm, renderScreen } from '@/testing/render';
import { answer, note, refuse, refuseLater, server, SIGNED_OUT } from '@/testing/server';

const valve = partType({ id: 'egr-valve', name: 'EGR valve', category: 'engine' });
const PATH = '/api/catalog/types/egr-valve';
const photo: Schemas['TaughtReference'] = {
  id: 'one',
  kind: 'enrolled',
  isOwn: true,
  createdAt: '2026-11-22T09:00:00Z',
  thumbnailUrl: '/api/catalog/references/one/thumbnail',
};

const screens = (
  <Routes>
    <Route path="/catalog/:id" element={<CatalogTypeRoute />} />
  </Routes>
);

function open(part = valve) {
  answer('get', '/api/auth/user', ada);
  answer('get', PATH, part);
  answer('get', '/api/catalog/parts', []);
  return renderScreen(screens, '/catalog/egr-valve').person;
}

it('gives a part another name', async () => {
  const sent = note('put', PATH, valve);
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Edit' }));
  const name = await screen.findByLabelText(/^Name/);
  expect(screen.getByRole('dialog')).toHaveAccessibleDescription(/Repairs keep the name/);
  await person.clear(name);
  await person.click(screen.getByRole('button', { name: 'Save' }));
  expect(screen.getByText('Name the part as you call it.')).toBeVisible();
  await person.type(name, 'EGR valve, 2.0 TDI');
  await person.selectOptions(screen.getByLabelText(/^Category/), 'exhaust');
  await person.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(sent).toHaveBeenCalledWith({ name: 'EGR valve, 2.0 TDI', category: 'exhaust' });
});

it('takes back nothing of a part that somebody else has saved meanwhile', async () => {
  const sent = note('put', PATH, valve);
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Edit' }));
  await person.type(await screen.findByLabelText(/^Name/), '!');
  answer('get', PATH, { ...valve, category: 'exhaust' });
  await person.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(sent).toHaveBeenCalledWith({ name: 'EGR valve!', category: 'exhaust' }),
  );
});

it('stays in the change of a part while it is saved, and says why it was not', async () => {
  const taken = 'Another part has this name. Please choose another one.';
  const end = refuseLater('put', PATH, { status: 409, detail: taken, field: 'name' });
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Edit' }));
  await person.type(await screen.findByLabelText(/^Name/), '!');
  await person.click(screen.getByRole('button', { name: 'Save' }));
  await person.keyboard('{Escape}');
  expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
  end();
  expect(await screen.findByText(taken)).toBeVisible();
  expect(screen.getByLabelText(/^Name/)).toHaveValue('EGR valve!');
});

it('keeps the new name of a part over a session that ended', async () => {
  refuse('put', PATH, SIGNED_OUT);
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Edit' }));
  await person.type(await screen.findByLabelText(/^Name/), '!');
  await person.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
  cleanup();
  open();
  expect(await screen.findByLabelText(/^Name/)).toHaveValue('EGR valve!');
});

it('deletes a part after a question, and brings it back', async () => {
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Delete EGR valve' }));
  expect(screen.getByRole('alertdialog')).toHaveAccessibleDescription(
    'Scans will no longer find it. Past scans and repairs keep its name.',
  );
  refuse('get', PATH, { status: 404, detail: 'This part does not exist.' });
  note('delete', PATH);
  await confirm(person, 'Delete');
  expect(await screen.findByText(/^This part is deleted/)).toBeVisible();
  expect(screen.getByRole('heading', { name: 'EGR valve' })).toHaveFocus();
  expect(screen.queryByRole('button', { name: 'Add Photos' })).not.toBeInTheDocument();
  answer('post', `${PATH}/restore`, valve);
  answer('get', PATH, valve);
  await person.click(screen.getByRole('button', { name: 'Undo deleting EGR valve' }));
  expect(await screen.findByRole('button', { name: 'Add Photos' })).toBeVisible();
});

it('tells whoever does not see it that a part was deleted, after how many photos go with it', async () => {
  const person = open({ ...valve, references: [photo] });
  await person.click(await screen.findByRole('button', { name: 'Delete EGR valve' }));
  expect(screen.getByRole('alertdialog')).toHaveAccessibleDescription(/1 photo of it will be/);
  await confirm(person, 'Cancel');
  const heard = screen.getAllByRole('status');
  note('delete', PATH);
  await person.click(screen.getByRole('button', { name: 'Delete EGR valve' }));
  await confirm(person, 'Delete');
  // What is there before it says something is read out.
  const said = (await screen.findByText(/^This part is deleted/)).closest('[role="status"]');
  expect(heard).toContain(said);
});

it('still brings a photo back after the part was deleted and brought back', async () => {
  const person = open({ ...valve, references: [photo] });
  await person.click(await screen.findByRole('button', { name: /^Delete photo/ }));
  note('delete', '/api/catalog/references/one');
  answer('get', PATH, { ...valve, references: [] });
  await confirm(person, 'Delete');
  expect(await screen.findByText('Photo deleted')).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Delete EGR valve' }));
  note('delete', PATH);
  await confirm(person, 'Delete');
  answer('post', `${PATH}/restore`, valve);
  await person.click(await screen.findByRole('button', { name: 'Undo deleting EGR valve' }));
  expect(await screen.findByText('Photo deleted')).toBeVisible();
  expect(screen.getByRole('button', { name: /^Undo deleting photo/ })).toBeEnabled();
});

it('shows a photo once that is deleted, brought back and deleted again', async () => {
  const person = open({ ...valve, references: [photo] });
  note('delete', '/api/catalog/references/one');
  server.use(
    http.post('/api/catalog/references/one/restore', () => {
      answer('get', PATH, { ...valve, references: [photo] });
      return HttpResponse.json(photo);
    }),
  );
  const remove = async () => {
    await person.click(await screen.findByRole('button', { name: /^Delete photo/ }));
    answer('get', PATH, { ...valve, references: [] });
    await confirm(person, 'Delete');
  };
  expect(await screen.findByRole('img', { name: 'Photo 1, of Nov 22, 2026' })).toBeVisible();
  await remove();
  const undo = { name: 'Undo deleting photo 1, of Nov 22, 2026' };
  (await screen.findByRole('button', undo)).focus();
  await person.keyboard('{Enter}');
  await waitFor(() => expect(screen.queryByText('Photo deleted')).not.toBeInTheDocument());
  expect(screen.getByRole('list', { name: 'Photos' })).toHaveFocus();
  await remove();
  expect(await screen.findByText('Photo deleted')).toBeVisible();
});

it('offers no change of a part that is not one’s own', async () => {
  open(partType({ id: 'egr-valve', isShared: true, isOwn: false }));
  expect(await screen.findByRole('button', { name: 'Add Photos' })).toBeVisible();
  expect(screen.queryByRole('button', { name: /Edit|Delete/ })).not.toBeInTheDocument();
});

it('says that the shop has older parts than it lists to choose from', async () => {
  const part: Schemas['ShopPart'] = {
    id: 'part-1',
    label: 'egr-valve',
    typeName: 'EGR valve',
    name: null,
    number: '7.22',
    brand: 'Pierburg',
    price: null,
    notes: null,
    fitments: [],
    photos: [],
    ownedBy: 'you',
    mayChange: true,
    createdAt: '2026-11-22T09:00:00Z',
    updatedAt: '2026-11-22T09:00:00Z',
  };
  const person = open();
  server.use(
    http.get('/api/catalog/parts', () =>
      HttpResponse.json([part], { headers: { 'x-next-cursor': 'older' } }),
    ),
  );
  await person.click(await screen.findByRole('button', { name: 'Add Photos' }));
  expect(await screen.findByLabelText(/^Part of your shop/)).toHaveAccessibleDescription(
    /Only the newest parts are listed/,
  );
});

it('says whether the model knows a part without photos', async () => {
  open(partType({ id: 'egr-valve', isShared: true, isOwn: false, modelKnows: false }));
  expect(await screen.findByText(/Without photos the scanner cannot find/)).toBeVisible();
  expect(screen.queryByText(/The model knows this part/)).not.toBeInTheDocument();
});
