import { screen, waitFor } from '@testing-library/react';
import { useRef } from 'react';
import { expect, it, vi } from 'vitest';
import { ScanHistory } from '@/features/scanning/history/components/scan-history';
import { rotorScan } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, note } from '@/testing/server';

function Bench() {
  const heading = useRef<HTMLHeadingElement>(null);
  return <ScanHistory vehicle={null} limit={3} heading={heading} onOpen={vi.fn()} />;
}

it('says what a scan was rolled up to', async () => {
  const rolledUp = { category: 'brake', name: 'Brake System', confidence: 0.69 } as const;
  answer('get', '/api/scans/recent', [
    rotorScan({ confidence: 0.46, verdict: 'not-sure', rolledUp }),
  ]);
  renderScreen(<Bench />);
  expect(await screen.findByText('Brake System, 69% sure')).toBeVisible();
  expect(screen.getByText('46% match')).toBeVisible();
});

it('says how many photos a scan had where there were several', async () => {
  answer('get', '/api/scans/recent', [
    rotorScan({ photoCount: 3 }),
    rotorScan({ id: 'scan-2', photoCount: 1 }),
  ]);
  renderScreen(<Bench />);
  expect(await screen.findByText('3 photos')).toBeVisible();
  expect(screen.queryByText(/^1 photo/)).not.toBeInTheDocument();
});

it('leaves the focus at its heading when the list is cleared', async () => {
  answer('get', '/api/scans/recent', [rotorScan()]);
  note('delete', '/api/scans');
  const { person } = renderScreen(<Bench />);
  await person.click(await screen.findByRole('button', { name: 'Clear All' }));
  answer('get', '/api/scans/recent', []);
  await person.click(screen.getByRole('button', { name: 'Clear All' }));
  expect(await screen.findByText('No scans yet')).toBeVisible();
  await waitFor(() => {
    expect(screen.getByRole('heading', { name: 'Scan History' })).toHaveFocus();
  });
});
