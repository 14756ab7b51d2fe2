import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { SeveralParts } from '@/features/scanning/regions/components/several-parts';
import { isLeavingGuarded } from '@/lib/leave-guard';
import { foundPart, rimRegion, rotorView } from '@/testing/fixtures';
import { confirm, hrefOf, readAnew, renderScreen } from '@/testing/render';
import { openScanResult } from '@/testing/scan-result';
import { answer, refuse, server } from '@/testing/server';
import { SHRUNK, withShrinkWorker } from '@/testing/shrink-worker';

const PATH = '/api/scans/scan-1/regions';

const region = (number: number, facts: Partial<Schemas['ScanRegion']> = {}) => ({
  ...rimRegion,
  number,
  area: { left: 0.1 + 0.4 * (number - 1), top: 0.2, width: 0.3, height: 0.4 },
  ...facts,
});

const total = (facts: Partial<Schemas['RegionTotal']> = {}): Schemas['RegionTotal'] => ({
  label: 'rim',
  name: 'Rim',
  count: 2,
  unsureCount: 0,
  ...facts,
});

const two: Schemas['RegionsOfScan'] = {
  isLookedFor: true,
  regions: [
    region(1),
    region(2, {
      verdict: 'not-sure',
      confidence: 0.5,
      alternatives: [{ label: 'hub-cap', name: 'Hub Cap', category: 'body', confidence: 0.3 }],
    }),
  ],
  totals: [total({ unsureCount: 1 })],
  changedAt: '2026-11-21T10:00:00Z',
};

const none: Schemas['RegionsOfScan'] = {
  isLookedFor: false,
  regions: [],
  totals: [],
  changedAt: null,
};

const photo = { blob: new Blob(['photo'], { type: 'image/jpeg' }), name: 'shelf.jpg' };

/** Answers what is sent with `body`, and notes the boxes and whether a photo came along. */
function noteForm(body: Schemas['RegionsOfScan']) {
  const sent = vi.fn<(form: { regions: unknown; hasPhoto: boolean }) => void>();
  server.use(
    http.put(PATH, async ({ request }) => {
      const text = await request.text();
      const list = /name="regions"\r\n\r\n(.*)\r\n/.exec(text)?.[1];
      sent({
        regions: list === undefined ? null : JSON.parse(list),
        hasPhoto: text.includes('name="image"'),
      });
      // Whatever is saved is asked for anew.
      answer('get', PATH, body);
      return HttpResponse.json(body);
    }),
  );
  return sent;
}

async function open(sent: typeof photo | null = photo) {
  const view = { ...rotorView, id: 'scan-1', thumbnailUrl: '/api/scans/scan-1/thumbnail' };
  const { person, ...rest } = renderScreen(<SeveralParts view={view} photo={sent} />);
  await person.click(screen.getByRole('button', { name: 'Several parts in this picture?' }));
  const panel = within(await screen.findByRole('region', { name: 'Parts in this picture' }));
  return { person, panel, ...rest };
}

it('has the parts looked for where nobody did, and lists them with totals', async () => {
  answer('get', PATH, none);
  const sent = noteForm(two);
  const { panel } = await open();
  expect(await panel.findByText('2 parts were found: 2 × Rim (1 unsure).')).toBeVisible();
  expect(sent).toHaveBeenCalledExactlyOnceWith({ regions: null, hasPhoto: true });
  expect(panel.getAllByRole('button', { name: /^Box/ }).map((box) => box.ariaLabel)).toEqual([
    'Box 1: Rim',
    'Box 2: Rim',
  ]);
  const [first, second] = panel.getAllByRole('listitem');
  expect(first).toHaveTextContent('91% match');
  expect(second).toHaveTextContent('Not sure, 50%');
  expect(second).toHaveTextContent('Or Hub Cap');
  expect(hrefOf('Details of box 1, Rim')).toBe('/parts/body?part=rim');
  const table = panel.getByRole('link', { name: 'Save as CSV' });
  expect(decodeURIComponent(table.getAttribute('href') ?? '')).toContain('1,Rim,rim,identified');
});

it('moves, resizes and adds boxes with keys, and looks at what changed alone', async () => {
  answer('get', PATH, two);
  const { person, panel } = await open();
  const box = await panel.findByRole('button', { name: 'Box 1: Rim' });
  expect(panel.queryByRole('button', { name: /Changed/ })).toBeNull();
  box.focus();
  expect(panel.getByText(/^2 parts were found/)).toBeVisible();
  await person.keyboard('{ArrowRight}{ArrowDown}{Shift>}{ArrowLeft}{/Shift}');
  // What was found is not where it was.
  expect(panel.queryByText(/were found/)).toBeNull();
  expect(
    panel.getByText('Box 1: 12% from the left, 22% from the top; 28% wide, 40% high.'),
  ).toHaveAttribute('role', 'status');
  expect(panel.getByRole('button', { name: 'Box 1: not answered yet' })).toHaveFocus();
  await person.click(panel.getByRole('button', { name: 'Add Box' }));
  const sent = noteForm({ ...two, changedAt: '2026-11-21T10:01:00Z' });
  await person.click(panel.getByRole('button', { name: 'Look at 2 Changed Boxes' }));
  await waitFor(() => expect(panel.queryByRole('button', { name: /Changed/ })).toBeNull());
  // The pressed button is gone.
  const heading = panel.getByRole('heading', { name: 'Parts in this picture' });
  await waitFor(() => expect(heading).toHaveFocus());
  const [call] = sent.mock.calls;
  expect(call?.[0].hasPhoto).toBe(true);
  const boxes = call?.[0].regions as { area: Schemas['RegionArea'] }[];
  expect(boxes).toHaveLength(3);
  expect(boxes[0]?.area.left).toBeCloseTo(0.12);
  expect(boxes[0]?.area.top).toBeCloseTo(0.22);
  expect(boxes[0]?.area.width).toBeCloseTo(0.28);
  expect(boxes[1]?.area).toEqual(two.regions[1]?.area);
});

/** jsdom's own pointer events have no place. */
function pointer(target: Element, type: string, [clientX, clientY]: [number, number] = [0, 0]) {
  fireEvent(target, new MouseEvent(`pointer${type}`, { bubbles: true, clientX, clientY }));
}

it('asks before changed boxes are left, and keeps them while the list is closed', async () => {
  answer('get', PATH, two);
  const { person, onClose } = openScanResult({ ...rotorView, id: 'scan-1' });
  const toggle = screen.getByRole('button', { name: 'Several parts in this picture?' });
  await person.click(toggle);
  const remove = { name: 'Delete box 2, Rim' };
  await person.click(await screen.findByRole('button', remove));
  // The router asks by itself.
  expect(isLeavingGuarded()).toBe(true);
  await person.click(toggle);
  expect(screen.queryByRole('button', { name: 'Save Changes' })).not.toBeInTheDocument();
  const close = screen.getByRole('button', { name: 'Close results' });
  await person.click(close);
  await confirm(person, 'Keep Editing');
  expect(onClose).not.toHaveBeenCalled();
  await person.click(toggle);
  expect(screen.getByRole('button', { name: 'Save Changes' })).toBeVisible();
  expect(screen.queryByRole('button', remove)).not.toBeInTheDocument();
  await person.click(close);
  await confirm(person, 'Leave');
  expect(onClose).toHaveBeenCalledOnce();
  expect(isLeavingGuarded()).toBe(false);
});

it('drags a box and its corner', async () => {
  answer('get', PATH, two);
  const { panel } = await open();
  const box = await panel.findByRole('button', { name: 'Box 1: Rim' });
  const frame = box.parentElement;
  if (frame === null) throw new Error('the box lies on nothing');
  frame.getBoundingClientRect = () => new DOMRect(0, 0, 100, 100);
  box.setPointerCapture = vi.fn();
  pointer(box, 'down', [20, 20]);
  pointer(box, 'move', [25, 30]);
  pointer(box, 'up');
  expect(parseFloat(box.style.left)).toBeCloseTo(15);
  expect(parseFloat(box.style.top)).toBeCloseTo(30);
  const corner = box.querySelector('[data-handle]');
  if (corner === null) throw new Error('the box has no corner');
  pointer(corner, 'down', [0, 0]);
  pointer(corner, 'move', [10, 10]);
  pointer(corner, 'up');
  expect(parseFloat(box.style.width)).toBeCloseTo(40);
  expect(parseFloat(box.style.height)).toBeCloseTo(50);
});

it('deletes a box, brings it back, and saves a deletion without the photo', async () => {
  answer('get', PATH, two);
  const { person, panel } = await open();
  (await panel.findByRole('button', { name: 'Box 1: Rim' })).focus();
  await person.keyboard('{Delete}');
  expect(panel.getAllByRole('listitem')).toHaveLength(1);
  await person.click(panel.getByRole('button', { name: 'Undo deleting box 1' }));
  expect(panel.getAllByRole('listitem')).toHaveLength(2);
  expect(panel.queryByRole('button', { name: 'Save Changes' })).toBeNull();
  await person.click(panel.getByRole('button', { name: 'Delete box 2, Rim' }));
  const sent = noteForm({
    ...two,
    regions: [region(1)],
    totals: [],
    changedAt: '2026-11-21T10:02:00Z',
  });
  await person.click(panel.getByRole('button', { name: 'Save Changes' }));
  expect(await panel.findByText('One part was found.')).toBeVisible();
  expect(sent.mock.calls[0]?.[0]).toEqual({
    regions: [{ area: region(1).area, label: null }],
    hasPhoto: false,
  });
});

it('tells those who listen why a save was refused, and no more of what was done before', async () => {
  answer('get', PATH, two);
  const { person, panel } = await open();
  await person.click(await panel.findByRole('button', { name: 'Delete box 2, Rim' }));
  const said = () => panel.getAllByRole('status').map(({ textContent }) => textContent);
  expect(said()).toContain('Box 2, Rim, was deleted.');
  refuse('put', PATH, { status: 422, detail: 'A box is too small.' });
  await person.click(panel.getByRole('button', { name: 'Save Changes' }));
  expect(await panel.findByText('A box is too small.')).toBeVisible();
  expect(panel.getByRole('alert')).toHaveTextContent('The boxes were not saved');
  expect(said()).not.toContain('Box 2, Rim, was deleted.');
});

it('takes the word of a person for what a box shows', async () => {
  answer('get', PATH, two);
  answer('get', '/api/parts/search', [foundPart()]);
  const { person, panel } = await open();
  await person.click(await panel.findByRole('button', { name: 'Correct box 2, Rim' }));
  await person.type(panel.getByRole('combobox', { name: 'Which part is in box 2?' }), 'caliper');
  await person.click(await panel.findByRole('option'));
  const [, second] = panel.getAllByRole('listitem');
  expect(second).toHaveTextContent('By you');
  const sent = noteForm(two);
  await person.click(panel.getByRole('button', { name: 'Save Changes' }));
  await waitFor(() => expect(sent).toHaveBeenCalledOnce());
  expect(sent.mock.calls[0]?.[0].regions).toMatchObject([
    { label: null },
    { label: foundPart().label },
  ]);
});

it('says why nothing was found, and asks for the photo that is not at hand', async () => {
  refuse('get', PATH, { status: 503, detail: 'The server is busy.' });
  const { person, panel } = await open(null);
  expect(await panel.findByText('The server is busy.')).toBeVisible();
  answer('get', PATH, none);
  const sent = noteForm(two);
  await person.upload(
    panel.getByLabelText('To look at new boxes, choose the photo of this scan again'),
    new File(['photo'], 'shelf.jpg', { type: 'image/jpeg' }),
  );
  await person.click(panel.getByRole('button', { name: 'Try Again' }));
  expect(await panel.findByText('2 parts were found: 2 × Rim (1 unsure).')).toBeVisible();
  expect(sent).toHaveBeenCalledExactlyOnceWith({ regions: null, hasPhoto: true });
});

it('sends the photo that is chosen as a JPEG where the server does not read its format', async () => {
  withShrinkWorker();
  refuse('get', PATH, { status: 503, detail: 'The server is busy.' });
  const { person, panel } = await open(null);
  expect(await panel.findByText('The server is busy.')).toBeVisible();
  answer('get', PATH, none);
  const sent = vi.fn();
  server.use(
    http.put(PATH, async ({ request }) => {
      sent(await request.text());
      return HttpResponse.json(two);
    }),
  );
  await person.upload(
    panel.getByLabelText('To look at new boxes, choose the photo of this scan again'),
    new File(['photo'], 'shelf.avif', { type: 'image/avif' }),
  );
  await person.click(panel.getByRole('button', { name: 'Try Again' }));
  await waitFor(() =>
    expect(sent).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(SHRUNK)),
  );
});

it('keeps changed boxes where they cannot be read anew', async () => {
  answer('get', PATH, two);
  const { person, panel, queryClient } = await open();
  await person.click(await panel.findByRole('button', { name: 'Delete box 2, Rim' }));
  refuse('get', PATH, { status: 503, detail: 'The server is busy.' });
  await readAnew(queryClient);
  expect(panel.getByRole('button', { name: 'Save Changes' })).toBeVisible();
  expect(panel.queryByText('The parts were not found')).toBeNull();
});
