import { screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { answerText, leadOf } from '@/features/scanning/result/scan-view';
import { notSureView, rotorView, tieView } from '@/testing/fixtures';
import { openScanResult, showScanResult } from '@/testing/scan-result';

const photo = { blob: new Blob(['x']), name: 'rotor.png' };

it('says what the part is, how sure, and for which vehicle', async () => {
  const { person, onClose } = openScanResult(rotorView);
  expect(screen.getByRole('heading', { name: 'Scan Results' })).toHaveFocus();
  expect(screen.getByText(/^For 2015 Honda Civic [A-Z]/)).toBeVisible();
  expect(screen.getByRole('heading', { name: 'Brake Rotor' })).toBeVisible();
  expect(screen.getByText('94% match')).toHaveClass('bg-accent');
  expect(screen.getByText('Brake System')).toBeVisible();
  expect(screen.getByText('Clutch Disc')).toBeVisible();
  expect(screen.getByText(/Answered in 12 ms by partsight-50 1\.0\.0\./)).toBeVisible();
  expect(screen.queryByText('Not sure about this one')).not.toBeInTheDocument();
  await person.click(screen.getByRole('button', { name: 'Close results' }));
  expect(onClose).toHaveBeenCalledOnce();
});

describe('the photo that would settle it', () => {
  const TITLE = { name: 'A Better Photo Would Tell' };
  const better = () => screen.queryByRole('region', TITLE);

  it('is the view that tells the two apart, where they are known to look alike', async () => {
    openScanResult(notSureView);
    const hint = within(screen.getByRole('region', TITLE));
    expect(hint.getByText('Brake Rotor or Clutch Disc?')).toBeVisible();
    expect(hint.getByText(/A clutch disc has splines in its hub/)).toBeVisible();
    expect(
      await hint.findByRole('img', { name: 'How to photograph it: straight at its face' }),
    ).toBeVisible();
  });

  it('is folded on a phone, where its drawings would push the rest off the screen', async () => {
    vi.stubGlobal('innerWidth', 360);
    const { person } = openScanResult(notSureView);
    const sentence = screen.getByText('Brake Rotor or Clutch Disc?');
    expect(sentence.closest('details')).not.toHaveAttribute('open');
    await person.click(screen.getByRole('heading', TITLE));
    expect(sentence.closest('details')).toHaveAttribute('open');
    vi.unstubAllGlobals();
  });

  it('is any good photo where nothing is known of the two', async () => {
    openScanResult({ ...notSureView, tellingApart: [] });
    const hints = within(screen.getByRole('region', TITLE));
    expect(await hints.findAllByRole('img')).toHaveLength(3);
  });

  it('is not asked for where the number on the part has settled it', () => {
    const { tellingApart, identification } = notSureView;
    openScanResult({ ...rotorView, identification, tellingApart });
    expect(screen.getByText('More than the percentage makes this answer sure.')).toBeVisible();
    expect(better()).not.toBeInTheDocument();
  });

  it('is not asked for where the answer is sure, but where another part comes close', () => {
    openScanResult(rotorView).unmount();
    expect(better()).not.toBeInTheDocument();
    showScanResult(
      { ...rotorView, tellingApart: notSureView.tellingApart },
      { photos: [photo], vehicles: [], onCrop: vi.fn(), onAddPhotos: vi.fn() },
    );
    expect(better()).toBeVisible();
    expect(screen.getByRole('button', { name: 'Add Photos of This Part' })).toBeEnabled();
    expect(screen.queryByRole('button', { name: 'Crop and Scan Again' })).not.toBeInTheDocument();
  });
});

it('has between the answer and its tabs nothing that the tabs can hold', () => {
  openScanResult(rotorView, [], {
    onScanNext: vi.fn(),
    extras: <p>Is it right?</p>,
    buyingExtras: <p>Does it fit?</p>,
  });
  const tabs = screen.getByRole('tablist', { name: 'About this part' });
  const isAbove = (node: HTMLElement) =>
    (node.compareDocumentPosition(tabs) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  expect(isAbove(screen.getByText('Is it right?'))).toBe(true);
  expect(isAbove(screen.getByRole('button', { name: 'Scan Another Part' }))).toBe(true);
  const suppliers = within(screen.getByRole('tabpanel', { name: 'Suppliers' }));
  expect(suppliers.getByText('Does it fit?')).toBeVisible();
  expect(screen.queryByRole('region', { name: 'Where it sits' })).not.toBeInTheDocument();
});

describe('an answer from several photos', () => {
  const finding = {
    label: 'brake-rotor',
    name: 'Brake Rotor',
    confidence: 0.97,
    knownScore: 0.9,
    weight: 0.71,
    isLead: true,
  };
  const rim = { ...finding, label: 'rim', name: 'Rim', confidence: 0.52, weight: 0.29 };
  const view = { ...rotorView, photos: [{ ...rim, isLead: false }, finding] };

  it('says what each looked like by itself, how much it counted, and which shows it best', () => {
    openScanResult(view);
    const photos = within(screen.getByRole('region', { name: 'From 2 photos' }));
    expect(photos.getAllByRole('listitem').map((photo) => photo.textContent)).toEqual([
      'Photo 1Rim52% match by itself, counts for 29% of the answer',
      'Photo 2Brake RotorShows it best97% match by itself, counts for 71% of the answer',
    ]);
  });

  it('shows the photo that stands for the scan', () => {
    const [front, back] = ['front', 'back'];
    expect(leadOf(view, [front, back])).toBe('back');
    expect(leadOf(rotorView, [front])).toBe('front');
    expect(leadOf(view, [])).toBeNull();
  });

  it('is not there for one photo', () => {
    openScanResult(rotorView);
    expect(screen.queryByRole('region', { name: /^From/ })).not.toBeInTheDocument();
  });

  it('can be asked for where one photo was not enough, and of several none alone is cropped', async () => {
    const props = { vehicles: [], onCrop: vi.fn(), onAddPhotos: vi.fn() };
    const { person, unmount } = showScanResult(notSureView, { ...props, photos: [photo] });
    expect(screen.getByRole('button', { name: 'Crop and Scan Again' })).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'Add Photos of This Part' }));
    expect(props.onAddPhotos).toHaveBeenCalledOnce();
    unmount();
    showScanResult(notSureView, { ...props, photos: [photo, photo] });
    expect(screen.getByRole('button', { name: 'Add Photos of This Part' })).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Crop and Scan Again' })).not.toBeInTheDocument();
  });
});

it('says in words that it is not sure, and what else it could be', () => {
  openScanResult(notSureView);
  expect(screen.getByText('Not sure about this one')).toBeVisible();
  expect(
    screen.getByText('Brake Rotor is the closest match. It could also be: Clutch Disc.'),
  ).toBeVisible();
  expect(screen.getByText('Best guess')).toBeVisible();
  expect(screen.getByText('41% match')).not.toHaveClass('bg-accent');
});

it('says that the photo is unlike what it knows, where the match alone would look sure', () => {
  const { identification } = rotorView;
  openScanResult({
    ...rotorView,
    verdict: 'not-sure',
    identification: { ...identification, confidence: 0.95, knownScore: 0.3 },
  });
  expect(
    screen.getByText(/does not look enough like the parts known here to be sure\.$/),
  ).toBeVisible();
  expect(screen.getByText('95% match')).not.toHaveClass('bg-accent');
});

it('says what the percentage means', () => {
  openScanResult(rotorView);
  expect(screen.getByRole('meter', { name: 'How sure' })).toHaveAttribute('aria-valuenow', '94');
  expect(
    screen.getByText('Of 100 answers with this percentage, about 94 are right.'),
  ).toBeVisible();
});

it.each([
  ['a sure answer', rotorView, 'Identified: Brake Rotor, 94% match.'],
  ['a close call', notSureView, 'Not sure. Closest: Brake Rotor, 41% match.'],
  ['a tie', tieView, 'Probably a brake system part. Closest: Brake Rotor, 46% match.'],
])('says %s in one sentence', (_, view, sentence) => {
  expect(answerText(view)).toBe(sentence);
});
