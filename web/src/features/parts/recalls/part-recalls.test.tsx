import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { PartRecalls } from '@/features/parts/recalls/components/part-recalls';
import { partRecallQueries } from '@/features/parts/recalls/queries';
import { renderScreen } from '@/testing/render';
import { answer, settings } from '@/testing/server';

const PATH = '/api/parts/fuel-pump/recalls';
const found: Schemas['PartRecalls'] = {
  state: 'old',
  askedFor: { year: 2015, make: 'Honda', model: 'Civic' },
  fetchedAt: '2026-11-20T08:00:00.000Z',
  recalls: [
    {
      campaign: '20V314000',
      reportedOn: null,
      component: 'FUEL SYSTEM, GASOLINE:DELIVERY:FUEL PUMP',
      summary: null,
      consequence: null,
      remedy: null,
      doNotDrive: false,
      parkOutside: false,
    },
  ],
  vehicleRecallCount: 6,
};

it('says that a recall names the part, and since when that is known', async () => {
  answer('get', '/api/settings', { ...settings, recalls: true });
  answer('get', PATH, found);
  renderScreen(<PartRecalls partId="fuel-pump" vehicleId="vehicle-1" />);
  expect(await screen.findByText('1 recall of the 2015 Honda Civic names this part')).toBeVisible();
  expect(
    screen.getByText(/the repair under a recall is free. As listed on Nov 20, 2026./),
  ).toBeVisible();
  expect(screen.getByText('NHTSA states none yet.')).toBeVisible();
});

it('is not there where no recall names the part', async () => {
  answer('get', '/api/settings', { ...settings, recalls: true });
  answer('get', PATH, { ...found, recalls: [] });
  const { container, queryClient } = renderScreen(
    <PartRecalls partId="fuel-pump" vehicleId="vehicle-1" />,
  );
  const { queryKey } = partRecallQueries.ofPart('fuel-pump', 'vehicle-1');
  await waitFor(() => expect(queryClient.getQueryState(queryKey)?.status).toBe('success'));
  expect(container).toHaveTextContent(/^$/);
});
