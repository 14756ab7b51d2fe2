import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { LookAlikes } from '@/features/teaching/taught-parts/components/look-alikes';
import { TeachDialog } from '@/features/teaching/taught-parts/components/teach-dialog';
import { TypeList } from '@/features/teaching/taught-parts/components/type-list';
import { hasUnsavedWork } from '@/hooks/unsaved-work';
import type { Photo } from '@/lib/photos/photo';
import { shrinkPhoto } from '@/lib/photos/shrink-photo';
import { foundPart } from '@/testing/fixtures';
import { confirm, hrefOf, renderScreen } from '@/testing/render';
import { answer, note, noteForm, refuse, refuseLater, SIGNED_OUT } from '@/testing/server';

vi.mock('@/lib/photos/shrink-photo', { spy: true });

const reference = (id: string, isOwn = true): Schemas['TaughtReference'] => ({
  id,
  kind: 'enrolled',
  isOwn,
  createdAt: '2026-11-22T09:00:00Z',
  thumbnailUrl: `/api/catalog/references/${id}/thumbnail`,
});

const valve: Schemas['TaughtPartType'] = {
  id: 'egr-valve',
  name: 'EGR valve',
  category: 'engine',
  position: 'exhaust-manifold',
  isShared: false,
  isOwn: true,
  modelKnows: false,
  references: [reference('one'), reference('two')],
  lookAlikes: [],
};

/** What the server asks of a photo that looks like another part. */
const LOOKS_LIKE_RIM = {
  status: 409,
  code: 'looks-alike',
  detail: 'Photo 2 looks more like Rim than like this part.',
  field: 'image',
  resembles: {
    photo: 2,
    id: 'rim',
    name: 'Rim',
    thumbnailUrl: '/api/catalog/references/abc/thumbnail',
    shopParts: [{ id: 'p', number: '17x7', brand: 'BBS', name: null, notes: 'Five spokes.' }],
  },
};

const photos = ['front', 'back'].map(
  (name) => new File([name], `${name}.jpg`, { type: 'image/jpeg' }),
);

async function fill() {
  fireEvent.change(screen.getByLabelText('Add Photos'), { target: { files: photos } });
  expect(await screen.findByRole('button', { name: 'Remove photo 2' })).toBeVisible();
}

/** Opens the lesson of a known part and sends two photos. */
async function teach() {
  const rendered = renderScreen(<TeachDialog known={valve} onClose={vi.fn()} />);
  await fill();
  await rendered.person.click(screen.getByRole('button', { name: 'Teach' }));
  return rendered;
}

it('teaches a part with its name, category and photos', async () => {
  const sent = noteForm('/api/catalog/types', valve);
  const onClose = vi.fn();
  const { person } = renderScreen(<TeachDialog known={null} onClose={onClose} />);
  expect(screen.getByLabelText(/^Name/)).toHaveFocus();
  await person.click(screen.getByRole('button', { name: 'Teach' }));
  expect(screen.getByRole('alert')).toHaveTextContent('Name the part as you call it.');
  await person.type(screen.getByLabelText(/^Name/), 'EGR valve');
  await person.selectOptions(screen.getByLabelText(/^Category/), 'engine');
  await fill();
  await person.click(screen.getByRole('button', { name: 'Teach' }));
  expect(await screen.findByText('Part taught')).toBeVisible();
  expect(onClose).toHaveBeenCalledOnce();
  const form = sent.mock.calls[0]?.[0];
  expect(form?.getAll('image')).toHaveLength(2);
  expect(form?.get('name')).toBe('EGR valve');
  expect(form?.get('category')).toBe('engine');
  expect(form?.get('acceptCollision')).toBe('false');
});

it('asks before Escape throws photos away', async () => {
  const onClose = vi.fn();
  const { person } = renderScreen(<TeachDialog known={valve} onClose={onClose} />);
  await fill();
  await person.keyboard('{Escape}');
  expect(onClose).not.toHaveBeenCalled();
  await confirm(person, 'Keep Editing');
  expect(screen.getByRole('button', { name: 'Remove photo 2' })).toBeVisible();
  await person.keyboard('{Escape}');
  await confirm(person, 'Leave');
  expect(onClose).toHaveBeenCalledOnce();
});

it('teaches nothing and counts as unsaved while photos are prepared', async () => {
  let ready: ((photo: Photo) => void) | undefined;
  vi.mocked(shrinkPhoto).mockReturnValueOnce(new Promise((resolve) => (ready = resolve)));
  const onClose = vi.fn();
  const { person } = renderScreen(<TeachDialog known={valve} onClose={onClose} />);
  const files = photos.slice(0, 1);
  fireEvent.change(screen.getByLabelText('Add Photos'), { target: { files } });
  expect(await screen.findByText('Preparing...')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Teach' })).toBeDisabled();
  expect(hasUnsavedWork()).toBe(true);
  await person.keyboard('{Escape}');
  await confirm(person, 'Keep Editing');
  // A second one that is ready at once, dropped meanwhile.
  fireEvent.drop(screen.getByText('Preparing...'), { dataTransfer: { files } });
  expect(await screen.findByRole('button', { name: 'Remove photo 1' })).toBeVisible();
  expect(screen.getByRole('button', { name: 'Teach' })).toBeDisabled();
  ready?.({ blob: new Blob(['front']), name: 'front.jpg' });
  expect(await screen.findByRole('button', { name: 'Remove photo 2' })).toBeVisible();
  expect(screen.getByRole('button', { name: 'Teach' })).toBeEnabled();
});

it('stays while it teaches, and says in a toast why it did not after it was left', async () => {
  const end = refuseLater('post', '/api/catalog/types/egr-valve/references', LOOKS_LIKE_RIM);
  function Bench() {
    const [left, setLeft] = useState(false);
    return (
      <>
        <button onClick={() => setLeft(true)}>Back</button>
        {!left && <TeachDialog known={valve} onClose={() => setLeft(true)} />}
      </>
    );
  }
  const { person } = renderScreen(<Bench />);
  await fill();
  await person.click(screen.getByRole('button', { name: 'Teach' }));
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  await person.keyboard('{Escape}');
  expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
  // As the browser's own button, which no dialog covers.
  fireEvent.click(screen.getByText('Back'));
  end();
  expect(await screen.findByText(LOOKS_LIKE_RIM.detail)).toBeVisible();
});

it('teaches photos of a part of the shop where one is chosen', async () => {
  const sent = noteForm('/api/catalog/types/egr-valve/references', valve);
  const shopParts = [{ id: 'part-1', title: 'Pierburg 7.22' }];
  const { person } = renderScreen(
    <TeachDialog known={valve} shopParts={shopParts} onClose={vi.fn()} />,
  );
  expect(screen.queryByText(/Only the newest parts are listed/)).not.toBeInTheDocument();
  await fill();
  await person.selectOptions(screen.getByLabelText(/^Part of your shop/), 'Pierburg 7.22');
  await person.click(screen.getByRole('button', { name: 'Teach' }));
  expect(await screen.findByText('Part taught')).toBeVisible();
  expect(sent.mock.calls[0]?.[0].get('partId')).toBe('part-1');
});

it('asks about a photo that looks like another part, and keeps it with one tap', async () => {
  refuse('post', '/api/catalog/types/egr-valve/references', LOOKS_LIKE_RIM);
  const { person } = await teach();
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('Photo 2 looks like Rim. If it does show this part, keep it.');
  expect(alert).toHaveTextContent('BBS 17x7');
  expect(alert).toHaveTextContent('Five spokes.');
  expect(within(alert).getByAltText('Rim')).toHaveAttribute(
    'src',
    '/api/catalog/references/abc/thumbnail',
  );
  const sent = noteForm('/api/catalog/types/egr-valve/references', valve);
  await person.click(screen.getByRole('button', { name: 'Keep It Anyway' }));
  await waitFor(() => expect(sent).toHaveBeenCalled());
  expect(sent.mock.calls[0]?.[0].get('acceptCollision')).toBe('true');
});

it.each([
  ['looks like another part', LOOKS_LIKE_RIM, 'Remove Photo 2'],
  [
    'is refused',
    { status: 422, detail: 'Photo 1 shows nothing but one colour.' },
    'Remove Photo 1',
  ],
])('takes a photo out that %s', async (_, refusal, name) => {
  refuse('post', '/api/catalog/types/egr-valve/references', refusal);
  const { person } = await teach();
  await person.click(await screen.findByRole('button', { name }));
  expect(screen.getAllByRole('button', { name: /^Remove photo/ })).toHaveLength(1);
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

it('lists the look-alikes of a part and takes the mark off', async () => {
  const lookAlike = (id: string, isOwn: boolean): Schemas['LookAlike'] => ({
    id,
    name: id.toUpperCase(),
    category: 'body',
    isOwn,
    markedAt: '2026-11-22T09:00:00Z',
    shopParts: [{ id: 'p', number: '17x7', brand: null, name: null, notes: null }],
  });
  const removed = note('delete', '/api/catalog/types/egr-valve/look-alikes/rim');
  const lookAlikes = [lookAlike('rim', true), lookAlike('hub', false)];
  const { person } = renderScreen(
    <LookAlikes id="egr-valve" name="EGR valve" lookAlikes={lookAlikes} />,
  );
  const list = within(screen.getByRole('list', { name: 'Look-alikes' }));
  expect(list.getByRole('link', { name: 'RIM' })).toHaveAttribute('href', '/shop/taught/rim');
  expect(list.getAllByText('17x7')).toHaveLength(2);
  expect(list.queryByRole('button', { name: 'Remove the look-alike HUB' })).not.toBeInTheDocument();
  await person.click(list.getByRole('button', { name: 'Remove the look-alike RIM' }));
  await person.click(screen.getByRole('button', { name: 'Remove' }));
  await waitFor(() => expect(removed).toHaveBeenCalledOnce());
});

it('shows nothing of look-alikes where there are none', () => {
  renderScreen(<LookAlikes id="egr-valve" name="EGR valve" lookAlikes={[]} />);
  expect(screen.queryByText('Look-alikes')).not.toBeInTheDocument();
});

it('gives the focus of the last photo, taken out, to the way to add one', async () => {
  const { person } = renderScreen(<TeachDialog known={valve} onClose={vi.fn()} />);
  await fill();
  await person.click(screen.getByRole('button', { name: 'Remove photo 2' }));
  expect(screen.getByLabelText('Add Photos')).toHaveFocus();
});

it('takes five photos and says so of the sixth, and names what is no photo', async () => {
  renderScreen(<TeachDialog known={valve} onClose={vi.fn()} />);
  const text = new File(['EGR valve'], 'notes.txt', { type: 'text/plain' });
  const files = [...photos, ...photos, text, ...photos];
  fireEvent.change(screen.getByLabelText('Add Photos'), { target: { files } });
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('notes.txt: This is not a photo:');
  expect(alert).toHaveTextContent('A lesson takes 5 photos.');
  expect(screen.getAllByRole('button', { name: /^Remove photo/ })).toHaveLength(5);
});

it('lists the taught parts', async () => {
  answer('get', '/api/catalog/types', [valve]);
  renderScreen(<TypeList onTeach={vi.fn()} />);
  const link = await screen.findByRole('link', { name: /EGR valve/ });
  expect(link).toHaveAttribute('href', '/shop/taught/egr-valve');
  expect(link).toHaveTextContent('2 photos');
});

it('invites to teach where nothing was taught', async () => {
  answer('get', '/api/catalog/types', []);
  const onTeach = vi.fn();
  const { person } = renderScreen(<TypeList onTeach={onTeach} />);
  await person.click(await screen.findByRole('button', { name: 'Teach a Part' }));
  expect(onTeach).toHaveBeenCalledOnce();
});

it('keeps a lesson with its photos over a session that ended', async () => {
  refuse('post', '/api/catalog/types', SIGNED_OUT);
  const before = renderScreen(<TeachDialog known={null} onClose={vi.fn()} />);
  await before.person.type(screen.getByLabelText(/^Name/), 'EGR valve');
  await before.person.selectOptions(screen.getByLabelText(/^Category/), 'engine');
  await fill();
  await before.person.click(screen.getByRole('button', { name: 'Teach' }));
  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
  before.unmount();
  const after = renderScreen(<TeachDialog known={null} onClose={vi.fn()} />);
  expect(await screen.findByRole('button', { name: 'Remove photo 2' })).toBeVisible();
  expect(screen.getByLabelText(/^Name/)).toHaveValue('EGR valve');
  expect(screen.getByLabelText(/^Category/)).toHaveValue('engine');
  after.unmount();
  renderScreen(<TeachDialog known={null} onClose={vi.fn()} />);
  expect(screen.getByLabelText(/^Name/)).toHaveValue('');
});

it('leads to the part that has the name already', async () => {
  refuse('post', '/api/catalog/types', {
    status: 409,
    detail: 'There is a part of this name already.',
    field: 'name',
  });
  answer('get', '/api/parts/search', [
    foundPart({ id: 'rim', label: 'rim', name: 'Rim' }),
    foundPart({ id: 'rim-cap', label: 'rim-cap', name: 'Rim cap' }),
  ]);
  const { person } = renderScreen(<TeachDialog known={null} onClose={vi.fn()} />);
  await fill();
  await person.type(screen.getByLabelText(/Name/), 'rim');
  await person.selectOptions(screen.getByLabelText(/Category/), 'engine');
  await person.click(screen.getByRole('button', { name: 'Teach' }));
  expect(await screen.findByRole('link', { name: 'See Rim' })).toBeVisible();
  expect(hrefOf('See Rim')).toBe('/shop/taught/rim');
});
