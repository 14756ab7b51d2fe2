import { screen, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { ShopPartsPanel } from '@/features/parts/shop-parts/components/shop-parts-panel';
import { fitmentText, isXml, summaryOf } from '@/features/parts/shop-parts/model';
import { partType } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, loseFirst, note, refuse, server, SIGNED_OUT } from '@/testing/server';

const civicFitment: Schemas['ShopPartFitment'] = {
  make: 'Honda',
  model: 'Civic',
  yearFrom: 2012,
  yearTo: 2015,
  note: null,
  fits: true,
  source: 'shop',
};
const plug: Schemas['ShopPart'] = {
  id: 'part-1',
  label: 'spark-plug',
  typeName: 'Spark Plug',
  name: 'Iridium plug',
  number: 'ILZKR7B-11S',
  brand: 'NGK',
  price: { cents: 1250, currency: 'EUR' },
  notes: null,
  fitments: [civicFitment],
  photos: [{ id: 'ref-1', thumbnailUrl: '/api/catalog/references/ref-1/thumbnail' }],
  ownedBy: 'you',
  mayChange: true,
  createdAt: '2026-11-22T09:00:00Z',
  updatedAt: '2026-11-22T09:00:00Z',
};
const plugType = partType({
  id: 'spark-plug',
  name: 'Spark Plug',
  references: ['ref-1', 'ref-2'].map((id) => ({
    id,
    isOwn: true,
    kind: 'enrolled',
    createdAt: '2026-11-22T09:00:00Z',
    thumbnailUrl: `/api/catalog/references/${id}/thumbnail`,
  })),
});
const report: Schemas['ShopPartsImport'] = {
  format: 'csv',
  saved: false,
  new: 1,
  changed: 1,
  unchanged: 0,
  skipped: 1,
  errors: 0,
  ignoredColumns: ['shelf'],
  rows: [
    { row: 2, status: 'new' },
    { row: 3, status: 'changed' },
    { row: 4, status: 'skipped', message: 'No vehicle in words.' },
  ],
};

const open = (parts: Schemas['ShopPart'][], asked: string | null = null) => {
  answer('get', '/api/catalog/parts', parts);
  answer('get', '/api/catalog/types/spark-plug', plugType);
  const onClose = vi.fn();
  return { ...renderScreen(<ShopPartsPanel mayChange asked={asked} onClose={onClose} />), onClose };
};

it('adds one part when it is sent again for want of an answer', async () => {
  const keys = loseFirst('/api/catalog/parts', plug);
  sessionStorage.setItem('draft.shop-part.new@', '{"label":"spark-plug","number":"ILZKR7B-11S"}');
  const { person } = open([]);
  await person.click(
    (await screen.findAllByRole('button', { name: 'Add Part' }))[0] ?? document.body,
  );
  const dialog = within(await screen.findByRole('dialog', { name: 'Add a Part' }));
  await person.click(dialog.getByRole('button', { name: 'Add Part' }));
  await dialog.findByRole('alert');
  await person.click(dialog.getByRole('button', { name: 'Add Part' }));
  await screen.findByText('Part added');
  expect(new Set(keys).size).toBe(1);
});

it('opens the part of the address, chooses its photos, and shows what the server refuses', async () => {
  answer('get', '/api/catalog/parts/part-1', plug);
  const sent = note(
    'put',
    '/api/catalog/parts/part-1',
    { code: 'conflict', detail: 'You have a part of this number already.' },
    409,
  );
  const { person, onClose } = open([plug], 'part-1');
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit NGK ILZKR7B-11S' }));
  expect(dialog.getByLabelText('Currency')).toHaveValue('EUR');
  expect(await dialog.findByText('Spark Plug')).toBeVisible();
  expect(dialog.getByRole('checkbox', { name: /^Photo 1/ })).toBeChecked();
  await person.click(dialog.getByRole('checkbox', { name: /^Photo 2/ }));
  await person.click(dialog.getByRole('button', { name: 'Save Changes' }));
  expect(await dialog.findByText('You have a part of this number already.')).toBeVisible();
  expect(sent).toHaveBeenCalledWith(expect.objectContaining({ photos: ['ref-1', 'ref-2'] }));
  // Another type has other photos; back at this one they are as they were.
  await person.click(dialog.getByRole('button', { name: 'Change' }));
  expect(dialog.queryByRole('checkbox')).not.toBeInTheDocument();
  await person.click(dialog.getByRole('button', { name: 'Cancel' }));
  expect(onClose).toHaveBeenCalledOnce();
});

it('takes back nothing that somebody else has saved meanwhile', async () => {
  answer('get', '/api/catalog/parts/part-1', plug);
  const sent = note('put', '/api/catalog/parts/part-1', plug);
  const { person } = open([plug], 'part-1');
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit NGK ILZKR7B-11S' }));
  await person.type(dialog.getByLabelText('Notes'), 'Shelf 4');
  answer('get', '/api/catalog/parts/part-1', {
    ...plug,
    price: { cents: 1990, currency: 'EUR' },
    fitments: [],
  });
  await person.click(dialog.getByRole('button', { name: 'Save Changes' }));
  expect(await screen.findByText('Part updated')).toBeVisible();
  expect(sent).toHaveBeenCalledWith(
    expect.objectContaining({ price: '19.90', fitments: [], notes: 'Shelf 4' }),
  );
});

it('keeps fitments and chosen photos when the session ends in the middle', async () => {
  answer('get', '/api/catalog/parts/part-1', plug);
  refuse('put', '/api/catalog/parts/part-1', SIGNED_OUT);
  const { person, unmount } = open([plug], 'part-1');
  const edited = async () =>
    within(await screen.findByRole('dialog', { name: 'Edit NGK ILZKR7B-11S' }));
  const dialog = await edited();
  await person.click(await dialog.findByRole('checkbox', { name: /^Photo 2/ }));
  await person.click(dialog.getByRole('button', { name: 'Add Vehicles' }));
  const line = within(dialog.getByRole('group', { name: 'Fitment 2' }));
  await person.type(line.getByLabelText(/Make/), 'Mazda');
  await person.click(dialog.getByRole('button', { name: 'Save Changes' }));
  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
  unmount();

  open([plug], 'part-1');
  const again = await edited();
  const kept = within(again.getByRole('group', { name: 'Fitment 2' }));
  expect(kept.getByLabelText(/Make/)).toHaveValue('Mazda');
  expect(await again.findByRole('checkbox', { name: /^Photo 2/ })).toBeChecked();
});

it('deletes a part after a question, and brings it back', async () => {
  server.use(
    http.delete('/api/catalog/parts/part-1', () => {
      answer('get', '/api/catalog/parts', []);
      return new HttpResponse(null, { status: 204 });
    }),
    http.post('/api/catalog/parts/part-1/restore', () => {
      answer('get', '/api/catalog/parts', [plug]);
      return HttpResponse.json(plug);
    }),
  );
  const { person } = open([plug]);
  expect(await screen.findByText('2012–2015 Honda Civic')).toBeVisible();
  expect(screen.getByText('Spark Plug')).toBeVisible();
  expect(screen.getByText(/EUR.12\.50/)).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Delete NGK ILZKR7B-11S' }));
  await person.click(screen.getByRole('button', { name: 'Delete' }));
  const row = within(screen.getByRole('list', { name: 'Shop parts' })).getByRole('listitem');
  const undo = await screen.findByRole('button', { name: 'Undo deleting NGK ILZKR7B-11S' });
  expect(await screen.findByText('Part deleted')).toBeVisible();
  expect(row).toHaveFocus();
  await person.tab();
  expect(undo).toHaveFocus();
  await person.keyboard('{Enter}');
  expect(await screen.findByText('Part is back')).toBeVisible();
  expect(await screen.findByRole('button', { name: 'Edit NGK ILZKR7B-11S' })).toBeVisible();
  expect(row).toHaveFocus();
  await person.click(screen.getByRole('button', { name: 'Delete NGK ILZKR7B-11S' }));
  await person.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByRole('button', { name: /^Undo deleting/ })).toBeVisible();
});

it('says why the list does not come, and asks again', async () => {
  const { person } = open([]);
  await screen.findByText('No parts yet');
  refuse('get', '/api/catalog/parts', { status: 503, detail: 'Busy.' });
  const again = renderScreen(<ShopPartsPanel mayChange asked={null} onClose={vi.fn()} />);
  expect(await screen.findByText('The parts could not be loaded')).toBeVisible();
  answer('get', '/api/catalog/parts', [plug]);
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('button', { name: 'Edit NGK ILZKR7B-11S' })).toBeVisible();
  again.unmount();
});

it.each([
  [civicFitment, '2012–2015 Honda Civic'],
  [{ ...civicFitment, yearTo: 2012 }, '2012 Honda Civic'],
  [{ ...civicFitment, yearTo: null }, '2012 on Honda Civic'],
  [{ ...civicFitment, yearFrom: null }, 'up to 2015 Honda Civic'],
  [
    { ...civicFitment, yearFrom: null, yearTo: null, model: null, fits: false, note: 'diesel' },
    'Not Honda, all models (diesel)',
  ],
])('says in words what a part fits', (fitment, text) => {
  expect(fitmentText(fitment)).toBe(text);
});

it('sums an import up, and knows files', () => {
  expect(summaryOf(report)).toBe(
    '1 new part would be added, 1 row would change a part, 1 not imported.',
  );
  expect(isXml(new File(['x'], 'a.XML'))).toBe(true);
  expect(isXml(new File(['x'], 'a.csv'))).toBe(false);
});

it('keeps an import over a session that ended', async () => {
  refuse('post', '/api/catalog/parts/import', SIGNED_OUT);
  const before = open([plug]);
  await before.person.click(screen.getByRole('button', { name: 'Import' }));
  const file = new File(['type,number\n'], 'parts.csv', { type: 'text/csv' });
  await before.person.upload(await screen.findByLabelText(/Choose a CSV/), file);
  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
  before.unmount();
  answer('post', '/api/catalog/parts/import', report);
  open([plug]);
  expect(await screen.findByText('parts.csv')).toBeVisible();
  expect(await screen.findByText(/^Read as/)).toBeVisible();
});
