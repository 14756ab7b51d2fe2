import { screen, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { CsvPanel } from '@/features/garage/records-csv/components/csv-panel';
import { fileFault, rowsByNeed } from '@/components/file-import/model';
import { summaryOf } from '@/features/garage/records-csv/model';
import { civic } from '@/testing/fixtures';
import { hrefOf, renderLeavable, renderScreen } from '@/testing/render';
import { answer, refuse, refuseLater, server, SIGNED_OUT } from '@/testing/server';

const report: Schemas['ImportResult'] = {
  format: 'lubelogger',
  saved: false,
  new: 2,
  duplicates: 1,
  skipped: 0,
  errors: 0,
  ignoredColumns: ['Tags'],
  dateOrder: null,
  notes: ['Dates are read as month, day, year.'],
  rows: [
    { row: 2, status: 'new' },
    { row: 3, status: 'new', message: 'The mileage goes back.' },
    { row: 4, status: 'duplicate' },
  ],
};

it('refuses a file that is empty or too large before it is sent', () => {
  const most = 5 * 1024 * 1024;
  expect(fileFault(new File([''], 'a.csv'), most)).toMatch(/a\.csv is empty/);
  const large = new File(['x'], 'b.csv');
  Object.defineProperty(large, 'size', { value: most + 1 });
  expect(fileFault(large, most)).toMatch(/b\.csv is larger than 5 MB/);
  expect(fileFault(large, 2 * most)).toBeNull();
  expect(fileFault(new File(['date'], 'c.csv'), most)).toBeNull();
});

it('sums an import up, and puts the rows that need a look first', () => {
  expect(summaryOf(report)).toBe('2 rows would be added, 1 already there.');
  expect(summaryOf({ ...report, saved: true, new: 1, duplicates: 0 })).toBe('1 row was added.');
  expect(rowsByNeed(report.rows).map(({ row }) => row)).toEqual([3, 2, 4]);
});

it('offers the files that the chosen program reads', async () => {
  const { person } = renderScreen(<CsvPanel vehicles={[civic]} />);
  const files = () =>
    screen.getAllByRole('link', { name: /^Export/ }).map((link) => link.getAttribute('href'));
  expect(files()).toEqual([
    '/api/export/vehicles.csv',
    '/api/export/oil-changes.csv',
    '/api/export/repairs.csv',
    '/api/export/odometer.csv',
  ]);
  expect(screen.queryByLabelText('Records of')).not.toBeInTheDocument();
  await person.selectOptions(screen.getByLabelText('Export for'), 'LubeLogger');
  expect(screen.getByLabelText('Records of')).toHaveValue(civic.id);
  expect(files()).toEqual(
    ['oil-changes', 'repairs', 'odometer'].map(
      (kind) => `/api/export/${kind}.csv?format=lubelogger&vehicleId=${civic.id}`,
    ),
  );
  await person.selectOptions(screen.getByLabelText('Export for'), 'Fuelly');
  expect(files()).toEqual(['/api/export/odometer.csv?format=fuelly']);
});

it('looks at a file first, and imports it when asked to', async () => {
  const runs = vi.fn();
  server.use(
    http.post('/api/import/:kind', async ({ request, params }) => {
      const { searchParams } = new URL(request.url);
      runs({
        kind: params.kind,
        dryRun: searchParams.get('dryRun'),
        vehicle: searchParams.get('vehicleId'),
        type: request.headers.get('content-type'),
        text: await request.text(),
      });
      return HttpResponse.json({ ...report, saved: searchParams.get('dryRun') !== 'true' });
    }),
  );
  const { person } = renderScreen(<CsvPanel vehicles={[civic]} />);
  expect(hrefOf('Export Repairs')).toBe('/api/export/repairs.csv');
  await person.click(screen.getByRole('button', { name: 'Import a File' }));
  const dialog = await screen.findByRole('dialog', { name: 'Import a File' });
  expect(within(dialog).getByRole('button', { name: 'Import' })).toBeDisabled();
  const file = new File(['date,odometer\n'], 'log.csv', { type: 'text/csv' });
  await person.upload(within(dialog).getByLabelText(/CSV file/), file);
  expect(await screen.findByText('Read as a LubeLogger file.')).toBeVisible();
  expect(screen.getByText('The mileage goes back.')).toBeVisible();
  expect(screen.getByText('Columns not read: Tags.')).toBeVisible();
  expect(runs).toHaveBeenLastCalledWith({
    kind: 'oil-changes',
    dryRun: 'true',
    vehicle: 'vehicle-1',
    type: 'text/csv',
    text: 'date,odometer\n',
  });
  await person.click(within(dialog).getByRole('button', { name: 'Import 2 Rows' }));
  expect(await screen.findByText('Import finished')).toBeVisible();
  expect(runs).toHaveBeenLastCalledWith(expect.objectContaining({ dryRun: 'false' }));
});

it('stays while it imports, and tells whoever has left meanwhile why it did not', async () => {
  answer('post', '/api/import/:kind', report);
  const { person, leave } = renderLeavable(<CsvPanel vehicles={[civic]} />);
  await person.click(screen.getByRole('button', { name: 'Import a File' }));
  const file = new File(['date,odometer\n'], 'log.csv', { type: 'text/csv' });
  await person.upload(await screen.findByLabelText(/CSV file/), file);
  const run = await screen.findByRole('button', { name: 'Import 2 Rows' });
  const end = refuseLater('post', '/api/import/:kind', { status: 503, detail: 'Busy.' });
  await person.click(run);
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  await leave();
  end();
  expect(await screen.findByText('Busy.')).toBeVisible();
});

it('stays open until the import has ended, and says what became of it', async () => {
  answer('post', '/api/import/:kind', report);
  const { person } = renderScreen(<CsvPanel vehicles={[civic]} />);
  await person.click(screen.getByRole('button', { name: 'Import a File' }));
  const file = new File(['date\n'], 'log.csv', { type: 'text/csv' });
  await person.upload(await screen.findByLabelText(/CSV file/), file);
  const send = await screen.findByRole('button', { name: 'Import 2 Rows' });
  const end = refuseLater('post', '/api/import/:kind', { status: 503, detail: 'Busy. Try later.' });
  await person.click(send);
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  await person.keyboard('{Escape}');
  end();
  expect(await screen.findByText('Busy. Try later.')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeEnabled();
});

it('keeps the file over a session that ended, and looks at it again', async () => {
  refuse('post', '/api/import/:kind', SIGNED_OUT);
  const before = renderScreen(<CsvPanel vehicles={[civic]} />);
  await before.person.click(screen.getByRole('button', { name: 'Import a File' }));
  await before.person.selectOptions(
    await screen.findByLabelText('What the file holds'),
    'Odometer readings',
  );
  const file = new File(['date,odometer\n'], 'log.csv', { type: 'text/csv' });
  await before.person.upload(screen.getByLabelText(/CSV file/), file);
  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
  before.unmount();
  server.use(
    http.post('/api/import/:kind', async ({ params, request }) => {
      const text = await request.text();
      return HttpResponse.json({ ...report, notes: [`${String(params.kind)}: ${text}`] });
    }),
  );
  renderScreen(<CsvPanel vehicles={[civic]} />);
  expect(await screen.findByText('odometer: date,odometer')).toBeVisible();
  expect(screen.getByText('log.csv')).toBeVisible();
});

it('asks how dates are read where the file leaves it open, and reads it again', async () => {
  const orders = vi.fn();
  server.use(
    http.post('/api/import/:kind', ({ request }) => {
      const chosen = new URL(request.url).searchParams.get('dateOrder');
      orders(chosen);
      return HttpResponse.json({ ...report, dateOrder: chosen ?? 'month-day' });
    }),
  );
  const { person } = renderScreen(<CsvPanel vehicles={[civic]} />);
  await person.click(screen.getByRole('button', { name: /Import/ }));
  expect(screen.queryByLabelText('Dates in the file')).not.toBeInTheDocument();
  await person.upload(
    screen.getByLabelText(/Choose a CSV file/),
    new File(['date'], 'a.csv', { type: 'text/csv' }),
  );
  const dates = await screen.findByLabelText('Dates in the file');
  expect(dates).toHaveValue('month-day');
  await person.selectOptions(dates, '3/12/2025 is December 3');
  await vi.waitFor(() => expect(orders).toHaveBeenCalledTimes(2));
  expect(orders).toHaveBeenLastCalledWith('day-month');
  expect(screen.getByLabelText('Dates in the file')).toHaveValue('day-month');
});
