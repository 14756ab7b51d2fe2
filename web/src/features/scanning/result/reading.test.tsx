import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { hasUnsavedWork } from '@/hooks/unsaved-work';
import { readPart, rotorView } from '@/testing/fixtures';
import { hrefOf } from '@/testing/render';
import { openScanResult } from '@/testing/scan-result';
import { answer, note, refuse, server } from '@/testing/server';

const corners = [
  [0.1, 0.2],
  [0.6, 0.2],
  [0.6, 0.3],
  [0.1, 0.3],
];

const number: Schemas['ScanReadLine'] = {
  text: 'BOSCH O986479R51',
  readAs: null,
  code: null,
  kind: 'part-number',
  number: 'O986479R51',
  brand: 'Bosch',
  confidence: 0.93,
  photo: 0,
  corners,
};
const word: Schemas['ScanReadLine'] = {
  ...number,
  text: 'MADE IN ITALY',
  kind: 'word',
  number: null,
  brand: null,
};

const read: Schemas['ScanReading'] = {
  state: 'read',
  lines: [number, word],
  parts: [],
  readAt: '2026-11-21T10:00:00Z',
};

function open(reading: Schemas['ScanReading'], thumbnailUrl: string | null = null) {
  answer('get', '/api/scans/scan-1/reading', reading);
  return openScanResult({ ...rotorView, id: 'scan-1', thumbnailUrl });
}

const region = () => screen.findByRole('region', { name: 'Read on the part' });

it('lists what was read, with its kind, to copy and to search', async () => {
  answer('get', '/api/parts/search', []);
  const { person } = open(read);
  const panel = within(await region());
  expect(panel.getAllByRole('listitem').map((line) => line.textContent)).toEqual([
    expect.stringContaining('BOSCH O986479R51Part number'),
    expect.stringContaining('MADE IN ITALY'),
  ]);
  await person.click(panel.getByRole('button', { name: 'Copy O986479R51' }));
  expect(await navigator.clipboard.readText()).toBe('O986479R51');
  await person.click(panel.getByRole('button', { name: 'Search for O986479R51' }));
  const search = panel.getByRole('combobox', { name: 'Find a part with O986479R51' });
  expect(search).toHaveValue('O986479R51');
  expect(search).toHaveFocus();
});

it('lists what tells most at first, each text once, and the rest on request', async () => {
  const words = ['GENUINE PARTS', 'PARTS', 'genuine parts', '704', '129', 'MADE IN ITALY', 'ABC'];
  const brand: Schemas['ScanReadLine'] = { ...word, text: 'BOSCH', kind: 'brand' };
  const lines = [...words.map((text) => ({ ...word, text })), brand, number];
  const { person } = open({ ...read, lines });
  const panel = within(await region());
  const texts = () =>
    panel.getAllByRole('listitem').map((line) => line.querySelector('bdi')?.textContent);
  expect(texts()).toEqual(['BOSCH O986479R51', 'BOSCH', 'GENUINE PARTS', 'PARTS', '704']);
  await person.click(panel.getByRole('button', { name: 'Show All 9 Lines' }));
  expect(texts()).toEqual(lines.map(({ text }) => text));
  await person.click(panel.getByRole('button', { name: 'Show Less' }));
  expect(texts()).toHaveLength(5);
});

it('keeps a correction, and says what it leads to', async () => {
  const { person } = open(read);
  const corrected = { ...number, text: 'BOSCH 0986479R51', readAs: number.text };
  const after = { ...read, lines: [corrected, word], parts: [readPart] };
  const sent = note('put', '/api/scans/scan-1/reading', after);
  const panel = within(await region());
  answer('get', '/api/scans/scan-1/reading', after);
  await person.click(panel.getByRole('button', { name: 'Correct BOSCH O986479R51' }));
  const field = panel.getByRole('textbox', { name: 'What it says' });
  expect(field).toHaveFocus();
  await person.clear(field);
  await person.type(field, 'BOSCH 0986479R51{Enter}');
  expect(await panel.findByText('read as BOSCH O986479R51')).toBeVisible();
  expect(sent).toHaveBeenCalledWith({ line: 0, text: 'BOSCH 0986479R51' });
  expect(screen.queryByRole('textbox', { name: 'What it says' })).not.toBeInTheDocument();
  expect(panel.getByRole('button', { name: 'Correct BOSCH 0986479R51' })).toHaveFocus();
  expect(screen.getByText('Its number says: Bosch Front rotor, 280 mm')).toBeVisible();
  expect(hrefOf('0986479R51')).toBe('/shop/parts?part=part-7');
});

it('stays open with what was typed when a correction cannot be saved', async () => {
  const { person } = open(read);
  refuse('put', '/api/scans/scan-1/reading', { status: 503, detail: 'Busy.' });
  const panel = within(await region());
  await person.click(panel.getByRole('button', { name: 'Correct MADE IN ITALY' }));
  await person.type(panel.getByRole('textbox'), '!');
  await person.click(panel.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Busy.')).toBeVisible();
  expect(panel.getByRole('textbox')).toHaveValue('MADE IN ITALY!');
  expect(hasUnsavedWork()).toBe(true);
  await person.type(panel.getByRole('textbox'), '{Escape}');
  expect(panel.queryByRole('textbox')).not.toBeInTheDocument();
});

it('saves a correction once, and leaves the line open that is corrected by then', async () => {
  const { person } = open(read);
  const sent = vi.fn();
  let end: () => void = () => undefined;
  server.use(
    http.put('/api/scans/scan-1/reading', async () => {
      sent();
      await new Promise<void>((resolve) => (end = resolve));
      return HttpResponse.json(read);
    }),
  );
  const panel = within(await region());
  await person.click(panel.getByRole('button', { name: 'Correct MADE IN ITALY' }));
  const field = panel.getByRole('textbox');
  await person.type(field, '!{Enter}');
  fireEvent.submit(field);
  await waitFor(() => expect(sent).toHaveBeenCalledOnce());
  await person.click(panel.getByRole('button', { name: 'Correct BOSCH O986479R51' }));
  answer('get', '/api/scans/scan-1/reading', { ...read, lines: [number] });
  end();
  await waitFor(() => expect(panel.queryByText('MADE IN ITALY')).not.toBeInTheDocument());
  expect(panel.getByRole('textbox')).toHaveValue('BOSCH O986479R51');
});

it.each([
  ['named', 'Its number says: Bosch Front rotor, 280 mm', /your shop has it/],
  ['contradicts', 'Its number says something else', /as Brake Rotor/],
  ['likely', 'A part with this number', /may be its number/],
] as const)('a number that is %s says so on top', async (says, title, text) => {
  open({ ...read, parts: [{ ...readPart, says, isExact: says !== 'likely' }] });
  expect(await screen.findByText(title)).toBeVisible();
  expect(screen.getByText(text)).toBeVisible();
});

it('says which cross-references lead to a part', async () => {
  const via = {
    number: '0986479R51',
    brand: 'Bosch',
    link: 'newer' as const,
    ofNumber: '1K0 615 301 K',
    ofBrand: 'VW',
  };
  open({ ...read, parts: [{ ...readPart, says: 'likely', read: '1K0615301K', via }] });
  expect(await screen.findByText(/replaces VW 1K0 615 301 K, by your cross-refer/)).toBeVisible();
});

it('marks the lines on the photo on request', async () => {
  const { person } = open(read, '/api/scans/scan-1/thumbnail');
  const panel = within(await region());
  const toggle = panel.getByRole('button', { name: 'Show on the Photo' });
  expect(toggle).toHaveAttribute('aria-pressed', 'false');
  await person.click(toggle);
  expect(toggle).toHaveAttribute('aria-pressed', 'true');
  expect(panel.getByRole('img', { name: 'Your photo, with 2 lines of text marked' })).toBeVisible();
});

it('says that a photo is not kept where there is none to mark', async () => {
  const { person } = open(read);
  const panel = within(await region());
  await person.click(panel.getByRole('button', { name: 'Show on the Photo' }));
  expect(panel.getByText('This photo is not kept here.')).toBeVisible();
});

it('says that it is read, and then that there is no text', async () => {
  let looks = 0;
  const { unmount } = open({ ...read, state: 'pending', lines: [], readAt: null });
  server.use(
    http.get('/api/scans/scan-1/reading', () => {
      looks += 1;
      return looks === 1
        ? HttpResponse.json(
            { state: 'pending', lines: [], parts: [], readAt: null },
            { status: 202 },
          )
        : HttpResponse.json({ ...read, lines: [] });
    }),
  );
  const panel = within(await region());
  expect(panel.getByRole('status')).toHaveTextContent('Reading text and codes on the part...');
  expect(await panel.findByText('No text and no code was found on the part.')).toBeVisible();
  expect(panel.queryByRole('button')).not.toBeInTheDocument();
  unmount();
});

it.each(['off', 'not-read'] as const)('shows nothing where text is %s', async (state) => {
  open({ state, lines: [], parts: [], readAt: null });
  expect(await screen.findByRole('heading', { name: 'Brake Rotor' })).toBeVisible();
  expect(screen.queryByRole('region', { name: 'Read on the part' })).not.toBeInTheDocument();
});
