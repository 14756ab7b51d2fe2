import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { judgedView, rotorView } from '@/testing/fixtures';
import { openScanResult } from '@/testing/scan-result';
import { answer, settings } from '@/testing/server';

it('shows on demand what stood behind the answer, as the server gave it', async () => {
  const receipt = { ...rotorView.receipt, modelSha256: 'f3fc'.repeat(16), provider: 'CUDA:1' };
  const { person } = openScanResult({ ...rotorView, receipt });
  expect(screen.getByText('CUDA:1')).not.toBeVisible();
  await person.click(screen.getByText('How it was answered'));
  const values = screen.getAllByRole('definition').map((value) => value.textContent);
  expect(values).toEqual([
    'partsight-50 1.0.0',
    'f3fc'.repeat(16),
    'CUDA:1',
    '60% match',
    '50%',
    '5%',
    '65% sure',
    'Without a vision-LLM',
    'No need: the model was sure',
    '$0.00',
    'No other machine',
    'decoding 3.0 ms, resizing 1.0 ms, model 8.0 ms',
  ]);
});

it('says that nothing leaves a server of zero egress, unless this photo did', async () => {
  answer('get', '/api/settings', { ...settings, zeroEgress: true });
  const { unmount } = openScanResult(rotorView);
  expect(await screen.findByText(/Nothing leaves this server/)).toBeVisible();
  unmount();
  openScanResult(judgedView);
  expect(await screen.findByText(/The photo was sent to/)).toBeVisible();
  expect(screen.queryByText(/Nothing leaves this server/)).not.toBeInTheDocument();
});

it('says beside the answer that taught parts could not be looked at', () => {
  const title = 'Without taught parts';
  openScanResult(rotorView).unmount();
  expect(screen.queryByText(title)).not.toBeInTheDocument();
  openScanResult({ ...rotorView, receipt: { ...rotorView.receipt, lacksTaughtParts: true } });
  expect(screen.getByText(title)).toBeVisible();
});

it('claims no percentage for an answer that became sure otherwise', async () => {
  const { identification } = rotorView;
  const { person } = openScanResult({
    ...rotorView,
    identification: { ...identification, confidence: 0.5 },
  });
  await person.click(screen.getByText('How it was answered'));
  expect(screen.queryByText('Sure from')).not.toBeInTheDocument();
  expect(screen.queryByText(/^Of 100 answers/)).not.toBeInTheDocument();
});

it('calls no answer in doubt one of which the model was sure', async () => {
  const { person } = openScanResult({ ...rotorView, verdict: 'not-sure' });
  await person.click(screen.getByText('How it was answered'));
  expect(screen.queryByText('No need: the model was sure')).not.toBeInTheDocument();
  expect(screen.queryByText(/^Of 100 answers/)).not.toBeInTheDocument();
});

it('leaves out of an old receipt what was not there yet', () => {
  openScanResult({ ...rotorView, receipt: { ...rotorView.receipt, categoryConfidence: null } });
  expect(screen.queryByText('Category named from')).not.toBeInTheDocument();
});

it.each([
  ['of a vision-LLM that was asked', judgedView.receipt, 'model 8.0 ms, vision-LLM 640.0 ms'],
  [
    'of one that was not reached',
    { ...rotorView.receipt, notJudged: 'unreachable' },
    'model 8.0 ms, vision-LLM 640.0 ms',
  ],
  ['of none that was not asked', { ...rotorView.receipt, notJudged: 'busy' }, 'model 8.0 ms'],
  [
    'of none that was not asked again',
    { ...judgedView.receipt, verdictPath: 'reused' as const, photoSentTo: null },
    'model 8.0 ms',
  ],
])('shows the time %s', (_, receipt, text) => {
  openScanResult({ ...judgedView, receipt, timingsMs: { ...judgedView.timingsMs, judge: 640 } });
  expect(screen.getByText(/^decoding/)).toHaveTextContent(new RegExp(`${text}$`));
});

it('says of a vision-LLM that is left alone that it was not asked', () => {
  openScanResult({ ...rotorView, receipt: { ...rotorView.receipt, notJudged: 'circuit-open' } });
  expect(screen.getByText(/^Not asked: it failed repeatedly/)).toBeInTheDocument();
  expect(screen.queryByText('It failed to answer')).not.toBeInTheDocument();
});

it('shows what a vision-LLM said, what it cost, and that the photo left', () => {
  openScanResult(judgedView);
  const judge = screen.getByRole('region', { name: 'A vision-LLM looked at this photo' });
  expect(judge).toHaveTextContent('It names another part: Clutch Disc.');
  expect(judge).toHaveTextContent('Splined hub in the centre.');
  expect(judge).toHaveTextContent('31250-0K205');
  expect(judge).toHaveTextContent('A better photo: Photograph the hub from the front.');
  expect(screen.getByText(/not measured\.$/)).toBeVisible();
  expect(
    screen.getByText(/with eye-1\. It cost \$0\.0021\. The photo was sent to api\.example\.com\./),
  ).toBeVisible();
});

it('says that a judgement was reused, and that it names no part', () => {
  const { judgement } = judgedView.receipt;
  if (judgement === null) throw new Error('the fixture has one');
  openScanResult({
    ...judgedView,
    receipt: {
      ...judgedView.receipt,
      verdictPath: 'reused',
      judgement: { ...judgement, label: null, betterPhoto: null, partNumbers: [] },
    },
  });
  const judge = screen.getByRole('region', {
    name: 'A vision-LLM judged a photo like this one',
  });
  expect(judge).toHaveTextContent('none of the parts in question');
  expect(judge).not.toHaveTextContent('A better photo');
});
