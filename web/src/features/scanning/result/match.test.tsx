import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { notSureView, oneOfTwoView, rotorView, tieView } from '@/testing/fixtures';
import { openScanResult } from '@/testing/scan-result';

const withMatch = (view: typeof rotorView, confidence: number, identifiedConfidence: number) => ({
  ...view,
  identification: { ...view.identification, confidence },
  receipt: { ...view.receipt, identifiedConfidence },
});

it.each([
  ['in whole percents', notSureView, 0.96, 0.97, '96%', '97%'],
  ['in tenths where whole percents look met', notSureView, 0.968, 0.97, '96.8%', '97%'],
  ['in tenths that differ however close it is', notSureView, 0.97341, 0.97344, '97.3%', '97.4%'],
  ['in whole percents where it is met', rotorView, 0.9735, 0.97344, '97%', '97%'],
])('shows the match beside what is sure %s', (_, view, confidence, threshold, match, sureFrom) => {
  openScanResult(withMatch(view, confidence, threshold));
  expect(screen.getAllByText(`${match} match`)[0]).toBeVisible();
  expect(screen.getByRole('meter', { name: 'How sure' })).toHaveAttribute('aria-valuetext', match);
  const row = screen.getByText('Sure from').nextElementSibling;
  expect(row).toHaveTextContent(`${sureFrom} match`);
});

it('names the match of the best guess alike in a list of parts', () => {
  const tie = openScanResult(withMatch(tieView, 0.464, 0.4646));
  const could = screen.getByRole('list', { name: /could be/ });
  expect(within(could).getByText('46.4% match')).toBeVisible();
  tie.unmount();
  const labels = oneOfTwoView.candidateSet?.labels ?? [];
  const candidateSet = oneOfTwoView.candidateSet && {
    ...oneOfTwoView.candidateSet,
    labels: labels.map((part, index) => (index === 0 ? { ...part, confidence: 0.414 } : part)),
  };
  openScanResult(withMatch({ ...oneOfTwoView, candidateSet }, 0.414, 0.4146));
  expect(screen.getAllByText('41.4% match')).toHaveLength(2);
});
