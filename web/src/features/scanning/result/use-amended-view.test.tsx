import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { viewOfResult } from '@/features/scanning/result/scan-view';
import { useAmendedView } from '@/features/scanning/result/use-amended-view';
import { notSureView, readPart, rotorResult } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer } from '@/testing/server';

function Verdict() {
  return <p>{useAmendedView(notSureView).verdict}</p>;
}

it('takes over what the number on the part made of a fresh answer', async () => {
  answer('get', `/api/scans/${notSureView.id}/reading`, {
    state: 'read',
    lines: [],
    parts: [readPart],
    readAt: '2026-11-21T10:00:00Z',
  });
  answer('get', `/api/scans/${notSureView.id}`, {
    ...viewOfResult(rotorResult),
    id: notSureView.id,
  });
  renderScreen(<Verdict />);
  expect(screen.getByText('not-sure')).toBeVisible();
  expect(await screen.findByText('identified')).toBeVisible();
});
