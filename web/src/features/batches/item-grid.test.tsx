import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it, onTestFinished, vi } from 'vitest';
import { BatchItems } from '@/features/batches/components/batch-items';
import {
  batch,
  checked,
  failNextPage,
  groupOf,
  item,
  items,
  noteFeedback,
  openBatch,
  serveItems,
} from '@/testing/batch';
import { afterScanner, scanCode } from '@/testing/scanner';
import { renderScreen } from '@/testing/render';
import { note } from '@/testing/server';

it('tells what was confirmed from what was corrected', async () => {
  const { grid } = await openBatch([item(1), checked(2, 'right'), checked(3, 'other-part')]);
  const option = (name: RegExp) => within(grid).getByRole('option', { name });
  expect(option(/\b1\.jpg/)).not.toHaveTextContent(/Confirmed|Corrected/);
  expect(option(/\b2\.jpg/)).toHaveTextContent('Confirmed');
  expect(option(/\b3\.jpg/)).toHaveTextContent('Corrected');
});

it('says to those who listen how sure each answer is, or that it was checked', async () => {
  const { scan } = item(2);
  const sure = scan && { ...scan, verdict: 'identified' as const, confidence: 0.98 };
  const pair = { ...item(5), group: groupOf(5, 6) };
  const list = [item(1), item(2, { scan: sure }), checked(3, 'right'), checked(4, 'other-part')];
  const { grid } = await openBatch([...list, pair]);
  const options = within(grid).getAllByRole('option');
  expect(options.map((option) => option.getAttribute('aria-label'))).toEqual([
    'Brake Rotor 1.jpg, 61% match, not sure',
    'Brake Rotor 2.jpg, 98% match, identified',
    'Brake Rotor 3.jpg, confirmed',
    'Rim 4.jpg, corrected',
    'Brake Rotor 5.jpg, 70% match, not sure, 2 photos of one item',
  ]);
});

it('is used by keyboard: arrows, Space and a key an answer', async () => {
  const sent = noteFeedback(2);
  const { person, grid } = await openBatch(items);
  grid.focus();
  await person.keyboard('{ArrowRight} r');
  await waitFor(() => expect(sent).toHaveBeenCalledWith({ answer: 'right' }));
  expect(await screen.findByText('1 photo confirmed.')).toBeVisible();
});

it('keeps the photo of the keyboard in the window when what can be done with it comes above', async () => {
  const { person, grid } = await openBatch(items);
  grid.focus();
  await person.keyboard('{ArrowRight}');
  const follow = vi.spyOn(Element.prototype, 'scrollIntoView');
  await person.keyboard(' ');
  expect(screen.getByRole('group', { name: 'Correct the chosen photos' })).toBeVisible();
  const option = within(grid).getByRole('option', { selected: true });
  expect(follow.mock.contexts).toContain(option);
});

it('names to those who listen the photo that the keyboard is at, while it is drawn', async () => {
  const many = Array.from({ length: 100 }, (_, at) => item(at + 1));
  const { person, grid } = await openBatch(many);
  grid.focus();
  await person.keyboard('{ArrowRight}');
  const named = () => document.getElementById(grid.getAttribute('aria-activedescendant') ?? '');
  expect(named()).toHaveAccessibleName(/\b2\.jpg/);
  fireEvent.scroll(grid, { target: { scrollTop: 4000 } });
  expect(screen.queryByRole('option', { name: /\b2\.jpg/ })).not.toBeInTheDocument();
  expect(grid).not.toHaveAttribute('aria-activedescendant');
});

it('has rows as high as the text is large, and draws those in view', async () => {
  document.documentElement.style.fontSize = '32px';
  onTestFinished(() => document.documentElement.removeAttribute('style'));
  const { grid } = await openBatch(Array.from({ length: 100 }, (_, at) => item(at + 1)));
  const [first] = within(grid).getAllByRole('option');
  expect(first).toHaveStyle({ height: '13rem' });
  // 416 pixels each: the tenth row is in view, four to a row.
  fireEvent.scroll(grid, { target: { scrollTop: 3744 } });
  expect(within(grid).getByRole('option', { name: /\b37\.jpg/ })).toBeVisible();
});

it('keeps the frame at its photo where answers change the order, and near its place once it is gone', async () => {
  const { person, grid } = await openBatch([item(1), item(2), item(3), item(4)]);
  const framed = () => document.getElementById(grid.getAttribute('aria-activedescendant') ?? '');
  // Any change reads the photos anew.
  note('post', '/api/batches/batch-1/groups/propose', { groups: 0 });
  const readAnew = async (...numbers: number[]) => {
    serveItems(numbers.map((number) => item(number)));
    await person.click(screen.getByRole('button', { name: 'Group Photos of One Item' }));
    await waitFor(() =>
      expect(within(grid).getAllByRole('option')[0]).toHaveAccessibleName(
        new RegExp(` ${numbers[0]}\\.jpg`),
      ),
    );
  };
  grid.focus();
  await readAnew(4, 1, 2, 3);
  expect(framed()).toHaveAccessibleName(/\b1\.jpg/);
  grid.focus();
  await person.keyboard('{ArrowRight}');
  await readAnew(3, 4, 1, 2);
  expect(framed()).toHaveAccessibleName(/\b2\.jpg/);
  await readAnew(4, 3, 1);
  expect(framed()).toHaveAccessibleName(/\b1\.jpg/);
});

it('chooses by touch one after the other, and says where there is no answer to correct', async () => {
  const { person, grid } = await openBatch(items);
  const tap = (name: RegExp) =>
    person.pointer([{ keys: '[TouchA]', target: within(grid).getByRole('option', { name }) }]);
  await tap(/\b3\.jpg/);
  expect(screen.getByText(/^This photo has no answer to correct\. Try/)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Right' })).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Discard' })).toBeVisible();
  await tap(/\b1\.jpg/);
  expect(screen.getByRole('combobox', { name: 'What 1 photo shows' })).toBeVisible();
  await tap(/\b2\.jpg/);
  expect(screen.getByRole('combobox', { name: 'What 2 photos show' })).toBeVisible();
  await tap(/\b2\.jpg/);
  expect(within(grid).getAllByRole('option', { selected: true })).toHaveLength(2);
});

it('says what to do where a key is pressed and no photo is chosen', async () => {
  const sent = noteFeedback(1);
  const { person, grid } = await openBatch(items);
  grid.focus();
  await person.keyboard('x');
  await afterScanner();
  expect(screen.queryByText('No photo is chosen')).not.toBeInTheDocument();
  await person.keyboard('r');
  expect(await screen.findByText('No photo is chosen')).toBeVisible();
  expect(sent).not.toHaveBeenCalled();
});

it.each(['r', 'n', '1', 't', 'g'])(
  'says why the key %s does nothing to photos without an answer, and what to do instead',
  async (key) => {
    const noPart = item(4, { state: 'not-a-part', scan: null, problem: 'No part was found.' });
    const { person, grid } = await openBatch([...items, noPart]);
    grid.focus();
    await person.keyboard(`{End}{Shift>}{ArrowLeft}{/Shift}${key}`);
    const notice = within(await screen.findByRole('region', { name: /Notifications/ }));
    expect(await notice.findByText('These 2 photos have no answer to correct')).toBeVisible();
    expect(notice.getByText(/^Try what failed .* is taught with its photo/)).toBeVisible();
    expect(screen.queryByRole('dialog')).toBeNull();
  },
);

it.each([
  ['s', 'There is nothing to split'],
  ['j', 'One alone cannot be joined'],
  ['9', 'No part has the number 9'],
])('says why the key %s does nothing to one photo', async (key, why) => {
  const { person, grid } = await openBatch(items);
  grid.focus();
  await person.keyboard(` ${key}`);
  expect(await screen.findByText(why)).toBeVisible();
});

it('says how many photos one item may have', async () => {
  const six = [1, 2, 3, 4, 5, 6].map((number) => item(number));
  const { person, grid } = await openBatch(six);
  grid.focus();
  await person.keyboard('{Control>}a{/Control}j');
  expect(await screen.findByText('One item has at most 5 photos')).toBeVisible();
});

it('does nothing to the chosen photos where a barcode scanner types', async () => {
  const sent = noteFeedback(1);
  const discarded = note('post', '/api/batches/batch-1/discard', undefined, 204);
  const { person, grid } = await openBatch(items);
  grid.focus();
  await person.keyboard(' ');
  scanCode(grid, 'NR1D-TG');
  await afterScanner();
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(sent).not.toHaveBeenCalled();
  expect(discarded).not.toHaveBeenCalled();
  await person.keyboard('r');
  await waitFor(() => expect(sent).toHaveBeenCalledExactlyOnceWith({ answer: 'right' }));
});

it('asks for a next page that failed only when a person does', async () => {
  const asked = failNextPage([item(1)]);
  const { person } = renderScreen(<BatchItems batch={batch} />);
  expect(await screen.findByText('The rest could not be loaded')).toBeVisible();
  fireEvent.scroll(screen.getByRole('listbox'));
  expect(asked).toHaveBeenCalledOnce();
  serveItems([item(2)]);
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByRole('option', { name: /\b2\.jpg/ })).toBeVisible();
  expect(screen.queryByText('The rest could not be loaded')).toBeNull();
});
