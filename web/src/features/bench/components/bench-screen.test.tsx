import 'fake-indexeddb/auto';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { BenchScreen } from '@/features/bench/components/bench-screen';
import type { BenchLine } from '@/features/bench/list/model';
import { keepList } from '@/features/bench/list/store';
import { ada, civic } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';

const line: BenchLine = {
  key: 'key-1',
  number: 1,
  at: 0,
  bin: 'A 1',
  thumb: null,
  partNumber: null,
  answer: {
    state: 'answered',
    scanId: 'scan-1',
    verdict: 'identified',
    isUnlike: false,
    candidates: [{ label: 'brake-rotor', name: 'Brake Rotor', confidence: 0.97 }],
    text: 'Identified: Brake Rotor.',
    said: undefined,
  },
  takenOutAt: null,
};

it('prints the label of a part twice when it is asked for again before the first is done', async () => {
  keepList(ada.id, { lines: [line], bin: '' });
  const print = vi.fn();
  vi.stubGlobal('print', print);
  const { person } = renderScreen(
    <BenchScreen userId={ada.id} vehicle={civic} vehicles={[]} onVehicle={vi.fn()} />,
  );
  const askForLabel = async () => {
    await person.click(screen.getByRole('button', { name: /^Label for part 1/ }));
    const dialog = await screen.findByRole('dialog');
    await person.click(within(dialog).getByRole('button', { name: 'Print' }));
  };
  await askForLabel();
  await waitFor(() => expect(print).toHaveBeenCalledOnce());
  await askForLabel();
  window.dispatchEvent(new Event('afterprint'));
  await waitFor(() => expect(print).toHaveBeenCalledTimes(2));
});

it('types the next bin in the place of the last one', async () => {
  keepList(ada.id, { lines: [], bin: 'BIN-77' });
  const { person } = renderScreen(
    <BenchScreen userId={ada.id} vehicle={civic} vehicles={[]} onVehicle={vi.fn()} />,
  );
  const bin = await screen.findByRole('textbox', { name: 'Bin or order' });
  expect(bin).toHaveValue('BIN-77');
  bin.focus();
  await person.keyboard('C-12{Enter}');
  expect(await screen.findByRole('textbox', { name: 'Bin or order' })).toHaveValue('C-12');
});

it('lets a button that has the focus be pressed by a person, and not by the Enter of a scanner', async () => {
  keepList(ada.id, { lines: [line], bin: '' });
  const { person } = renderScreen(
    <BenchScreen userId={ada.id} vehicle={civic} vehicles={[]} onVehicle={vi.fn()} />,
  );
  const button = screen.getByRole('button', { name: /^Label for part 1/ });
  button.focus();
  // Focused by keyboard, which jsdom does not tell.
  const matches = button.matches.bind(button);
  button.matches = (selector: string) => selector === ':focus-visible' || matches(selector);
  const pressed = ['A', '7', 'Enter'].map((key) => fireEvent.keyDown(button, { key }));
  // A browser presses the button for an Enter that nothing prevented.
  expect(pressed.at(-1)).toBe(false);
  expect(await screen.findByRole('textbox', { name: 'Bin or order' })).toHaveValue('A7');
  await person.keyboard('{Enter}');
  expect(await screen.findByRole('dialog')).toBeVisible();
});

it('keeps the focus on a line that is taken out of the list, and put back', async () => {
  keepList(ada.id, { lines: [line], bin: '' });
  const { person } = renderScreen(
    <BenchScreen userId={ada.id} vehicle={civic} vehicles={[]} onVehicle={vi.fn()} />,
  );
  const row = within(screen.getByRole('list', { name: /^Parts/ })).getByRole('listitem');
  await person.click(within(row).getByRole('button', { name: /^Take out part 1/ }));
  expect(row).toHaveFocus();
  await person.click(within(row).getByRole('button', { name: /^Put back part 1/ }));
  expect(row).toHaveTextContent('Brake Rotor');
  expect(row).toHaveFocus();
});
