import { screen, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it } from 'vitest';
import { DatabaseExplorer } from '@/features/garage/vehicle-database/components/database-explorer';
import { renderScreen } from '@/testing/render';
import { server } from '@/testing/server';

const answers: Record<string, object[]> = {
  'carquery=makes&year=2020': [{ id: 'honda', name: 'Honda', country: 'Japan' }],
  'carquery=models&year=2020&makeId=honda': [{ id: 'civic', name: 'Civic', body: null }],
  'carquery=specs&year=2020&makeId=honda&modelId=civic': [
    {
      id: '2-0l',
      engine: '2.0L 4-cyl',
      displacement: 2,
      cylinders: 4,
      power: 158,
      torque: null,
      fuelType: 'Regular gasoline',
      transmission: 'CVT',
      drivetrain: null,
    },
  ],
  'carquery=makes&year=2019': [],
};

it('asks year by make by model, and begins anew with another year', async () => {
  server.use(
    http.get('/api/suppliers', ({ request }) =>
      HttpResponse.json(answers[new URL(request.url).search.slice(1)] ?? null),
    ),
  );
  const { person } = renderScreen(<DatabaseExplorer />);
  const year = screen.getByLabelText('Year');
  expect(year).toHaveValue('2020');
  const years = within(year).getAllByRole('option');
  expect([years.length, years[0]?.textContent, years.at(-1)?.textContent]).toEqual([
    26,
    '2024',
    '1999',
  ]);
  expect(screen.getByLabelText('Model')).toBeDisabled();
  await screen.findByRole('option', { name: 'Honda' });
  await person.selectOptions(screen.getByLabelText('Make'), 'Honda');
  await screen.findByRole('option', { name: 'Civic' });
  await person.selectOptions(screen.getByLabelText('Model'), 'Civic');
  const variants = await screen.findByRole('list', { name: 'Engine variants' });
  expect(within(variants).getByText('2.0L 4-cyl')).toBeVisible();
  expect(within(variants).getByText('158 hp')).toBeVisible();
  expect(within(variants).getByText('Not stated by an open source')).toBeVisible();
  await person.selectOptions(year, '2019');
  expect(screen.getByLabelText('Make')).toHaveValue('');
  expect(await screen.findByText('None in the database.')).toBeVisible();
});
