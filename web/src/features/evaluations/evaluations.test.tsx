import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { delay, http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { EvaluationsCard } from '@/features/evaluations/components/evaluations-card';
import { ReportView } from '@/features/evaluations/components/report-view';
import {
  coverageText,
  differenceText,
  labelNoiseText,
  timeLeft,
} from '@/features/evaluations/model';
import { isLeavingGuarded } from '@/lib/leave-guard';
import { confirm, readAnew, renderScreen } from '@/testing/render';
import { answer, note, refuse, server, settings, SIGNED_OUT } from '@/testing/server';

const share = (count: number, total: number): Schemas['Proportion'] => ({
  count,
  total,
  low: 0.5,
  high: 0.9,
});

const coverage: Schemas['CoverageAtRisk'] = {
  maxWrong: 0.02,
  confidence: 0.9,
  answered: 80,
  wrong: 1,
  total: 100,
  low: 0.7,
  high: 0.88,
};

const report: Schemas['EvaluationReport'] = {
  modelSha256: '0'.repeat(64),
  top1: share(90, 100),
  top5: share(97, 100),
  ece: 0.051,
  eceByChance: 0.048,
  noneOfThese: share(2, 40),
  rejectAuroc: 0.97,
  unknownLabels: [
    {
      label: 'gear',
      identified: share(2, 8),
      notSure: 3,
      notAPart: 3,
      takenFor: 'radiator',
      takenForCount: 2,
    },
    {
      label: 'sky',
      identified: share(0, 5),
      notSure: 0,
      notAPart: 5,
      takenFor: null,
      takenForCount: 0,
    },
  ],
  unknownLabelCount: 2,
  wrongLabelCount: 3,
  top1WithLikelyLabels: 0.93,
  coverage: [coverage],
  thresholds: [],
  labels: [{ label: 'rim', recall: share(3, 10), precision: share(3, 4) }],
  confusions: [{ label: 'rim', guess: 'brake-rotor', count: 7 }],
  slices: [
    {
      dimension: 'light',
      value: 'below 40',
      right: share(4, 10),
      others: share(86, 90),
      isWorse: true,
    },
  ],
  mistakes: [
    {
      path: 'rim/7.jpg',
      label: 'rim',
      guess: 'brake-rotor',
      confidence: 0.98,
      isOfUnknownLabel: false,
      picture: 'picture-7.jpg',
    },
  ],
  mistakeCount: 10,
  unlikelyLabels: [
    {
      path: 'rim/8.jpg',
      label: 'rim',
      likely: 'brake-rotor',
      labelProbability: 0.01,
      likelyProbability: 0.97,
      isConfident: true,
      picture: null,
    },
  ],
  unlikelyLabelCount: 1,
  lookalikeCount: 1,
  notices: ['A folder without photographs: `hose`'],
  failures: [{ path: 'rim/broken.jpg', reason: 'it is damaged' }],
  failureCount: 1,
};

const evaluation = (facts: Partial<Schemas['Evaluation']> = {}): Schemas['Evaluation'] => ({
  id: 'e1',
  name: 'June.zip',
  state: 'done',
  problem: null,
  createdAt: '2027-01-15T08:00:00Z',
  startedAt: '2027-01-15T08:00:00Z',
  endedAt: '2027-01-15T08:05:00Z',
  photos: 140,
  done: 140,
  model: 'partsight-50 3.1.0',
  known: 100,
  right: 90,
  report: null,
  ...facts,
});

const zip = (size?: number) => {
  const file = new File(['PK'], 'July.zip', { type: 'application/zip' });
  if (size !== undefined) Object.defineProperty(file, 'size', { value: size });
  return file;
};

it('sends a zip, shows how far it is, and cancels it, each once by a double click', async () => {
  answer('get', '/api/evaluations', []);
  const sent = vi.fn();
  server.use(
    http.post('/api/evaluations', async () => {
      sent('zip');
      // Another screen would end the upload.
      await waitFor(() => expect(isLeavingGuarded()).toBe(true));
      const running = evaluation({ state: 'running', done: 35, endedAt: null });
      answer('get', '/api/evaluations', [running]);
      return HttpResponse.json(running, { status: 201 });
    }),
    http.post('/api/evaluations/e1/cancel', () => {
      sent('cancellation');
      const ended = evaluation({ state: 'cancelled' });
      answer('get', '/api/evaluations', [ended]);
      return HttpResponse.json(ended);
    }),
  );
  const { person } = renderScreen(<EvaluationsCard inPlan />);
  const measure = await screen.findByRole('button', { name: 'Measure' });
  expect(measure).toBeDisabled();
  await person.upload(screen.getByLabelText('Choose a zip of photos'), zip());
  fireEvent.click(measure);
  fireEvent.click(measure);
  expect(await screen.findByText(/35 of 140 photos measured/)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Measure' })).not.toBeInTheDocument();
  expect(isLeavingGuarded()).toBe(false);
  const cancel = screen.getByRole('button', { name: 'Cancel' });
  fireEvent.click(cancel);
  fireEvent.click(cancel);
  expect(await screen.findByText('Cancelled')).toBeVisible();
  expect(sent.mock.calls).toEqual([['zip'], ['cancellation']]);
});

it('keeps the chosen zip where the evaluations cannot be read anew', async () => {
  answer('get', '/api/evaluations', []);
  const { person, queryClient } = renderScreen(<EvaluationsCard inPlan />);
  await person.upload(await screen.findByLabelText('Choose a zip of photos'), zip());
  refuse('get', '/api/evaluations', { status: 503, detail: 'Busy.' });
  await readAnew(queryClient);
  expect(screen.getByLabelText('July.zip')).toBeInTheDocument();
});

it('says why a zip is refused, and sends none that is too large', async () => {
  answer('get', '/api/evaluations', []);
  refuse('post', '/api/evaluations', { status: 422, detail: 'The photos have no labels.' });
  const { person } = renderScreen(<EvaluationsCard inPlan />);
  const field = await screen.findByLabelText('Choose a zip of photos');
  await person.upload(field, zip());
  await person.click(screen.getByRole('button', { name: 'Measure' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('The photos have no labels.');
  await person.upload(screen.getByLabelText('July.zip'), zip(3 * 1024 ** 3));
  await person.click(screen.getByRole('button', { name: 'Measure' }));
  expect(await screen.findByText(/larger than 2 GB/)).toBeVisible();
});

it('leads to the sign-in where the session ended before the photos were sent', async () => {
  answer('get', '/api/evaluations', []);
  refuse('post', '/api/evaluations', SIGNED_OUT);
  const { person } = renderScreen(<EvaluationsCard inPlan />);
  await person.upload(await screen.findByLabelText('Choose a zip of photos'), zip());
  await person.click(screen.getByRole('button', { name: 'Measure' }));
  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

it('sends another zip in place of the one that is on its way', async () => {
  answer('get', '/api/evaluations', []);
  const sent = vi.fn();
  server.use(
    http.post('/api/evaluations', async ({ request }) => {
      request.signal.addEventListener('abort', () => {
        sent('stopped');
      });
      sent('sent');
      await delay('infinite');
    }),
  );
  const { person } = renderScreen(<EvaluationsCard inPlan />);
  await person.upload(await screen.findByLabelText('Choose a zip of photos'), zip());
  await person.click(screen.getByRole('button', { name: 'Measure' }));
  await waitFor(() => expect(sent).toHaveBeenCalledOnce());
  await person.upload(
    screen.getByLabelText('July.zip'),
    new File(['PK'], 'August.zip', { type: 'application/zip' }),
  );
  await person.click(await screen.findByRole('button', { name: 'Measure' }));
  await waitFor(() => expect(sent.mock.calls).toEqual([['sent'], ['stopped'], ['sent']]));
});

it('measures a folder of the server once by a double click', async () => {
  answer('get', '/api/evaluations', []);
  answer('get', '/api/settings', { ...settings, batchFolders: true });
  answer('get', '/api/batches/folders', { path: '', folders: [], photos: 2, morePhotos: false });
  const sent = note('post', '/api/evaluations/folder', evaluation({ state: 'waiting' }));
  const { person } = renderScreen(<EvaluationsCard inPlan />);
  await person.click(await screen.findByRole('button', { name: 'Folder of the Server' }));
  const dialog = await screen.findByRole('dialog');
  const measure = within(dialog).getByRole('button', { name: 'Measure' });
  await waitFor(() => expect(measure).toBeEnabled());
  fireEvent.click(measure);
  fireEvent.click(measure);
  await waitFor(() => expect(dialog).not.toBeInTheDocument());
  expect(sent).toHaveBeenCalledOnce();
});

it('lists earlier ones and deletes one after a question', async () => {
  answer('get', '/api/evaluations', [
    evaluation(),
    evaluation({ id: 'e2', name: 'May.zip', state: 'failed', problem: 'No photos.', known: null }),
  ]);
  const { person } = renderScreen(<EvaluationsCard inPlan />);
  expect(await screen.findByText('Top-1 accuracy 90.0% (90 of 100)')).toBeVisible();
  expect(screen.getByText('No photos.')).toBeVisible();
  expect(screen.queryByRole('link', { name: 'May.zip' })).not.toBeInTheDocument();
  server.use(
    http.delete('/api/evaluations/e2', () => {
      answer('get', '/api/evaluations', [evaluation()]);
      return new HttpResponse(null, { status: 204 });
    }),
  );
  await person.click(screen.getByRole('button', { name: 'Delete May.zip' }));
  await confirm(person, 'Delete');
  await waitFor(() => expect(screen.queryByText('May.zip')).not.toBeInTheDocument());
});

it('offers the plans where they include no new one, and keeps the earlier ones', async () => {
  answer('get', '/api/evaluations', [evaluation()]);
  renderScreen(<EvaluationsCard inPlan={false} />);
  expect(await screen.findByRole('link', { name: 'June.zip' })).toBeVisible();
  expect(screen.getByRole('link', { name: 'See Plans' })).toHaveAttribute('href', '/pricing');
  expect(screen.queryByLabelText('Choose a zip of photos')).not.toBeInTheDocument();
});

it('shows figures with their intervals, tables and pictures', async () => {
  answer('get', '/api/evaluations', [evaluation()]);
  answer('get', '/api/evaluations/e1', evaluation({ report }));
  renderScreen(<ReportView id="e1" />);
  expect(await screen.findByText('90 of 100, 95% interval 50.0% to 90.0%')).toBeVisible();
  expect(screen.getByText('0.048 expected by chance with this number of photos.')).toBeVisible();
  expect(screen.getByText(/2 of 40 photos of unknown types were identified/)).toHaveTextContent(
    'at the threshold that the model suggests, whatever is chosen',
  );
  expect(screen.getByText('hose').tagName).toBe('CODE');
  expect(screen.queryByText(/`/)).not.toBeInTheDocument();
  expect(screen.getByText('Worse')).toBeVisible();
  expect(screen.getByRole('img', { name: 'Photo labelled rim' })).toHaveAttribute(
    'src',
    '/api/evaluations/e1/files/picture-7.jpg',
  );
  expect(screen.getByText('No picture')).toBeVisible();
  expect(screen.getByText('rim/broken.jpg')).toBeVisible();
  expect(screen.getByRole('link', { name: 'Full Report' })).toHaveAttribute(
    'href',
    '/api/evaluations/e1/files/index.html',
  );
});

it('shows what unknown types are taken for, with the file of all, and what wrong labels mean', async () => {
  answer('get', '/api/evaluations', [evaluation()]);
  answer('get', '/api/evaluations/e1', evaluation({ report }));
  renderScreen(<ReportView id="e1" />);
  const table = await screen.findByRole('region', { name: 'Table: Rejection by unknown type' });
  const cells = within(table)
    .getAllByRole('row')
    .slice(1)
    .map((row) => [...row.children].map((cell) => cell.textContent));
  expect(cells).toEqual([
    ['gear', '25.0% (2 of 8)', '50.0% to 90.0%', '3', '3', 'radiator (2)'],
    ['sky', '0.0% (0 of 5)', '50.0% to 90.0%', '0', '5', '–'],
  ]);
  expect(screen.getByRole('link', { name: 'Unknown types as CSV' })).toHaveAttribute(
    'href',
    '/api/evaluations/e1/files/rejection.csv',
  );
  expect(
    screen.getByText(
      '3 of these 100 labels are probably wrong. If they are, and the likely labels are right, top-1 accuracy is 93.0%.',
    ),
  ).toBeVisible();
});

it('offers no file of unknown types where an earlier evaluation lacks it', async () => {
  answer('get', '/api/evaluations', [evaluation()]);
  const earlier = {
    ...report,
    unknownLabels: [],
    unknownLabelCount: 0,
    wrongLabelCount: 0,
    top1WithLikelyLabels: null,
  };
  answer('get', '/api/evaluations/e1', evaluation({ report: earlier }));
  renderScreen(<ReportView id="e1" />);
  expect(await screen.findByRole('link', { name: 'Photos as CSV' })).toBeVisible();
  expect(screen.queryByRole('link', { name: 'Unknown types as CSV' })).not.toBeInTheDocument();
  expect(screen.queryByText('Rejection by unknown type')).not.toBeInTheDocument();
  expect(screen.queryByText(/probably wrong\. If/)).not.toBeInTheDocument();
});

it('compares with another one', async () => {
  answer('get', '/api/evaluations', [evaluation(), evaluation({ id: 'e2', name: 'May.zip' })]);
  answer('get', '/api/evaluations/e1', evaluation({ report }));
  answer('get', '/api/evaluations/e1/comparison', {
    photos: 100,
    onlyThis: 8,
    onlyOther: 2,
    difference: 0.06,
    low: 0.004,
    high: 0.122,
    pValue: 0.109,
  });
  const { person } = renderScreen(<ReportView id="e1" />);
  await person.selectOptions(await screen.findByLabelText('Compare with'), 'e2');
  expect(
    await screen.findByText(/On the 100 photos in both, top-1 accuracy is 6.0 points higher here/),
  ).toBeVisible();
});

it('says what cannot be said', () => {
  const pace = { startedAt: '2027-01-15T08:00:00Z', done: 50, photos: 150 };
  const now = Date.parse('2027-01-15T08:01:00Z');
  expect(timeLeft(pace, now)).toBe('about 2 minutes left');
  expect(timeLeft({ ...pace, done: 2 }, now)).toBeNull();
  expect(
    labelNoiseText({ top1: share(90, 100), wrongLabelCount: 1, top1WithLikelyLabels: 0.91 }),
  ).toBe(
    '1 of these 100 labels is probably wrong. If it is, and the likely label is right, top-1 accuracy is 91.0%.',
  );
  expect(coverageText({ ...coverage, answered: 0 })).toMatch(/wrong more often/);
  expect(
    coverageText({ ...coverage, answered: 20, wrong: 0, total: 20, low: null, high: null }),
  ).toBe('20 of 20 answered, 0 of them wrong. Too few photos or mistakes for an interval.');
  expect(
    differenceText({
      photos: 0,
      onlyThis: 0,
      onlyOther: 0,
      difference: null,
      low: null,
      high: null,
      pValue: 1,
    }),
  ).toMatch(/no photo of a known part in common/);
});
