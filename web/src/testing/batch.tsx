import { screen } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { BatchPanel } from '@/features/batches/components/batch-panel';
import { renderScreen } from '@/testing/render';
import { answer, server } from '@/testing/server';

export const counts: Schemas['BatchProgress'] = {
  total: 3,
  waiting: 0,
  running: 0,
  answered: 2,
  notAPart: 0,
  failed: 1,
  duplicate: 0,
  cancelled: 0,
};

export const batch: Schemas['Batch'] = {
  id: 'batch-1',
  name: 'Returns',
  vehicleId: null,
  readText: false,
  state: 'done',
  reason: null,
  createdAt: '2026-11-20T12:00:00Z',
  counts,
};

/** A photo that was answered; nobody has checked it yet. */
export function item(
  number: number,
  more: Partial<Schemas['BatchItem']> = {},
): Schemas['BatchItem'] {
  return {
    id: `item-${number}`,
    key: `key-${number}`,
    file: `${number}.jpg`,
    state: 'answered',
    problem: null,
    duplicateOf: null,
    discarded: false,
    group: null,
    groupedBy: null,
    grade: null,
    scan: {
      id: `scan-${number}`,
      verdict: 'not-sure',
      partName: 'Brake Rotor',
      label: 'brake-rotor',
      confidence: 0.61,
      thumbnailUrl: null,
      photoUrl: null,
      feedback: null,
    },
    ...more,
  };
}

/** A group of photos that was proposed. */
export function groupOf(...numbers: number[]): Schemas['BatchGroup'] {
  return {
    id: `item-${numbers[0]}`,
    proposed: true,
    photos: numbers.map((number) => {
      const { id, file, scan } = item(number);
      return { id, file, scan };
    }),
    answer: { verdict: 'not-sure', partName: 'Brake Rotor', label: 'brake-rotor', confidence: 0.7 },
  };
}

/** An item of which somebody said something. */
export function checked(number: number, said: Schemas['FeedbackAnswer']): Schemas['BatchItem'] {
  const { scan, ...rest } = item(number);
  const part = {
    right: { label: 'brake-rotor', name: 'Brake Rotor' },
    'other-part': { label: 'rim', name: 'Rim' },
    'not-a-part': { label: null, name: null },
  }[said];
  const changedAt = '2026-11-20T12:00:00Z';
  const feedback = { answer: said, ...part, referenceId: null, changedAt };
  return { ...rest, scan: scan && { ...scan, feedback } };
}

/** Two photos with an answer, and one without. */
export const items = [
  item(1),
  item(2),
  item(3, { state: 'failed', scan: null, problem: 'Not a photo.' }),
];

/** Answers with these photos of the batch, and notes by what they were asked for. */
export function serveItems(list: Schemas['BatchItem'][]) {
  const asked = vi.fn<(query: Record<string, string>) => void>();
  server.use(
    http.get('/api/batches/batch-1/items', ({ request }) => {
      asked(Object.fromEntries(new URL(request.url).searchParams));
      return HttpResponse.json({ items: list, next: null });
    }),
  );
  return asked;
}

/** Answers with these photos as a first page, refuses the next one, and notes each time that it is asked for. */
export function failNextPage(list: Schemas['BatchItem'][]) {
  const asked = vi.fn();
  server.use(
    http.get('/api/batches/batch-1/items', ({ request }) => {
      const { searchParams } = new URL(request.url);
      if (!searchParams.has('cursor')) return HttpResponse.json({ items: list, next: 'more' });
      asked();
      return HttpResponse.json({ code: 'busy' }, { status: 503 });
    }),
  );
  return asked;
}

/** When all is said and graded that the tests say and grade. */
export const SAID_AT = '2026-11-20T12:30:00.000Z';

/** Takes what is said of the photo of this number, says so when the scan is asked for, and notes it. */
export function noteFeedback(number: number) {
  const sent = vi.fn<(body: unknown) => void>();
  let feedback: object | null = null;
  server.use(
    http.post(`/api/scans/scan-${number}/feedback`, async ({ request }) => {
      const body = (await request.json()) as object;
      sent(body);
      feedback = { ...body, changedAt: SAID_AT };
      return HttpResponse.json({ feedback });
    }),
    http.get(`/api/scans/scan-${number}`, () => HttpResponse.json({ feedback })),
  );
  return sent;
}

/** Opens the finished batch with these photos, up to the grid that shows them. */
export async function openBatch(list: Schemas['BatchItem'][]) {
  answer('get', '/api/batches/batch-1', batch);
  const asked = serveItems(list);
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  return { person, grid, asked };
}
