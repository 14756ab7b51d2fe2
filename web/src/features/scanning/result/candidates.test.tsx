import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { answerText, type ScanView } from '@/features/scanning/result/scan-view';
import { notSureView, oneOfTwoView, rotorView, tieView } from '@/testing/fixtures';
import { hrefOf } from '@/testing/render';
import { openScanResult } from '@/testing/scan-result';

it('answers with the category where its parts tie, and names them before the rest', () => {
  openScanResult(tieView);
  const answer = within(screen.getByRole('region', { name: 'Probably a brake system part' }));
  expect(answer.getByRole('heading', { name: 'Probably a brake system part' })).toBeVisible();
  expect(answer.getByText('69% sure')).toBeVisible();
  const parts = within(answer.getByRole('list', { name: 'Not sure which one. It could be:' }));
  expect(parts.getAllByRole('listitem').map((part) => part.textContent)).toEqual([
    'Brake Rotor46% match',
    'Brake Drum20% match',
    'Brake Pad3% match',
  ]);
  expect(answer.getByText('Less likely: Rim, 30% match.')).toBeVisible();
  expect(answer.getByText(/^Compare them with/)).toBeVisible();
  // What stands below is about the best guess, and says so.
  expect(screen.getByRole('heading', { name: 'Brake Rotor' })).toBeVisible();
  expect(screen.getByText('Best guess')).toBeVisible();
  expect(screen.queryByText('Not sure about this one')).not.toBeInTheDocument();
});

it('names one part where the category has no other that it could be', () => {
  openScanResult({ ...tieView, alternatives: [] });
  const parts = within(screen.getByRole('list', { name: /Most likely it is:$/ }));
  expect(parts.getAllByRole('listitem')).toHaveLength(1);
  expect(screen.getByText(/^Compare it with the part in your hand/)).toBeVisible();
});

describe('the few parts that it is one of', () => {
  const drum = {
    label: 'brake-drum',
    name: 'Brake Drum',
    category: 'brake',
    confidence: 0.2,
    shopParts: [],
  } satisfies Schemas['SetCandidate'];
  const pair = oneOfTwoView.candidateSet?.labels ?? [];
  const withSet = (view: ScanView, labels: Schemas['SetCandidate'][]): ScanView => ({
    ...view,
    candidateSet: { reason: 'measured', coverage: 0.95, labels },
  });
  const items = (name: string) =>
    within(screen.getByRole('list', { name }))
      .getAllByRole('listitem')
      .map((item) => item.textContent);

  it('are only said to be possible where it was not measured how often they are right', () => {
    const candidateSet = { reason: 'measured', coverage: null, labels: pair } as const;
    const view: ScanView = { ...oneOfTwoView, candidateSet };
    openScanResult(view);
    expect(items('It may be one of these two.')).toHaveLength(2);
    expect(answerText(view)).toMatch(/ It may be one of these two: Brake Rotor or Clutch Disc\.$/);
    expect(screen.queryByText(/times in 100/)).not.toBeInTheDocument();
    expect(screen.queryByText(/look-alikes/)).not.toBeInTheDocument();
  });

  it('are named in a list that says how far it can be relied on, beside what tells them apart', () => {
    openScanResult(oneOfTwoView);
    expect(items('It is one of these two.')).toEqual([
      'Brake Rotor41% match',
      'Clutch Disc38% match',
    ]);
    expect(hrefOf('Clutch Disc')).toBe('/parts/transmission?part=clutch-disc');
    expect(
      screen.getByText('Right 95 times in 100 on photos like those it was tested on.'),
    ).toBeVisible();
    expect(screen.getByText('Brake Rotor is the closest match.')).toBeVisible();
    expect(screen.getByText('Brake Rotor or Clutch Disc?')).toBeVisible();
    expect(answerText(oneOfTwoView)).toBe(
      'Not sure. Closest: Brake Rotor, 41% match. It is one of these two: Brake Rotor or Clutch Disc.',
    );
  });

  it('have the number and the note of each where they were marked as look-alikes', () => {
    const shopParts: Schemas['ShopPartText'][] = [
      { id: 'one', number: '7.22', brand: 'Pierburg', name: 'With cooler', notes: 'Six pins.' },
      { id: 'two', number: 'A-1', brand: null, name: null, notes: null },
    ];
    const labels = [...pair, drum, drum].map((part, index) => ({
      ...part,
      label: `${part.label}-${index}`,
      shopParts: index === 0 ? shopParts : [],
    }));
    const candidateSet = { reason: 'look-alikes', coverage: null, labels } as const;
    openScanResult({ ...oneOfTwoView, candidateSet });
    expect(items('It is one of these four.')[0]).toBe(
      'Brake Rotor41% matchPierburg 7.22, With coolerSix pins.A-1',
    );
    expect(
      screen.getByText('They are marked as look-alikes: the photo alone does not tell them apart.'),
    ).toBeVisible();
    expect(screen.getByText('Brake Rotor is the closest match by the photo alone.')).toBeVisible();
    expect(screen.queryByText(/Right .* times in 100/)).not.toBeInTheDocument();
  });

  it('stand in the place of what a tied category could be', () => {
    const view = withSet(tieView, [...pair, drum]);
    openScanResult(view);
    expect(screen.getByRole('heading', { name: 'Probably a brake system part' })).toBeVisible();
    expect(items('It is one of these three.')).toHaveLength(3);
    expect(screen.queryByText(/It could be:/)).not.toBeInTheDocument();
    expect(answerText(view)).toMatch(
      /It is one of these three: Brake Rotor, Clutch Disc or Brake Drum\.$/,
    );
  });

  it('are promised only of known parts where the photo is unlike them', () => {
    const { identification } = oneOfTwoView;
    openScanResult({ ...oneOfTwoView, identification: { ...identification, knownScore: 0.3 } });
    expect(items('If it is a part known here, it is one of these two.')).toHaveLength(2);
  });

  it('are no links where a part has left the catalogue', () => {
    openScanResult(
      withSet(
        oneOfTwoView,
        pair.map((part) => ({ ...part, category: null })),
      ),
    );
    expect(items('It is one of these two.')).toHaveLength(2);
    expect(screen.queryByRole('link', { name: 'Clutch Disc' })).not.toBeInTheDocument();
  });

  it('are not said to be where there is one, there are four, or the answer is sure', () => {
    const four = [...pair, drum, { ...drum, label: 'rim', name: 'Rim' }];
    for (const view of [
      withSet(oneOfTwoView, pair.slice(0, 1)),
      withSet(oneOfTwoView, four),
      withSet(rotorView, pair),
    ]) {
      const { unmount } = openScanResult(view);
      expect(screen.queryByText(/one of these/)).not.toBeInTheDocument();
      unmount();
      expect(answerText(view)).not.toMatch(/one of these/);
    }
  });
});

it('names no category where nothing is rolled up', () => {
  openScanResult(notSureView);
  expect(screen.queryByRole('heading', { name: /^Probably/ })).not.toBeInTheDocument();
});
