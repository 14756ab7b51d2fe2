import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { LearningCard } from '@/features/teaching/learning/components/learning-card';
import { outcomeText } from '@/features/teaching/learning/model';
import { renderScreen } from '@/testing/render';
import { answer, note, refuse } from '@/testing/server';

const fitted: Schemas['FittedCalibration'] = {
  temperature: 1.31,
  outcome: 'changed',
  doubt: null,
  n: 68,
  before: { logLoss: 0.912, ece: 0.081, identified: 40, identifiedWrong: 4 },
  after: { logLoss: 0.804, ece: 0.032, identified: 35, identifiedWrong: 1 },
  attemptedAt: '2026-11-22T09:00:00Z',
};
const learning: Schemas['Learning'] = {
  confirmedScansTeach: false,
  refitCalibration: true,
  mayChange: true,
  feedback: { right: 61, otherPart: 7, notAPart: 2 },
  leastFeedback: 50,
  calibration: fitted,
};

const open = (facts: Partial<Schemas['Learning']> = {}, inCompany = false) => {
  answer('get', '/api/learning', { ...learning, ...facts });
  return renderScreen(<LearningCard inCompany={inCompany} />);
};

it('shows what was said, and the figures before and after the fit', async () => {
  open({}, true);
  expect(await screen.findByText(/61 right, 7 another part, 2 not a part/)).toBeVisible();
  expect(screen.getByText(/holds for all members of your company/)).toBeVisible();
  const rows = screen.getAllByRole('row').map((row) => row.textContent);
  expect(rows.slice(1)).toEqual([
    'Expected calibration error8.1%3.2%',
    'Log loss0.9120.804',
    'Scans named as sure4035',
    'Wrong ones among them4 (10%)1 (3%)',
  ]);
});

it('sends both choices when one is changed', async () => {
  const sent = note('put', '/api/learning', { ...learning, confirmedScansTeach: true });
  const { person } = open();
  await person.click(await screen.findByRole('switch', { name: 'Confirmed scans teach' }));
  await waitFor(() =>
    expect(sent).toHaveBeenCalledWith({ confirmedScansTeach: true, refitCalibration: true }),
  );
});

it('fits when asked, and goes back to the own calibration of the model', async () => {
  answer('post', '/api/learning/calibration', {
    ...learning,
    calibration: { ...fitted, outcome: 'kept' },
  });
  answer('delete', '/api/learning/calibration', { ...learning, calibration: null });
  const { person } = open();
  await person.click(await screen.findByRole('button', { name: 'Fit Now' }));
  expect(await screen.findByText(/was not better/)).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Back to the Model’s Own' }));
  expect(await screen.findByText('Undone')).toBeVisible();
});

it('cannot fit to too little, and says how much is missing', async () => {
  open({ calibration: null, feedback: { right: 9, otherPart: 1, notAPart: 0 } });
  expect(await screen.findByText(/starts at 50 scans with a known part; 40 to go/)).toBeVisible();
  expect(screen.getByRole('button', { name: 'Fit Now' })).toBeDisabled();
  expect(screen.queryByRole('button', { name: /Back to/ })).not.toBeInTheDocument();
  expect(outcomeText({ ...fitted, outcome: 'too-few', n: 1 }, 50)).toBe(
    'It takes 50 scans with a known part; there was 1.',
  );
});

it('says why feedback was not relied on', () => {
  const kept = { ...fitted, outcome: 'kept' } as const;
  expect(outcomeText({ ...kept, doubt: 'too-few-wrong' }, 50)).toBe(
    '68 scans have too few wrong answers to tell how often answers are wrong. Name the right part of wrong answers too. What was in force stays.',
  );
  expect(outcomeText({ ...kept, doubt: 'out-of-range' }, 50)).toMatch(
    /^The fit to 68 scans is too far/,
  );
});

it('says what to do where nobody said anything, and when the read or the change fails', async () => {
  refuse('put', '/api/learning', { status: 403, detail: 'Only a manager can.' });
  const { person } = open({ feedback: { right: 0, otherPart: 0, notAPart: 0 }, calibration: null });
  expect(await screen.findByText(/Open a scan and say whether it is right/)).toBeVisible();
  await person.click(screen.getByRole('switch', { name: 'Fit the percentages to feedback' }));
  expect(await screen.findByText('Only a manager can.')).toBeVisible();
});

it('shows a member of a company what holds, and lets only managers change it', async () => {
  open({ mayChange: false }, true);
  expect(await screen.findByText(/Only those who manage your company/)).toBeVisible();
  for (const one of screen.getAllByRole('switch')) expect(one).toBeDisabled();
  expect(screen.getByText(/The temperature is 1\.31\./)).toBeVisible();
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
});
