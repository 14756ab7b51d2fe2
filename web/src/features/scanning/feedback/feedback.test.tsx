import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { FeedbackPanel } from '@/features/scanning/feedback/components/feedback-panel';
import { foundPart, readPart } from '@/testing/fixtures';
import { hrefOf, renderLeavable, renderScreen, typeAtOnce } from '@/testing/render';
import { answer, note, refuse, refuseLater, server } from '@/testing/server';

const right: Schemas['ScanFeedback'] = {
  answer: 'right',
  label: 'brake-rotor',
  name: 'Brake Rotor',
  referenceId: null,
  changedAt: '2026-11-22T09:00:00Z',
};
const caliper = { ...right, answer: 'other-part' as const, label: 'brake-caliper' };

const open = (feedback: Schemas['ScanFeedback'] | null = null) =>
  renderScreen(<FeedbackPanel scanId="scan-1" partName="Brake Rotor" feedback={feedback} />);

function takeAnswers(given: Partial<Schemas['GivenScanFeedback']>) {
  return note('post', '/api/scans/scan-1/feedback', { feedback: right, notTaught: null, ...given });
}

it('takes one click for a right answer, and says that it teaches', async () => {
  const sent = takeAnswers({ feedback: { ...right, referenceId: 'ref-1' } });
  const { person } = open();
  await person.click(screen.getByRole('button', { name: 'Right' }));
  expect(await screen.findByText(/now also teaches the scanner/)).toBeVisible();
  expect(sent).toHaveBeenCalledWith({ answer: 'right' });
  expect(screen.getByText('You said that it is right: Brake Rotor.')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Right' })).toHaveAttribute('aria-pressed', 'true');
  expect(hrefOf('See the photos of Brake Rotor')).toBe('/shop/taught/brake-rotor');
});

it('says why a scan did not become a photo of the part', async () => {
  takeAnswers({ notTaught: 'The scan was made with another model.' });
  const { person } = open();
  await person.click(screen.getByRole('button', { name: 'Right' }));
  expect(await screen.findByText('The scan was made with another model.')).toBeVisible();
});

it('finds another part by words, and chooses it by keyboard alone', async () => {
  const sent = takeAnswers({ feedback: { ...caliper, name: 'Brake Caliper' } });
  const asked = vi.fn();
  server.use(
    http.get('/api/parts/search', ({ request }) => {
      asked(new URL(request.url).searchParams.get('q'));
      return HttpResponse.json([
        foundPart({ id: 'brake-pad', label: 'brake-pad', name: 'Brake Pad', modelKnows: false }),
        foundPart(),
        foundPart({
          id: 'part-1',
          kind: 'part',
          name: 'Caliper, left',
          number: 'C-7',
          brand: 'ATE',
        }),
      ]);
    }),
  );
  const { person } = open();
  await person.click(screen.getByRole('button', { name: 'It is something else' }));
  const box = screen.getByRole('combobox', { name: 'Which part is it?' });
  expect(box).toHaveFocus();
  typeAtOnce(box, 'caliper');
  const list = await screen.findByRole('listbox');
  expect(asked.mock.calls).toEqual([['caliper']]);
  expect(within(list).getAllByText('Scanner knows it')).toHaveLength(2);
  expect(within(list).getByText('ATE C-7')).toBeVisible();
  await person.keyboard('{ArrowDown}{ArrowDown}');
  expect(screen.getByRole('option', { selected: true })).toHaveTextContent('Brake Caliper');
  await person.keyboard('{Enter}');
  expect(await screen.findByText('You said that it is another part: Brake Caliper.')).toBeVisible();
  await waitFor(() =>
    expect(sent).toHaveBeenCalledWith({ answer: 'other-part', label: 'brake-caliper' }),
  );
});

it('says what to do when nothing is found, or the search fails', async () => {
  answer('get', '/api/parts/search', []);
  const { person } = open();
  await person.click(screen.getByRole('button', { name: 'It is something else' }));
  await person.keyboard('zzz');
  expect(await screen.findByText(/Nothing found for “zzz”/)).toBeVisible();
  refuse('get', '/api/parts/search', { status: 503, detail: 'Busy. Wait a bit.' });
  await person.keyboard('q');
  expect(await screen.findByText('Busy. Wait a bit.')).toBeVisible();
});

it('shows what was said before, changes it, and deletes it', async () => {
  const sent = takeAnswers({
    feedback: { ...right, answer: 'not-a-part', label: null, name: null },
  });
  const removed = note('delete', '/api/scans/scan-1/feedback');
  const { person } = open({ ...caliper, name: 'Brake Caliper' });
  expect(screen.getByText('You said that it is another part: Brake Caliper.')).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Not a part' }));
  expect(await screen.findByText('You said that the photo shows no part.')).toBeVisible();
  const takeBack = screen.getByRole('button', { name: 'Delete my answer' });
  // Until the server has the answer it cannot be taken back.
  await waitFor(() => expect(takeBack).toHaveAttribute('aria-disabled', 'false'));
  expect(sent).toHaveBeenCalledWith({ answer: 'not-a-part' });
  await person.click(takeBack);
  await waitFor(() => expect(removed).toHaveBeenCalledOnce());
  await waitFor(() => expect(screen.queryByText('Deleting...')).not.toBeInTheDocument());
  expect(screen.queryByText(/You said/)).not.toBeInTheDocument();
  expect(screen.getByRole('heading', { name: 'Is it Brake Rotor?' })).toHaveFocus();
});

it('shows an answer before the server has it', async () => {
  server.use(http.post('/api/scans/scan-1/feedback', () => new Promise<never>(() => undefined)));
  const { person } = open();
  const chosen = screen.getByRole('button', { name: 'Right' });
  await person.click(chosen);
  expect(screen.getByText('You said that it is right: Brake Rotor.')).toBeVisible();
  // A disabled button would lose the focus.
  expect(chosen).toHaveFocus();
  expect(chosen).toBeEnabled();
  expect(chosen).toHaveAttribute('aria-disabled', 'true');
  const takeBack = screen.getByRole('button', { name: 'Delete my answer' });
  expect(takeBack).toHaveAttribute('aria-disabled', 'true');
});

it('keeps what stood when an answer cannot be saved', async () => {
  refuse('post', '/api/scans/scan-1/feedback', {
    status: 403,
    detail: 'Only members who scan can do this.',
  });
  const { person } = open();
  await person.click(screen.getByRole('button', { name: 'Right' }));
  expect(await screen.findByText('Only members who scan can do this.')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Right' })).toHaveAttribute('aria-pressed', 'false');
  expect(screen.queryByText(/You said/)).not.toBeInTheDocument();
});

it('has the search with its words again when the other part cannot be saved', async () => {
  answer('get', '/api/parts/search', [foundPart()]);
  const end = refuseLater('post', '/api/scans/scan-1/feedback', { status: 503, detail: 'Busy.' });
  const { person } = open();
  await person.click(screen.getByRole('button', { name: 'It is something else' }));
  await person.keyboard('caliper');
  await screen.findByRole('listbox');
  await person.keyboard('{Enter}');
  expect(screen.queryByRole('combobox')).not.toBeInTheDocument();
  expect(screen.getByRole('heading', { name: 'Is it Brake Rotor?' })).toHaveFocus();
  end();
  expect(await screen.findByText('Busy.')).toBeVisible();
  const box = screen.getByRole('combobox', { name: 'Which part is it?' });
  expect(box).toHaveValue('caliper');
  expect(box).toHaveFocus();
});

it('tells whoever has gone on to the next scan that an answer was not saved', async () => {
  const end = refuseLater('post', '/api/scans/scan-1/feedback', { status: 503, detail: 'Busy.' });
  const { person, leave } = renderLeavable(
    <FeedbackPanel scanId="scan-1" partName="Brake Rotor" feedback={null} />,
  );
  await person.click(screen.getByRole('button', { name: 'Right' }));
  await leave();
  end();
  expect(await screen.findByText('Busy.')).toBeVisible();
});

describe('the search for the part that it is', () => {
  const line: Schemas['ScanReadLine'] = {
    text: 'BOSCH',
    readAs: null,
    code: null,
    kind: 'brand',
    number: null,
    brand: 'Bosch',
    confidence: 0.9,
    photo: 0,
    corners: [],
  };
  const rotor = foundPart({ kind: 'part', number: '0986479R51', name: 'Rotor, left' });

  /** Opens the search on a scan with these lines; the server finds by each text what stands here. */
  async function openRead(
    reading: Partial<Schemas['ScanReading']>,
    finds: Record<string, Schemas['FoundPartItem'][]> = {},
    found = Promise.resolve(),
  ) {
    const asked: (string | null)[] = [];
    server.use(
      http.get('/api/parts/search', async ({ request }) => {
        const text = new URL(request.url).searchParams.get('q') ?? '';
        asked.push(text);
        await found;
        return HttpResponse.json(finds[text] ?? []);
      }),
    );
    answer('get', '/api/scans/scan-1/reading', {
      state: 'read',
      lines: [],
      parts: [],
      readAt: null,
      ...reading,
    });
    const { person, queryClient } = open();
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    await person.click(screen.getByRole('button', { name: 'It is something else' }));
    return { person, queryClient, asked, box: screen.getByRole<HTMLInputElement>('combobox') };
  }

  it('begins with the number that was read, to be typed over', async () => {
    const { person, box } = await openRead(
      { lines: [line], parts: [{ ...readPart, read: 'O986479R51' }] },
      { '0986479R51': [rotor] },
    );
    await waitFor(() => expect(box).toHaveValue('0986479R51'));
    expect(await screen.findByRole('option', { name: /Rotor, left/ })).toBeVisible();
    await person.keyboard('rim');
    expect(box).toHaveValue('rim');
    // Opened again it begins again.
    const toggle = screen.getByRole('button', { name: 'It is something else' });
    await person.click(toggle);
    await person.click(toggle);
    await waitFor(() => expect(screen.getByRole('combobox')).toHaveValue('0986479R51'));
    await person.keyboard('r');
    expect(screen.getByRole('combobox')).toHaveValue('r');
  });

  it('takes the surest text that names a part, and a word only where the part is called so', async () => {
    const number = { ...line, kind: 'part-number' as const, text: 'N 111', number: 'N111' };
    const lines = [
      line,
      { ...line, kind: 'word' as const, text: 'MADE IN ITALY', brand: null },
      { ...number, confidence: 0.6 },
      { ...number, text: 'N 222', number: 'N222', confidence: 0.8 },
    ];
    const own = foundPart({ kind: 'part', name: 'Caliper', brand: 'Bosch' });
    const { asked, box } = await openRead({ lines }, { Bosch: [own] });
    await waitFor(() => expect(box).toHaveValue('Bosch'));
    expect(asked.slice(0, 3)).toEqual(['N222', 'N111', 'Bosch']);
  });

  it.each<[string, Partial<Schemas['ScanReading']>, string[]]>([
    ['nothing was read', { state: 'off' }, []],
    ['a word is no more than two letters', { lines: [{ ...line, kind: 'word', text: 'Br' }] }, []],
    ['a word is found in what is said of a part only', { lines: [line] }, ['Bosch']],
  ])('begins empty where %s', async (_, reading, texts) => {
    const finds = { Bosch: [foundPart()], Br: [foundPart()] };
    const { queryClient, asked, box } = await openRead(reading, finds);
    await waitFor(() => expect(asked).toEqual(texts));
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    expect(box).toHaveValue('');
  });

  it('leaves what is typed before the number is found', async () => {
    let find: () => void = () => undefined;
    const found = new Promise<void>((resolve) => (find = resolve));
    const finds = { [readPart.number]: [rotor] };
    const { person, box, queryClient } = await openRead({ parts: [readPart] }, finds, found);
    await person.type(box, 'rim');
    find();
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    expect(box).toHaveValue('rim');
  });
});
