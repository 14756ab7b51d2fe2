import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it } from 'vitest';
import { BatchItems } from '@/features/batches/components/batch-items';
import { batch, item, openBatch } from '@/testing/batch';
import { renderScreen } from '@/testing/render';
import { server } from '@/testing/server';

it('says that all are chosen where all are loaded', async () => {
  const { person, grid } = await openBatch([item(1), item(2)]);
  grid.focus();
  await person.keyboard('{Control>}a{/Control}');
  expect(screen.getByText('All 2 photos chosen')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Load and Choose All' })).not.toBeInTheDocument();
  await person.keyboard(' ');
  expect(screen.queryByText(/photos chosen/)).not.toBeInTheDocument();
});

it('says that more are not loaded, loads them on request, and chooses all', async () => {
  const { person, grid, next } = await openPages();
  expect(screen.getByText('40 photos chosen; more photos are not loaded yet')).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Load and Choose All' }));
  expect(screen.getByText('Loading all photos...')).toBeVisible();
  expect(screen.getByText('40 so far')).toBeVisible();
  expect(grid).toHaveFocus();
  await next();
  expect(await screen.findByText('80 so far')).toBeVisible();
  expectChosen(40);
  await next();
  expect(await screen.findByText('All 120 photos chosen')).toBeVisible();
  expectChosen(120);
});

it('stops on request, with what was chosen', async () => {
  const { person, grid, next, asked } = await openPages();
  await person.click(screen.getByRole('button', { name: 'Load and Choose All' }));
  await person.click(screen.getByRole('button', { name: 'Stop' }));
  expect(grid).toHaveFocus();
  await next();
  await waitFor(() => expect(within(grid).getAllByRole('presentation')[0]).toHaveStyle(HEIGHT_80));
  expect(asked()).toBe(1);
  expectChosen(40);
});

it('loads no further for whoever chooses something else', async () => {
  const { person, grid, next, asked } = await openPages();
  await person.click(screen.getByRole('button', { name: 'Load and Choose All' }));
  await person.keyboard('{Escape} ');
  expect(screen.queryByText('Loading all photos...')).not.toBeInTheDocument();
  await next();
  await waitFor(() => expect(within(grid).getAllByRole('presentation')[0]).toHaveStyle(HEIGHT_80));
  expect(asked()).toBe(1);
  expectChosen(1);
});

it('leaves chosen what was where the rest cannot be loaded, and goes on when it is asked again', async () => {
  const { person, next } = await openPages();
  await person.click(screen.getByRole('button', { name: 'Load and Choose All' }));
  await next();
  expect(await screen.findByText('80 so far')).toBeVisible();
  await next(503);
  expect(await screen.findByText('The rest could not be loaded')).toBeVisible();
  expect(screen.getByText('40 photos chosen; more photos are not loaded yet')).toBeVisible();
  expectChosen(40);
  await person.click(screen.getByRole('button', { name: 'Load and Choose All' }));
  await next();
  expect(await screen.findByText('All 120 photos chosen')).toBeVisible();
});

/** The height of 80 photos, four to a row. */
const HEIGHT_80 = { height: '260rem' };

const PAGE = 40;
const PAGES = 3;

/** Opens a batch of three pages, and chooses all of the first; each further one comes with `next`. */
async function openPages() {
  const waiting: ((status: number) => void)[] = [];
  let asked = 0;
  server.use(
    http.get('/api/batches/batch-1/items', async ({ request }) => {
      const page = Number(new URL(request.url).searchParams.get('cursor') ?? 0);
      let status = 200;
      if (page > 0) {
        asked += 1;
        status = await new Promise<number>((resolve) => waiting.push(resolve));
      }
      if (status !== 200) return HttpResponse.json({ code: 'busy' }, { status });
      const items = Array.from({ length: PAGE }, (_, at) => item(page * PAGE + at + 1));
      return HttpResponse.json({ items, next: page + 1 < PAGES ? String(page + 1) : null });
    }),
  );
  const { person } = renderScreen(<BatchItems batch={batch} />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  grid.focus();
  await person.keyboard('{Control>}a{/Control}');
  const next = async (status = 200) => {
    await waitFor(() => expect(waiting).toHaveLength(1));
    waiting.pop()?.(status);
  };
  return { person, grid, next, asked: () => asked };
}

function expectChosen(count: number) {
  const name = count === 1 ? 'What 1 photo shows' : `What ${count} photos show`;
  expect(screen.getByRole('combobox', { name })).toBeVisible();
}
