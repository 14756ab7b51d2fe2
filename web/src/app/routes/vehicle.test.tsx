import { screen } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import { VehicleRoute } from '@/app/routes/vehicle';
import { renderScreen } from '@/testing/render';
import { refuse, server } from '@/testing/server';

it('asks a visitor to sign in, and the server for no vehicles', async () => {
  refuse('get', '/api/auth/user', { status: 401, code: 'not-signed-in', detail: 'Unauthorized' });
  const asked = vi.fn();
  server.use(
    http.get('/api/vehicles', () => {
      asked();
      return HttpResponse.json([]);
    }),
  );
  renderScreen(<VehicleRoute />);
  expect(await screen.findByText('Sign In Required')).toBeVisible();
  expect(document.title).toBe('Partsight - My Vehicles');
  expect(asked).not.toHaveBeenCalled();
});
