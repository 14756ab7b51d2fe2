import { fireEvent, screen, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { useState } from 'react';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { PriceListsPanel } from '@/features/parts/price-lists/components/price-lists-panel';
import {
  EMPTY_PRICE_LIST,
  headersOf,
  problemRows,
  uploadFault,
} from '@/features/parts/price-lists/model';
import { confirm, hrefOf, renderScreen } from '@/testing/render';
import { answer, refuse, refuseLater, server, SIGNED_OUT } from '@/testing/server';

const spring: Schemas['PriceList'] = {
  id: 'list-1',
  name: 'Spring 2027',
  supplier: 'Lee & Sons',
  currency: 'EUR',
  website: null,
  urlTemplate: null,
  phone: null,
  shippingInfo: null,
  rows: 120,
  publishedAt: '2026-11-20T12:00:00Z',
  deletedAt: null,
};
const report: Schemas['PriceListReport'] = {
  id: null,
  name: 'Lee & Sons',
  supplier: 'Lee & Sons',
  saved: false,
  replaced: false,
  rows: 3,
  accepted: 2,
  skipped: 0,
  errors: 1,
  unknownParts: 1,
  currencies: { EUR: 2 },
  delimiter: 'semicolon',
  decimalSign: 'comma',
  columns: { part: 'Artikel', price: 'Net' },
  ignoredColumns: ['Shelf'],
  problems: [{ row: 3, field: 'price', severity: 'error', message: 'The price is no number.' }],
  preview: [
    { row: 2, part: 'Rotor', partNumber: null, price: 45.9, currency: 'EUR', knownPart: true },
  ],
};
const csv = new File(['Artikel;Net;Shelf\nRotor;45,90;A1\n'], 'lee.csv', { type: 'text/csv' });

it('stays while it uploads, and says in a toast why it did not after it was left', async () => {
  answer('get', '/api/price-lists', []);
  answer('post', '/api/price-lists', { ...report, errors: 0, problems: [] });
  function Bench() {
    const [left, setLeft] = useState(false);
    return (
      <>
        <button onClick={() => setLeft(true)}>Back</button>
        {!left && <PriceListsPanel inPlan mayChange />}
      </>
    );
  }
  const { person } = renderScreen(<Bench />);
  expect(await screen.findByText('No price lists yet')).toBeVisible();
  await person.click(screen.getAllByRole('button', { name: 'Upload a List' })[0] ?? document.body);
  await person.upload(await screen.findByLabelText(/Choose a CSV/), csv);
  await person.type(screen.getByLabelText(/Supplier/), 'Lee & Sons');
  await person.click(screen.getByRole('button', { name: 'Check the List' }));
  await screen.findByText(/^2 rows would be saved/);
  const end = refuseLater('post', '/api/price-lists', { status: 409, detail: 'Taken.' });
  await person.click(screen.getByRole('button', { name: 'Upload' }));
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  await person.keyboard('{Escape}');
  expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
  // As the browser's own button, which no dialog covers.
  fireEvent.click(screen.getByText('Back'));
  end();
  expect(await screen.findByText('Taken.')).toBeVisible();
});

it('asks before Escape throws away what was typed of a list', async () => {
  answer('get', '/api/price-lists', []);
  const { person } = renderScreen(<PriceListsPanel inPlan mayChange />);
  expect(await screen.findByText('No price lists yet')).toBeVisible();
  await person.click(screen.getAllByRole('button', { name: 'Upload a List' })[0] ?? document.body);
  await person.type(await screen.findByLabelText(/Supplier/), 'Lee & Sons');
  await person.keyboard('{Escape}');
  await confirm(person, 'Keep Editing');
  expect(screen.getByLabelText(/Supplier/)).toHaveValue('Lee & Sons');
  await person.keyboard('{Escape}');
  await confirm(person, 'Leave');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('offers to bring a replaced list back only once the newer one of its name is deleted', async () => {
  const replaced = { ...spring, id: 'list-0', name: 'SPRING 2027', deletedAt: spring.publishedAt };
  answer('get', '/api/price-lists', [spring, replaced]);
  server.use(
    http.delete('/api/price-lists/list-1', () => {
      answer('get', '/api/price-lists', [{ ...spring, deletedAt: spring.publishedAt }, replaced]);
      return new HttpResponse(null, { status: 204 });
    }),
  );
  const { person } = renderScreen(<PriceListsPanel inPlan mayChange />);
  const row = await screen.findByText(/^SPRING 2027, deleted or replaced/);
  expect(row).toHaveTextContent('Delete the newer list of this name first to bring it back.');
  expect(screen.queryByRole('button', { name: /^Undo/ })).not.toBeInTheDocument();
  await person.click(screen.getByRole('button', { name: 'Delete Spring 2027' }));
  await person.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByRole('button', { name: 'Undo deleting SPRING 2027' })).toBeVisible();
  expect(screen.queryByText(/Delete the newer list/)).not.toBeInTheDocument();
});

it('leads to the plans where uploads are not included, and asks again after a failure', async () => {
  refuse('get', '/api/price-lists', { status: 503, detail: 'Busy.' });
  const { person } = renderScreen(<PriceListsPanel inPlan={false} mayChange />);
  expect(hrefOf('See Plans')).toBe('/pricing');
  expect(screen.queryByRole('button', { name: 'Upload a List' })).not.toBeInTheDocument();
  await screen.findByText('The price lists could not be loaded');
  answer('get', '/api/price-lists', [spring]);
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText('Spring 2027')).toBeVisible();
});

it('brings no list back on a plan without uploads', async () => {
  const lists = [
    spring,
    { ...spring, id: 'list-2', name: 'Autumn', deletedAt: spring.publishedAt },
  ];
  answer('get', '/api/price-lists', lists);
  renderScreen(<PriceListsPanel inPlan={false} mayChange />);
  expect(await screen.findByText(/^Autumn, deleted/)).toBeVisible();
  expect(screen.queryByRole('button', { name: /Undo/ })).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Delete Spring 2027' })).toBeVisible();
});

it('calls the field that an ambiguous price asks for as the form does', () => {
  const message =
    '`1.234` can be read two ways. Please say whether decimals come after a point or a comma (`decimalSign`).';
  const ambiguous = { row: 2, field: 'price', severity: 'error' as const, message };
  const [row] = problemRows({ ...report, problems: [ambiguous] });
  expect(row?.message).toBe(
    '`1.234` can be read two ways. Please say whether decimals come after a point or a comma under "Decimals come after".',
  );
});

it.each([
  [
    '`Artikel`, `Net`',
    'No column was recognised as the price. Please choose the column under "Columns"; the file has `Artikel`, `Net`.',
  ],
  [
    'one column, `Artikel (EUR)`. Cells are told apart by commas, semicolons or tabs (`delimiter`)',
    'No column was recognised as the price. Please choose the column under "Columns"; the file has one column, `Artikel (EUR)`. Cells are told apart by commas, semicolons or tabs under "Columns are separated by".',
  ],
])('calls what a refused list lacks as the form does: %s', async (columns, sentence) => {
  answer('get', '/api/price-lists', []);
  refuse('post', '/api/price-lists', {
    status: 400,
    detail: `No column was recognised as the price (\`price\`). Please choose the column (\`mapping\`); the file has ${columns}.`,
  });
  const { person } = renderScreen(<PriceListsPanel inPlan mayChange />);
  expect(await screen.findByText('No price lists yet')).toBeVisible();
  await person.click(screen.getAllByRole('button', { name: 'Upload a List' })[0] ?? document.body);
  await person.upload(await screen.findByLabelText(/Choose a CSV/), csv);
  await person.type(screen.getByLabelText(/Supplier/), 'Lee & Sons');
  await person.click(screen.getByRole('button', { name: 'Check the List' }));
  expect(await screen.findByText(sentence)).toBeVisible();
  expect(screen.getByText('Columns', { selector: 'summary' })).toBeVisible();
});

it('marks the field that the server refused, also where it is folded away', async () => {
  answer('get', '/api/price-lists', []);
  const sentence = 'Please enter a web address that begins with https://.';
  refuse('post', '/api/price-lists', { status: 422, field: 'website', detail: sentence });
  const { person } = renderScreen(<PriceListsPanel inPlan mayChange />);
  expect(await screen.findByText('No price lists yet')).toBeVisible();
  await person.click(screen.getAllByRole('button', { name: 'Upload a List' })[0] ?? document.body);
  await person.type(screen.getByLabelText(/Supplier/), 'Lee & Sons');
  await person.click(screen.getByRole('button', { name: 'Check the List' }));
  const file = screen.getByLabelText(/Choose a CSV/);
  expect(file).toHaveFocus();
  expect(file).toHaveAccessibleDescription(/Choose the price list, a CSV file\.$/);
  await person.upload(file, csv);
  await person.click(screen.getByRole('button', { name: 'Check the List' }));
  const website = await screen.findByRole('textbox', { name: 'Website', description: sentence });
  expect(website).toBeVisible();
  expect(website).toHaveFocus();
});

it('reads the names of columns, and refuses what cannot be sent', () => {
  expect(headersOf('\uFEFFa;"b;c";d\r\n1;2;3', '')).toEqual(['a', 'b;c', 'd']);
  expect(headersOf('a,b\tc', 'tab')).toEqual(['a,b', 'c']);
  // As the server reads them: no sign counts that is between quotation marks, and neither does a line break.
  const quoted = '"Part, name, side";"Bore ""mm""" ; "Net\nprice"\r\n1;2;3';
  expect(headersOf(quoted, '')).toEqual(['Part, name, side', 'Bore "mm"', 'Net\nprice']);
  expect(headersOf('', '')).toEqual([]);
  const form = { ...EMPTY_PRICE_LIST, supplier: 'Lee' };
  expect(uploadFault(form, null)).toMatchObject({
    message: 'Choose the price list, a CSV file.',
    field: 'file',
  });
  expect(uploadFault(form, new File([''], 'a.csv'))?.message).toMatch(/a\.csv is empty/);
  expect(uploadFault(form, csv)).toBeNull();
  const ofSize = (size: number) =>
    Object.defineProperty(new File(['x'], 'a.csv'), 'size', { value: size });
  const most = 100 * 1024 * 1024;
  expect(uploadFault(form, ofSize(most))).toBeNull();
  expect(uploadFault(form, ofSize(most + 1))?.message).toMatch(/^a\.csv is larger than 100 MB\./);
});

it('keeps the file, the fields and the columns over a session that ended', async () => {
  answer('get', '/api/price-lists', []);
  refuse('post', '/api/price-lists', SIGNED_OUT);
  const before = renderScreen(<PriceListsPanel inPlan mayChange />);
  await before.person.click(
    screen.getAllByRole('button', { name: 'Upload a List' })[0] ?? document.body,
  );
  const dialog = within(await screen.findByRole('dialog', { name: 'Upload a Price List' }));
  await before.person.upload(dialog.getByLabelText(/Choose a CSV/), csv);
  await before.person.type(dialog.getByLabelText(/Supplier/), 'Lee & Sons');
  await before.person.click(await dialog.findByText('Columns'));
  await before.person.selectOptions(dialog.getByLabelText('Price'), 'Net');
  await before.person.click(dialog.getByRole('button', { name: 'Check the List' }));
  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
  before.unmount();
  // The dialog is open again.
  const after = renderScreen(<PriceListsPanel inPlan mayChange />);
  expect(await screen.findByText('lee.csv')).toBeVisible();
  expect(screen.getByLabelText(/Supplier/)).toHaveValue('Lee & Sons');
  await after.person.click(await screen.findByText('Columns'));
  expect(await screen.findByLabelText('Price')).toHaveValue('Net');
  after.unmount();
  renderScreen(<PriceListsPanel inPlan mayChange />);
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});
