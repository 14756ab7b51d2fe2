import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { ScanResult } from '@/features/scanning/result/components/scan-result';
import { answerText, leadOf, type ScanView } from '@/features/scanning/result/scan-view';
import {
  civic,
  judgedView,
  notSureView,
  oneOfTwoView,
  rotorView,
  supplier,
  tieView,
} from '@/testing/fixtures';
import { hrefOf, renderScreen } from '@/testing/render';
import { answer, refuse, server, settings } from '@/testing/server';

function open(view: ScanView, suppliers: Schemas['Supplier'][] = [], vehicles = [civic]) {
  answer('get', '/api/parts/brake-rotor/ai-suppliers', { suppliers, sources: [] });
  const onClose = vi.fn();
  return {
    ...renderScreen(<ScanResult view={view} photos={[]} vehicles={vehicles} onClose={onClose} />),
    onClose,
  };
}

it('says what the part is, how sure, and for which vehicle', async () => {
  const { person, onClose } = open(rotorView);
  expect(screen.getByRole('heading', { name: 'Scan Results' })).toHaveFocus();
  expect(screen.getByText(/For 2015 Honda Civic/)).toBeVisible();
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
    open(notSureView);
    const hint = within(screen.getByRole('region', TITLE));
    expect(hint.getByText('Brake Rotor or Clutch Disc?')).toBeVisible();
    expect(hint.getByText(/A clutch disc has splines in its hub/)).toBeVisible();
    expect(
      await hint.findByRole('img', { name: 'How to photograph it: straight at its face' }),
    ).toBeVisible();
  });

  it('is folded on a phone, where its drawings would push the rest off the screen', async () => {
    vi.stubGlobal('innerWidth', 360);
    const { person } = open(notSureView);
    const sentence = screen.getByText('Brake Rotor or Clutch Disc?');
    expect(sentence.closest('details')).not.toHaveAttribute('open');
    await person.click(screen.getByRole('heading', TITLE));
    expect(sentence.closest('details')).toHaveAttribute('open');
    vi.unstubAllGlobals();
  });

  it('is any good photo where nothing is known of the two', async () => {
    open({ ...notSureView, tellingApart: [] });
    const hints = within(screen.getByRole('region', TITLE));
    expect(await hints.findAllByRole('img')).toHaveLength(3);
  });

  it('is not asked for where the answer is sure, but where another part comes close', () => {
    open(rotorView).unmount();
    expect(better()).not.toBeInTheDocument();
    const onAddPhotos = vi.fn();
    renderScreen(
      <ScanResult
        view={{ ...rotorView, tellingApart: notSureView.tellingApart }}
        photos={[{ blob: new Blob(['x']), name: 'rotor.png' }]}
        vehicles={[]}
        onClose={vi.fn()}
        onCrop={vi.fn()}
        onAddPhotos={onAddPhotos}
      />,
    );
    expect(better()).toBeVisible();
    expect(screen.getByRole('button', { name: 'Add Photos of This Part' })).toBeEnabled();
    expect(screen.queryByRole('button', { name: 'Crop and Scan Again' })).not.toBeInTheDocument();
  });
});

it('has between the answer and its tabs nothing that the tabs can hold', () => {
  answer('get', '/api/parts/brake-rotor/ai-suppliers', { suppliers: [], sources: [] });
  const onScanNext = vi.fn();
  renderScreen(
    <ScanResult
      view={rotorView}
      photos={[]}
      vehicles={[civic]}
      onClose={vi.fn()}
      onScanNext={onScanNext}
      extras={<p>Is it right?</p>}
      buyingExtras={<p>Does it fit?</p>}
    />,
  );
  const tabs = screen.getByRole('tablist', { name: 'About this part' });
  const isAbove = (node: HTMLElement) =>
    (node.compareDocumentPosition(tabs) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  expect(isAbove(screen.getByText('Is it right?'))).toBe(true);
  expect(isAbove(screen.getByRole('button', { name: 'Scan Another Part' }))).toBe(true);
  const suppliers = within(screen.getByRole('tabpanel', { name: 'Suppliers' }));
  expect(suppliers.getByText('Does it fit?')).toBeVisible();
  expect(screen.queryByRole('region', { name: 'Where it sits' })).not.toBeInTheDocument();
});

it('shows where the part sits, and what it sits among', async () => {
  const { person } = open(rotorView);
  await person.click(screen.getByRole('tab', { name: 'Instructions' }));
  const pictures = within(await screen.findByRole('region', { name: 'Where it sits' }));
  expect(
    pictures.getByRole('img', { name: 'Brake Rotor, pointed out on a car from the side' }),
  ).toBeVisible();
  expect(
    pictures.getByRole('img', { name: 'Brake Rotor, pointed out among the parts around it' }),
  ).toBeVisible();
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
    open(view);
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
    open(rotorView);
    expect(screen.queryByRole('region', { name: /^From/ })).not.toBeInTheDocument();
  });

  it('can be asked for where one photo was not enough, and of several none alone is cropped', async () => {
    const photo = { blob: new Blob(['x']), name: 'rotor.png' };
    const onAddPhotos = vi.fn();
    const offer = (photos: (typeof photo)[]) => (
      <ScanResult
        view={notSureView}
        photos={photos}
        vehicles={[]}
        onClose={vi.fn()}
        onCrop={vi.fn()}
        onAddPhotos={onAddPhotos}
      />
    );
    const { person, unmount } = renderScreen(offer([photo]));
    expect(screen.getByRole('button', { name: 'Crop and Scan Again' })).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'Add Photos of This Part' }));
    expect(onAddPhotos).toHaveBeenCalledOnce();
    unmount();
    renderScreen(offer([photo, photo]));
    expect(screen.getByRole('button', { name: 'Add Photos of This Part' })).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Crop and Scan Again' })).not.toBeInTheDocument();
  });
});

it('says in words that it is not sure, and what else it could be', () => {
  open(notSureView);
  expect(screen.getByText('Not sure about this one')).toBeVisible();
  expect(
    screen.getByText('Brake Rotor is the closest match. It could also be: Clutch Disc.'),
  ).toBeVisible();
  expect(screen.getByText('Best guess')).toBeVisible();
  expect(screen.getByText('41% match')).not.toHaveClass('bg-accent');
});

it('answers with the category where its parts tie, and names them before the rest', () => {
  open(tieView);
  const answer = within(screen.getByRole('region', { name: 'Probably a brake system part' }));
  expect(answer.getByRole('heading', { name: 'Probably a brake system part' })).toBeVisible();
  expect(answer.getByText('69% sure')).toBeVisible();
  const parts = within(answer.getByRole('list', { name: 'Not sure which one. It could be:' }));
  expect(parts.getAllByRole('listitem').map((part) => part.textContent)).toEqual([
    'Brake Rotor46% match',
    'Brake Drum20% match',
    'Brake Pad3% match',
    'Rim30% match',
  ]);
  // What stands below is about the best guess, and says so.
  expect(screen.getByRole('heading', { name: 'Brake Rotor' })).toBeVisible();
  expect(screen.getByText('Best guess')).toBeVisible();
  expect(screen.queryByText('Not sure about this one')).not.toBeInTheDocument();
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

  it('are named in a list that says how far it can be relied on, beside what tells them apart', () => {
    open(oneOfTwoView);
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
    open({ ...oneOfTwoView, candidateSet });
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
    open(view);
    expect(screen.getByRole('heading', { name: 'Probably a brake system part' })).toBeVisible();
    expect(items('It is one of these three.')).toHaveLength(3);
    expect(screen.queryByText(/It could be:/)).not.toBeInTheDocument();
    expect(answerText(view)).toMatch(
      /It is one of these three: Brake Rotor, Clutch Disc or Brake Drum\.$/,
    );
  });

  it('are promised only of known parts where the photo is unlike them', () => {
    const { identification } = oneOfTwoView;
    open({ ...oneOfTwoView, identification: { ...identification, knownScore: 0.3 } });
    expect(items('If it is a part known here, it is one of these two.')).toHaveLength(2);
  });

  it('are no links where a part has left the catalogue', () => {
    open(
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
      const { unmount } = open(view);
      expect(screen.queryByText(/one of these/)).not.toBeInTheDocument();
      unmount();
      expect(answerText(view)).not.toMatch(/one of these/);
    }
  });
});

it('names no category where nothing is rolled up', () => {
  open(notSureView);
  expect(screen.queryByRole('heading', { name: /^Probably/ })).not.toBeInTheDocument();
});

it('shows on demand what stood behind the answer, as the server gave it', async () => {
  const receipt = { ...rotorView.receipt, modelSha256: 'f3fc'.repeat(16), provider: 'CUDA:1' };
  const { person } = open({ ...rotorView, receipt });
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
    'By the model alone',
    'No need: the model was sure',
    '$0.00',
    'No other machine',
    'decoding 3.0 ms, resizing 1.0 ms, model 8.0 ms',
  ]);
});

it('says that nothing leaves a server of zero egress, unless this photo did', async () => {
  answer('get', '/api/settings', { ...settings, zeroEgress: true });
  const { unmount } = open(rotorView);
  expect(await screen.findByText(/Nothing leaves this server/)).toBeVisible();
  unmount();
  open(judgedView);
  expect(await screen.findByText(/The photo was sent to/)).toBeVisible();
  expect(screen.queryByText(/Nothing leaves this server/)).not.toBeInTheDocument();
});

it('leaves out of an old receipt what was not there yet', () => {
  open({ ...rotorView, receipt: { ...rotorView.receipt, categoryConfidence: null } });
  expect(screen.queryByText('Category named from')).not.toBeInTheDocument();
});

it('says that the photo is unlike what it knows, where the match alone would look sure', () => {
  const { identification } = rotorView;
  open({
    ...rotorView,
    verdict: 'not-sure',
    identification: { ...identification, confidence: 0.95, knownScore: 0.3 },
  });
  expect(
    screen.getByText(/does not look enough like the parts known here to be sure\.$/),
  ).toBeVisible();
  expect(screen.getByText('95% match')).not.toHaveClass('bg-accent');
});

it('names a small chance as one', () => {
  open({
    ...rotorView,
    alternatives: [{ label: 'rim', name: 'Rim', category: 'body', confidence: 0.002 }],
  });
  expect(screen.getByText('<1% match')).toBeVisible();
});

it('cannot buy without suppliers', async () => {
  open(rotorView);
  expect(await screen.findByText('No suppliers found for this part')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Buy Now' })).toBeDisabled();
});

it.each([
  ['is sold out', { inStock: false }],
  ['does not fit', { fits: false }],
])('buys nothing that %s', async (_, facts) => {
  const { unmount } = open(rotorView, [
    supplier({ name: 'Cheap', price: 10, ...facts }),
    supplier({ name: 'Dear', price: 70 }),
  ]);
  await waitFor(() => expect(hrefOf('Buy Now')).toBe('https://dear.example/'));
  unmount();
  open(rotorView, [supplier({ name: 'Cheap', price: 10, ...facts })]);
  await screen.findByRole('heading', { name: 'Cheap' });
  const buy = screen.getByRole('button', { name: 'Buy Now' });
  expect(buy).toBeDisabled();
  expect(buy).toHaveAccessibleDescription(/^Every offer below is out of stock or does not fit/);
});

it.each([
  ['identified', rotorView, true],
  ['not sure', notSureView, false],
])('offers to buy what it has %s, brightly: %o', async (_, view, bright) => {
  open(view, [supplier({ name: 'Shop', price: 10 })]);
  const buy = await screen.findByRole('link', { name: 'Buy Now' });
  expect(buy.classList.contains('bg-accent')).toBe(bright);
});

it('lists suppliers by price and marks an estimate as one', async () => {
  open(rotorView, [
    supplier({ name: 'Guess', price: 9, isEstimate: true }),
    supplier({ name: 'Dear', price: 70, inStock: true }),
    supplier({ name: 'Cheap', price: 64.5, vehicleSpecificUrl: 'https://cheap.example/civic' }),
  ]);
  const cheap = within(await screen.findByRole('article', { name: 'Cheap' }));
  expect(cheap.getByText('Best Price')).toBeVisible();
  expect(cheap.getByRole('link', { name: 'View at Cheap' })).toHaveAttribute(
    'href',
    'https://cheap.example/civic',
  );
  const dear = within(screen.getByRole('article', { name: 'Dear' }));
  expect(dear.getByText('In Stock')).toBeVisible();
  expect(dear.getByText('+$5.50 over best price')).toBeVisible();
  const guess = within(screen.getByRole('article', { name: 'Guess' }));
  expect(guess.getByText('Estimate')).toBeVisible();
  expect(guess.queryByText('Best Price')).not.toBeInTheDocument();
});

it('says where an offer comes from, since when, in which currency, and what is missing', async () => {
  answer('get', '/api/parts/brake-rotor/ai-suppliers', {
    suppliers: [
      supplier({
        name: 'Lee & Sons',
        listedPrice: 45.9,
        currency: 'EUR',
        priceNote: 'EUR 45.90',
        sourceName: 'Spring 2027',
        asOf: '2026-11-20T12:00:00Z',
        fits: true,
      }),
      supplier({ name: 'Shop', source: 'retailer', asOf: null }),
    ],
    sources: [{ source: 'ebay', answered: false, cached: false, asOf: null, failure: 'timed-out' }],
  });
  renderScreen(<ScanResult view={rotorView} photos={[]} vehicles={[civic]} onClose={vi.fn()} />);
  const lee = within(await screen.findByRole('article', { name: 'Lee & Sons' }));
  expect(lee.getAllByText(/EUR.45\.90/)).toHaveLength(1);
  expect(lee.getByText('Price list Spring 2027, as of Nov 20, 2026')).toBeVisible();
  expect(lee.getByText('Fits')).toBeVisible();
  const shop = within(screen.getByRole('article', { name: 'Shop' }));
  expect(shop.getByText('Link to the shop’s search')).toBeVisible();
  expect(shop.getByText('Price on their site')).toBeVisible();
  expect(screen.getByText('eBay did not answer in time.')).toBeVisible();
});

it("falls back to the scan's own suppliers, and never links to a script", async () => {
  refuse('get', '/api/parts/brake-rotor/ai-suppliers', { status: 503, detail: 'Busy.' });
  const own = supplier({ name: 'Own', website: 'javascript:alert(1)' });
  renderScreen(
    <ScanResult
      view={{ ...rotorView, suppliers: [own] }}
      photos={[]}
      vehicles={[civic]}
      onClose={vi.fn()}
    />,
  );
  expect(await screen.findByRole('article', { name: 'Own' })).toBeVisible();
  expect(screen.queryByRole('link', { name: /View/ })).not.toBeInTheDocument();
});

it('asks suppliers for its own vehicle when another is the default by now', async () => {
  const asked = vi.fn();
  server.use(
    http.get('/api/parts/brake-rotor/ai-suppliers', ({ request }) => {
      asked(new URL(request.url).search);
      return HttpResponse.json({ suppliers: [supplier({ name: 'For the Civic' })], sources: [] });
    }),
  );
  const truck = { ...civic, id: 'vehicle-2', make: 'Ford', model: 'F-150', year: 2019 };
  renderScreen(
    <ScanResult
      view={{ ...rotorView, suppliers: [supplier({ name: 'Own' })] }}
      photos={[]}
      vehicles={[truck, { ...civic, isDefault: false }]}
      onClose={vi.fn()}
    />,
  );
  expect(await screen.findByRole('article', { name: 'For the Civic' })).toBeVisible();
  expect(asked).toHaveBeenCalledExactlyOnceWith('?vehicleId=vehicle-1');
});

it('keeps to its own suppliers when its vehicle is gone', async () => {
  const truck = { ...civic, id: 'vehicle-2', make: 'Ford', model: 'F-150', year: 2019 };
  open(
    { ...rotorView, suppliers: [supplier({ name: 'Own' })] },
    [supplier({ name: 'For the truck' })],
    [truck],
  );
  expect(await screen.findByRole('article', { name: 'Own' })).toBeVisible();
  expect(screen.queryByText('For the truck')).not.toBeInTheDocument();
});

it('offers videos as searches', async () => {
  const { person } = open(rotorView);
  await person.click(screen.getByRole('tab', { name: 'Videos' }));
  expect(screen.getByText('intermediate')).toBeVisible();
  expect(hrefOf(/Watch/)).toBe(
    'https://www.youtube.com/results?search_query=2015%20Honda%20Civic%20brake%20rotor',
  );
});

it('says so when there are no videos and no instructions', async () => {
  const { person } = open({
    ...rotorView,
    identification: { ...rotorView.identification, installationVideos: [] },
    part: { ...rotorView.part, installationInstructions: '' },
  });
  await person.click(screen.getByRole('tab', { name: 'Videos' }));
  expect(screen.getByText('No installation videos available for this part')).toBeVisible();
  await person.click(screen.getByRole('tab', { name: 'Instructions' }));
  expect(screen.getByText('No installation instructions available for this part')).toBeVisible();
});

it('shows a step and a tool that stand twice in the instructions twice', async () => {
  const warned = vi.spyOn(console, 'error');
  const { person } = open({
    ...rotorView,
    part: {
      ...rotorView.part,
      installationInstructions: '1. Clean it.\n2. Grease it.\n3. Clean it.',
      toolsRequired: 'Wrench, Wrench',
    },
  });
  await person.click(screen.getByRole('tab', { name: 'Instructions' }));
  expect(screen.getAllByText('Clean it.')).toHaveLength(2);
  expect(screen.getAllByText('Wrench')).toHaveLength(2);
  expect(warned).not.toHaveBeenCalled();
});

it('says where to buy', async () => {
  const { person } = open(rotorView);
  await person.click(screen.getByRole('tab', { name: 'Where to Buy' }));
  expect(screen.getByText('$35 - $120')).toBeVisible();
  expect(hrefOf('NAPA')).toContain('napaonline.com');
  expect(hrefOf('Corner Garage')).toContain('Corner%20Garage');
  expect(screen.getByRole('link', { name: 'Search All Suppliers' })).toBeVisible();
});

it('shows the steps, warns of hard work, and folds away', async () => {
  const { person } = open(rotorView);
  await person.click(screen.getByRole('tab', { name: 'Instructions' }));
  expect(screen.getByText('Raise the car.')).toBeVisible();
  expect(screen.getByText('17 mm socket')).toBeVisible();
  expect(screen.getByText('This is hard work')).toBeVisible();
  expect(screen.getByText(/mind your toes/)).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Hide' }));
  expect(screen.queryByText('Raise the car.')).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Show' })).toBeVisible();
});

it('says what the percentage means', () => {
  open(rotorView);
  expect(screen.getByRole('meter', { name: 'How sure' })).toHaveAttribute('aria-valuenow', '94');
  expect(
    screen.getByText('Of 100 answers with this percentage, about 94 are right.'),
  ).toBeVisible();
});

it('shows what a vision-LLM said, what it cost, and that the photo left', () => {
  open(judgedView);
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
  open({
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

it.each([
  ['a sure answer', rotorView, 'Identified: Brake Rotor, 94% match.'],
  ['a close call', notSureView, 'Not sure. Closest: Brake Rotor, 41% match.'],
  ['a tie', tieView, 'Probably a brake system part. Closest: Brake Rotor, 46% match.'],
])('says %s in one sentence', (_, view, sentence) => {
  expect(answerText(view)).toBe(sentence);
});
