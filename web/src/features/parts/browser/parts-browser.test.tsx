import { act, screen, within } from '@testing-library/react';
import { http } from 'msw';
import { Route, Routes } from 'react-router';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { PartsBrowser } from '@/features/parts/browser/components/parts-browser';
import { categoryOf, type PartCategory } from '@/features/parts/browser/model';
import { civic } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, refuse, server } from '@/testing/server';

const rotor: Schemas['CategoryPart'] = {
  id: 'brake-rotor',
  modelKnows: true,
  name: 'Brake Rotor',
  position: 'front-brake',
  description: 'The disc that the pads squeeze.',
  installationInstructions: 'Raise the car.\nTake off the wheel.',
  safetyReminder: 'The disc is heavy; mind your toes.',
  difficultyLevel: 'medium',
  estimatedTime: '2 hours',
  requiredTools: ['Jack'],
  unfitReason: null,
};
const pad = { ...rotor, id: 'brake-pad', name: 'Brake Pad', description: 'Wears out first.' };

function open(category: PartCategory) {
  return renderScreen(
    <PartsBrowser
      category={category}
      vehicle={civic}
      offers={({ suppliers }) => suppliers.map(({ name }) => <p key={name}>{name}</p>)}
    />,
  );
}

const columnsOf = ({ classList }: Element) =>
  [...classList].filter((name) => name.includes('grid-cols'));

it('lists the parts of a category for the vehicle, after six skeletons in their columns', async () => {
  answer('get', '/api/parts/category/brake', [pad, rotor]);
  open('brake');
  expect(screen.getByRole('status', { name: '' })).toHaveTextContent('Loading parts');
  expect(screen.getByRole('status').querySelectorAll('[aria-hidden]')).toHaveLength(6);
  const columns = columnsOf(screen.getByRole('status'));
  expect(await screen.findByText('2 parts')).toBeVisible();
  expect(screen.getByRole('heading', { level: 1, name: 'Brake System' })).toBeVisible();
  expect(screen.getByText('For 2015 Honda Civic')).toBeVisible();
  // The page would jump.
  expect(columnsOf(screen.getByRole('list', { name: 'Parts' }))).toEqual(columns);
});

it('folds away what cannot be on the vehicle, with the reason', async () => {
  const reason =
    'A 2021 Tesla Model 3 has no engine that burns fuel, so Oil Filter cannot be on it.';
  const filter = { ...rotor, id: 'oil-filter', name: 'Oil Filter', unfitReason: reason };
  answer('get', '/api/parts/category/brake', [pad, filter]);
  const { person } = open('brake');
  const fitting = await screen.findByRole('list', { name: 'Parts' });
  expect(within(fitting).getAllByRole('button')).toHaveLength(1);
  expect(screen.getByText(reason)).not.toBeVisible();
  await person.click(screen.getByText('1 part cannot be on this vehicle'));
  expect(screen.getByText(reason)).toBeVisible();
});

it('searches names and descriptions whatever the case, and clears the search', async () => {
  answer('get', '/api/parts/category/brake', [pad, rotor]);
  const { person } = open('brake');
  const box = await screen.findByPlaceholderText('Search brake parts, e.g. rotor');
  await person.type(box, 'SQUEEZE');
  expect(screen.getByRole('button', { name: /Brake Rotor/ })).toBeVisible();
  expect(screen.queryByRole('button', { name: /Brake Pad/ })).not.toBeInTheDocument();
  expect(screen.getByRole('status')).toHaveTextContent('1 of 2 parts');
  await person.type(box, 'nothing');
  expect(screen.getByRole('status')).toHaveTextContent('0 of 2 parts');
  expect(screen.getByText('No matching parts found')).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Clear Search' }));
  expect(screen.getByRole('button', { name: /Brake Pad/ })).toBeVisible();
  expect(box).toHaveFocus();
});

it('keeps the search in the address, also over a part that was opened and closed', async () => {
  answer('get', '/api/parts/category/brake', [pad, rotor]);
  refuse('get', '/api/parts/brake-rotor/ai-suppliers', { status: 500, detail: '' });
  const { person, router } = open('brake');
  await person.type(await screen.findByRole('searchbox'), 'rotor');
  await person.click(screen.getByRole('button', { name: /Brake Rotor/ }));
  expect(router.state.location.search).toBe('?q=rotor&part=brake-rotor');
  await act(() => router.navigate(-1));
  expect(router.state.location.search).toBe('?q=rotor');
});

it('finds the search of the address after a reload', async () => {
  answer('get', '/api/parts/category/brake', [pad, rotor]);
  const { router } = renderScreen(
    <Routes>
      <Route
        path="/parts/brake"
        element={<PartsBrowser category="brake" vehicle={civic} offers={() => null} />}
      />
      <Route path="*" element={null} />
    </Routes>,
  );
  await act(() => router.navigate('/parts/brake?q=rotor'));
  expect(await screen.findByRole('searchbox')).toHaveValue('rotor');
  expect(screen.queryByRole('button', { name: /Brake Pad/ })).not.toBeInTheDocument();
});

it('keeps the head of an open part short, so that the rest has room on a phone', async () => {
  answer('get', '/api/parts/category/brake', [rotor]);
  answer('get', '/api/parts/brake-rotor/ai-suppliers', { suppliers: [], sources: [] });
  const { person } = open('brake');
  await person.click(await screen.findByRole('button', { name: /Brake Rotor/ }));
  const panel = screen.getByRole('dialog', { name: 'Brake Rotor' });
  expect(panel).toHaveAccessibleDescription('What it is, where to buy it, and how it is fitted.');
  expect(within(panel).getByText('The disc that the pads squeeze.')).toBeVisible();
});

it('opens no closed part again on the way back', async () => {
  answer('get', '/api/parts/category/brake', [rotor]);
  answer('get', '/api/parts/brake-rotor/ai-suppliers', { suppliers: [], sources: [] });
  const { person, router } = open('brake');
  await act(() => router.navigate('/parts/brake'));
  await person.click(await screen.findByRole('button', { name: /Brake Rotor/ }));
  await person.click(screen.getByRole('button', { name: 'Close' }));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  await act(() => router.navigate(-1));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(router.state.location.pathname).toBe('/');
});

it('closes a part that the address names without leaving the screen', async () => {
  answer('get', '/api/parts/category/brake', [rotor]);
  answer('get', '/api/parts/brake-rotor/ai-suppliers', { suppliers: [], sources: [] });
  const { person, router } = open('brake');
  await act(() => router.navigate('/parts/brake?part=brake-rotor'));
  await person.click(await screen.findByRole('button', { name: 'Close' }));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(router.state.location).toMatchObject({ pathname: '/parts/brake', search: '' });
});

it('offers to ask again when the parts do not come', async () => {
  refuse('get', '/api/parts/category/brake', { status: 503, detail: 'Busy.' });
  const { person } = open('brake');
  expect(await screen.findByText('Parts could not be loaded')).toBeVisible();
  server.use(http.get('/api/parts/category/brake', () => Response.json([rotor])));
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText('1 part')).toBeVisible();
});

it.each([
  ['brake', 'brake'],
  ['body', 'body'],
  ['wings', null],
  ['toString', null],
  [undefined, null],
])('%s is the category %s', (segment, category) => {
  expect(categoryOf(segment)).toBe(category);
});
