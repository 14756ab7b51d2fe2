import { screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it } from 'vitest';
import { Bench, lines } from '@/testing/bench-list';
import { rotorResult } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { server } from '@/testing/server';

/** What a person says a part is. */

it('takes back what a person said where the server does not have it', async () => {
  server.use(
    http.post('/api/identify', () => HttpResponse.json(rotorResult)),
    http.post('/api/scans/:id/feedback', () =>
      HttpResponse.json({ title: 'No', status: 500 }, { status: 500 }),
    ),
  );
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  await waitFor(() => expect(lines()[0]).toMatch(/% match$/));
  await person.click(screen.getByRole('button', { name: 'No part' }));
  await waitFor(() => expect(lines()[0]).toMatch(/% match$/));
  expect(await screen.findByText(/could not be saved/)).toBeVisible();
});

/** Answers what is said of a part one call after the other, as the test says, and notes what was said. */
function holdFeedback() {
  const said: { label: string; end: (status: number) => void }[] = [];
  server.use(
    http.post('/api/identify', () => HttpResponse.json(rotorResult)),
    http.post('/api/scans/:id/feedback', async ({ request }) => {
      const { label } = (await request.json()) as { label: string };
      const status = await new Promise<number>((end) => said.push({ label, end }));
      return HttpResponse.json({ title: 'No', status }, { status });
    }),
  );
  return said;
}

/** What the only part is called; messages are items of a list as well. */
const named = () =>
  screen.getAllByRole('listitem').find(({ dataset }) => dataset.name !== undefined)?.dataset.name;

it('tells the server what was said last after what was said before', async () => {
  const said = holdFeedback();
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  await waitFor(() => expect(lines()[0]).toMatch(/% match$/));
  await person.click(screen.getByRole('button', { name: 'Rim' }));
  await person.click(screen.getByRole('button', { name: 'Hose' }));
  await waitFor(() => expect(said).toHaveLength(1));
  // The second would be on its way by now.
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(said.map(({ label }) => label)).toEqual(['Rim']);
  said[0]?.end(500);
  await waitFor(() => expect(said.map(({ label }) => label)).toEqual(['Rim', 'Hose']));
  // That the first one failed does not take the second back.
  expect(await screen.findByText(/could not be saved/)).toBeVisible();
  expect(named()).toBe('Hose');
  said[1]?.end(200);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(named()).toBe('Hose');
});

it('shows what the server has where neither of two answers was saved', async () => {
  const said = holdFeedback();
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  await waitFor(() => expect(lines()[0]).toMatch(/% match$/));
  const before = named();
  await person.click(screen.getByRole('button', { name: 'Rim' }));
  await person.click(screen.getByRole('button', { name: 'Hose' }));
  await waitFor(() => expect(said).toHaveLength(1));
  said[0]?.end(500);
  await waitFor(() => expect(said).toHaveLength(2));
  said[1]?.end(500);
  await waitFor(() => expect(named()).toBe(before));
});
