import { screen, waitFor } from '@testing-library/react';
import { useRef } from 'react';
import { expect, it, vi } from 'vitest';
import { ScanHistory } from '@/features/scanning/history/components/scan-history';
import { rotorScan } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, note } from '@/testing/server';

function Bench() {
  const heading = useRef<HTMLHeadingElement>(null);
  return <ScanHistory vehicle={null} heading={heading} onOpen={vi.fn()} />;
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

it('shows a scan whose part is no longer in the catalogue', async () => {
  const { part } = rotorScan();
  answer('get', '/api/scans/recent', [
    rotorScan({ part: { ...part, name: 'old-flag', category: null, position: null } }),
  ]);
  renderScreen(<Bench />);
  expect(await screen.findByText('old-flag')).toBeVisible();
  expect(screen.getByText('No longer in the catalogue')).toBeVisible();
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

it('shows what a scan was corrected to, and nothing of the part that it is not', async () => {
  const said = { referenceId: null, changedAt: '2026-11-20T12:00:00Z' };
  answer('get', '/api/scans/recent', [
    rotorScan({
      id: 'scan-1',
      feedback: { ...said, answer: 'other-part', label: 'brake-shoe', name: 'Brake Shoe' },
    }),
    rotorScan({
      id: 'scan-2',
      feedback: { ...said, answer: 'not-a-part', label: null, name: null },
    }),
    rotorScan({
      id: 'scan-3',
      feedback: { ...said, answer: 'right', label: 'brake-rotor', name: 'Brake Rotor' },
    }),
  ]);
  renderScreen(<Bench />);
  const [shoe, none, rotor] = await screen.findAllByRole('listitem');
  expect(shoe).toHaveTextContent(/^Brake ShoeCorrected/);
  expect(shoe).not.toHaveTextContent(/match|price/);
  expect(none).toHaveTextContent(/^Not a partCorrected/);
  expect(rotor).toHaveTextContent(/^Brake Rotor\d+% match/);
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
