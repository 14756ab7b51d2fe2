import { screen } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { FitPanel } from '@/features/parts/fit/components/fit-panel';
import { civic, filled } from '@/testing/fixtures';
import { hrefOf, renderScreen } from '@/testing/render';
import { refuse, server } from '@/testing/server';

const model3 = { ...civic, id: 'vehicle-2', make: 'Tesla', model: 'Model 3', isDefault: false };
const fits: Schemas['PartFits'] = {
  verdict: 'fits',
  source: 'shop',
  reason: 'NGK ILZKR7B-11S is listed for 2015 Honda Civic.',
  vehicle: { year: 2015, make: 'Honda', model: 'Civic' },
  parts: [],
  notes: null,
  ai: null,
};

it('checks the default vehicle, and another one when it is chosen', async () => {
  server.use(
    http.get('/api/parts/spark-plug/fits', ({ request }) =>
      HttpResponse.json(
        new URL(request.url).searchParams.get('vehicleId') === 'vehicle-1'
          ? fits
          : {
              ...fits,
              verdict: 'does-not-fit',
              source: 'vehicle',
              reason: 'A Tesla has no engine with spark ignition.',
            },
      ),
    ),
  );
  const { person } = renderScreen(
    <FitPanel partId="spark-plug" vehicles={[civic, model3]} inPlan />,
  );
  expect(await screen.findByText('Fits')).toBeVisible();
  expect(screen.getByText(/is listed for 2015 Honda Civic\. Your shop says so\./)).toBeVisible();
  await person.selectOptions(screen.getByLabelText('Vehicle'), '2015 Tesla Model 3');
  expect(await screen.findByText('Does not fit')).toBeVisible();
  expect(screen.getByText(/no engine with spark ignition/)).toBeVisible();
});

it('shows notes of a language model beside an unknown fit, as text', async () => {
  const ai = { ...filled, mayRemove: false };
  // What a model writes may say the same twice.
  const notes = { notes: ['Two <b>engines</b>.'], compare: ['Thread reach', 'Thread reach'] };
  const warned = vi.spyOn(console, 'error');
  server.use(
    http.get('/api/parts/spark-plug/fits', () =>
      HttpResponse.json({ ...fits, verdict: 'unknown', source: null, notes, ai }),
    ),
  );
  renderScreen(<FitPanel partId="spark-plug" vehicles={[civic]} inPlan />);
  expect(await screen.findByText('Two <b>engines</b>.')).toBeVisible();
  expect(screen.getAllByText('Thread reach')).toHaveLength(2);
  expect(warned).not.toHaveBeenCalled();
  expect(screen.getByText('AI, verify')).toBeVisible();
  expect(screen.getByText('Not known')).toBeVisible();
});

it('asks nothing on Basic, and leads to the plans', () => {
  renderScreen(<FitPanel partId="spark-plug" vehicles={[civic]} inPlan={false} />);
  expect(hrefOf('See Plans')).toBe('/pricing');
});

it('leads to the vehicles without one, and asks again after a failure', async () => {
  const { unmount } = renderScreen(<FitPanel partId="spark-plug" vehicles={[]} inPlan />);
  expect(hrefOf('Add Vehicle')).toBe('/vehicle');
  unmount();
  refuse('get', '/api/parts/spark-plug/fits', { status: 503, detail: 'Busy.' });
  const { person } = renderScreen(<FitPanel partId="spark-plug" vehicles={[civic]} inPlan />);
  expect(await screen.findByText('Busy.')).toBeVisible();
  server.use(
    http.get('/api/parts/spark-plug/fits', () =>
      HttpResponse.json({ ...fits, verdict: 'unknown', source: null }),
    ),
  );
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText('Not known')).toBeVisible();
});
