import { screen, waitFor, within } from '@testing-library/react';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ReturnSheet } from '@/features/batches/components/return-sheet';
import { batch, checked, failNextPage, groupOf, item, serveItems } from '@/testing/batch';
import { readAnew, renderScreen } from '@/testing/render';
import { answer, refuse } from '@/testing/server';

it('prints how sure an answer was only where nobody checked it', async () => {
  answer('get', '/api/batches/batch-1', batch);
  serveItems([item(1), checked(2, 'not-a-part'), checked(3, 'right')]);
  renderScreen(<ReturnSheet id="batch-1" />);
  const [first, second, third] = await screen.findAllByRole('listitem');
  expect(first).toHaveTextContent('1.jpg, 61%');
  expect(second).toHaveTextContent('Not a part');
  expect(second).toHaveTextContent('2.jpg, corrected');
  expect(third).toHaveTextContent('3.jpg, confirmed');
});

it('counts the grades in the order of the scale, and says of what has none that it has none', async () => {
  answer('get', '/api/batches/batch-1', batch);
  answer('get', '/api/grades/scale', { grades: ['A', 'B', 'C'] });
  const graded = (number: number, grade: string) =>
    item(number, { grade: { grade, damage: [], note: '', gradedAt: '2026-11-20T12:00:00Z' } });
  serveItems([graded(1, 'C'), graded(2, 'Old'), graded(3, 'A'), graded(4, 'C'), item(5)]);
  renderScreen(<ReturnSheet id="batch-1" />);
  expect(await screen.findByText(/5 items, 1 graded A, 2 graded C, 1 graded Old$/)).toBeVisible();
  expect(screen.getByText('Not graded')).toBeInTheDocument();
});

it('prints the grade of an item whose first photo has no answer', async () => {
  answer('get', '/api/batches/batch-1', batch);
  const group = groupOf(1, 2);
  const photos = group.photos.map((photo, at) => (at === 0 ? { ...photo, scan: null } : photo));
  const grade = { grade: 'B', damage: ['Bent'], note: 'One ear', gradedAt: '2026-11-20T12:00:00Z' };
  const failed = { state: 'failed' as const, scan: null, problem: 'Not a photo.' };
  serveItems([item(1, { ...failed, group: { ...group, photos }, grade })]);
  renderScreen(<ReturnSheet id="batch-1" />);
  const line = await screen.findByRole('listitem');
  for (const text of ['Brake Rotor', 'B', 'Bent', 'One ear']) expect(line).toHaveTextContent(text);
});

it('draws its photos as they come into view, and has all of them for the paper', async () => {
  answer('get', '/api/batches/batch-1', batch);
  serveItems(
    [item(1), item(2)].map((one) => ({
      ...one,
      scan: one.scan && { ...one.scan, thumbnailUrl: `/api/scans/${one.id}/thumbnail` },
    })),
  );
  const decoded: string[] = [];
  HTMLImageElement.prototype.decode = function () {
    decoded.push(this.loading);
    return decoded.length === 1 ? Promise.reject(new Error('gone')) : Promise.resolve();
  };
  const print = vi.spyOn(window, 'print').mockImplementation(() => undefined);
  // The document, which other tests share, has no such function.
  onTestFinished(() => void Reflect.deleteProperty(HTMLImageElement.prototype, 'decode'));
  const { person, container } = renderScreen(<ReturnSheet id="batch-1" />);
  const button = await screen.findByRole('button', { name: 'Print' });
  const pictures = [...container.querySelectorAll('img')];
  expect(pictures).toHaveLength(2);
  for (const picture of pictures) expect(picture).toHaveAttribute('loading', 'lazy');
  await person.click(button);
  await waitFor(() => expect(print).toHaveBeenCalledOnce());
  expect(decoded).toEqual(['eager', 'eager']);
});

it('stays where it cannot be read anew', async () => {
  answer('get', '/api/batches/batch-1', batch);
  serveItems([item(1)]);
  const { queryClient } = renderScreen(<ReturnSheet id="batch-1" />);
  expect(await screen.findByRole('listitem')).toBeVisible();
  refuse('get', '/api/batches/batch-1/items', { status: 503, detail: 'Busy.' });
  await readAnew(queryClient);
  expect(screen.getByRole('listitem')).toBeVisible();
});

it('says that the rest of the photos did not come, and prints once it has', async () => {
  answer('get', '/api/batches/batch-1', batch);
  const asked = failNextPage([item(1)]);
  const { person } = renderScreen(<ReturnSheet id="batch-1" />);
  expect(await screen.findByText('The rest could not be loaded')).toBeVisible();
  expect(screen.getByText('1.jpg')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Print' })).toBeDisabled();
  expect(asked).toHaveBeenCalledOnce();
  serveItems([item(2)]);
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText('2.jpg')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Print' })).toBeEnabled();
});

it('leads to the whole photos that are kept as evidence', async () => {
  answer('get', '/api/batches/batch-1', batch);
  const whole = (number: number) => {
    const { scan, ...rest } = item(number);
    return { ...rest, scan: scan && { ...scan, photoUrl: `/api/scans/scan-${number}/photo` } };
  };
  const group = groupOf(2, 3, 4);
  const photos = group.photos.map((photo, at) =>
    at === 1 ? photo : { ...photo, ...whole(at + 2) },
  );
  serveItems([whole(1), item(2, { group: { ...group, photos } }), item(5)]);
  renderScreen(<ReturnSheet id="batch-1" />);
  const lines = await screen.findAllByRole('listitem');
  const links = lines.map((line) =>
    within(line)
      .queryAllByRole('link')
      .map((link) => [link.textContent, link.getAttribute('href')]),
  );
  expect(links).toEqual([
    [['Whole Photo of 1.jpg', '/api/scans/scan-1/photo']],
    [
      ['Whole Photo 1 of 2.jpg', '/api/scans/scan-2/photo'],
      ['Whole Photo 2 of 4.jpg', '/api/scans/scan-4/photo'],
    ],
    [],
  ]);
});
