import { act, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { DriftCard } from '@/features/evaluations/components/drift-card';
import { advice, driftState, gapText, markText, picturesText } from '@/features/evaluations/drift';
import { driftQuery } from '@/features/evaluations/queries';
import { renderScreen } from '@/testing/render';
import { answer, refuse } from '@/testing/server';

const shift = (facts: Partial<Schemas['ScoreShift']> = {}): Schemas['ScoreShift'] => ({
  fitted: [0.06, 0.16, 0.34],
  now: [0.08, 0.2, 0.35],
  distance: 0.04,
  largestAt: 0.9,
  isLower: true,
  pValue: 0.4,
  isAlert: false,
  ...facts,
});

const drift = (facts: Partial<Schemas['Drift']> = {}): Schemas['Drift'] => ({
  lookedAt: '2027-01-15T08:00:00Z',
  days: 7,
  scans: 120,
  leastScans: 50,
  at: [0.5, 0.9, 0.99],
  confidence: shift(),
  knownScore: shift(),
  embedding: null,
  ...facts,
});

const embedding: Schemas['Drift']['embedding'] = {
  scans: 60,
  earlierScans: 1200,
  mmdSquared: 0.002,
  pValue: 0.4,
  isAlert: false,
};

const lower = shift({
  now: [0.4, 0.62, 0.8],
  distance: 0.46,
  pValue: 0.000_01,
  isAlert: true,
});

it('says that scans look like the calibration photos, with both curves as tables', async () => {
  answer('get', '/api/drift', drift());
  renderScreen(<DriftCard />);
  expect(
    await screen.findByText(
      'Your 120 scans of the last 7 days look like the photos that the confidence was fitted on',
    ),
  ).toBeVisible();
  const figure = screen.getByRole('figure', { name: 'Confidence' });
  const rows = within(figure).getAllByRole('row', { hidden: true });
  expect(rows.map((row) => row.textContent)).toEqual([
    'Confidence at mostYour scansCalibration photos',
    '50%8%6%',
    '90%20%16%',
    '99%35%34%',
  ]);
});

it('shows the comparison on where a later look fails', async () => {
  answer('get', '/api/drift', drift());
  const { queryClient } = renderScreen(<DriftCard />);
  const said = await screen.findByText(/look like the photos/);
  refuse('get', '/api/drift', { status: 403, detail: 'No.' });
  await act(() => queryClient.invalidateQueries());
  expect(queryClient.getQueryState(driftQuery().queryKey)?.status).toBe('error');
  expect(said).toBeVisible();
});

it('says what is unlike, and what to do', async () => {
  answer('get', '/api/drift', drift({ confidence: lower, knownScore: lower }));
  renderScreen(<DriftCard />);
  expect(await screen.findByText(/look unlike the photos/)).toBeVisible();
  expect(screen.getByText(/Teach those parts/)).toBeVisible();
  expect(screen.getByText(/Look at light, sharpness and distance/)).toBeVisible();
  expect(
    screen.getByText(
      'Confidence of at most 90%: 62% of your scans, 16% of the photos that the model was calibrated on (p below 0.001).',
    ),
  ).toBeVisible();
});

it('says how many scans it takes, and that a model was not measured', async () => {
  answer('get', '/api/drift', drift({ scans: 1, confidence: null, knownScore: null }));
  const { unmount } = renderScreen(<DriftCard />);
  expect(
    await screen.findByText('1 scan in the last 7 days. From 50 scans on, they are compared here.'),
  ).toBeVisible();
  unmount();
  answer('get', '/api/drift', drift({ at: [], confidence: null, knownScore: null }));
  renderScreen(<DriftCard />);
  expect(await screen.findByText(/was not measured for this/)).toBeVisible();
  expect(screen.queryByText(/^The percentages hold/)).not.toBeInTheDocument();
});

it('compares the pictures where the scores cannot be compared', async () => {
  answer('get', '/api/drift', drift({ at: [], confidence: null, knownScore: null, embedding }));
  renderScreen(<DriftCard />);
  expect(await screen.findByText(/was not measured for this/)).toBeVisible();
  expect(
    screen.getByText(
      'Your 120 scans of the last 7 days can only be compared with earlier ones. What they show is like 1,200 scans of the 90 days before (squared discrepancy 0.002, p = 0.400).',
    ),
  ).toBeVisible();
});

it('offers to try again when it cannot be read', async () => {
  refuse('get', '/api/drift', { status: 503, detail: 'Busy.' });
  renderScreen(<DriftCard />);
  expect(await screen.findByRole('button', { name: 'Try Again' })).toBeVisible();
});

it('takes pictures of other parts for no alert', () => {
  const other = { ...embedding, mmdSquared: 0.08, pValue: 0.000_999, isAlert: true };
  expect(driftState(drift({ embedding: other }))).toBe('alike');
  expect(picturesText(drift({ embedding: other }))).toContain(
    'changed against 1,200 scans of the 90 days before (squared discrepancy 0.080, p below 0.001)',
  );
  expect(picturesText(drift())).toBeNull();
});

it('does not call surer answers worse ones', () => {
  const surer = { ...lower, isLower: false };
  expect(advice(drift({ confidence: surer })).join(' ')).toContain('surer than it was');
  expect(advice(drift({ confidence: surer, knownScore: lower })).join(' ')).not.toContain('surer');
});

it('writes marks as they are, and nothing of a mark that it does not know', () => {
  expect([0.02, 0.9, 0.9995].map(markText)).toEqual(['2%', '90%', '99.95%']);
  expect(gapText('Confidence', drift(), shift({ largestAt: 0.7 }))).toBe('');
});
