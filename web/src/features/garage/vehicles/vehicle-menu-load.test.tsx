import { screen, waitFor } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { VehicleSwitcher } from '@/features/garage/vehicles/components/vehicle-switcher';
import { civic } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer } from '@/testing/server';

// The code of the list, which does not come while the network is away.
const network = vi.hoisted(() => ({ isAway: true }));
vi.mock('@/components/lazy-component', () => ({
  forgetFailedLoad: vi.fn(),
  lazyComponent: () => () => {
    if (network.isAway) throw new Error('The network is away.');
    return <p>The list</p>;
  },
}));

it('asks for the list again where its code did not come at first', async () => {
  answer('get', '/api/vehicles', [civic]);
  const failed = vi.spyOn(console, 'error').mockReturnValue();
  const { person } = renderScreen(<VehicleSwitcher signedIn />);
  await person.click(await screen.findByRole('button', { name: /2015 Honda Civic/ }));
  await waitFor(() => expect(failed).toHaveBeenCalled());
  network.isAway = false;
  await person.click(screen.getByRole('button', { name: /2015 Honda Civic/ }));
  expect(await screen.findByText('The list')).toBeVisible();
});
