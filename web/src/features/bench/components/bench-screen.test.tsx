import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { benchLine, openBench } from '@/testing/bench';
import { afterScanner, scanCode } from '@/testing/scanner';

it('prints the label of a part twice when it is asked for again before the first is done', async () => {
  const print = vi.fn();
  vi.stubGlobal('print', print);
  const { person } = openBench([benchLine(1)]);
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
  const { person } = openBench([], 'BIN-77');
  const bin = await screen.findByRole('textbox', { name: 'Bin or order' });
  expect(bin).toHaveValue('BIN-77');
  bin.focus();
  await person.keyboard('C-12{Enter}');
  expect(await screen.findByRole('textbox', { name: 'Bin or order' })).toHaveValue('C-12');
});

it('has the bin before the tools at its right', () => {
  openBench([]);
  const bin = screen.getByRole('textbox', { name: 'Bin or order' });
  const keys = screen.getByRole('button', { name: 'Keys' });
  expect(bin.compareDocumentPosition(keys)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});

it('leaves the bin as it was where Escape ends the typing', async () => {
  const { person } = openBench([], 'BIN-77');
  const bin = await screen.findByRole('textbox', { name: 'Bin or order' });
  bin.focus();
  await person.keyboard('C-1{Escape}');
  expect(await screen.findByRole('textbox', { name: 'Bin or order' })).toHaveValue('BIN-77');
  expect(bin).not.toHaveFocus();
});

it('keeps a key that is held from the page and the buttons as well', () => {
  openBench([benchLine(1)]);
  const button = screen.getByRole('button', { name: /^Label for part 1/ });
  button.focus();
  // Clicked with the mouse, so that the pedal goes past it.
  const matches = button.matches.bind(button);
  button.matches = (selector: string) => selector !== ':focus-visible' && matches(selector);
  // A browser presses the button, or scrolls the page, for a Space that nothing prevented.
  expect(fireEvent.keyDown(button, { key: ' ' })).toBe(false);
  expect(fireEvent.keyDown(button, { key: ' ', repeat: true })).toBe(false);
});

it('shows older lines from the first of them on', async () => {
  const { person } = openBench(Array.from({ length: 51 }, (_, n) => benchLine(n + 1)));
  const list = screen.getByRole('list', { name: /^Parts/ });
  expect(within(list).getAllByRole('listitem')).toHaveLength(50);
  await person.click(screen.getByRole('button', { name: 'Show 1 More' }));
  expect(within(list).getAllByRole('listitem')[50]).toHaveFocus();
});

it('names the button of the pedal by what it sets as well as by the key', async () => {
  const { person } = openBench([]);
  await person.click(screen.getByRole('button', { name: 'Settings' }));
  await person.click(await screen.findByRole('button', { name: 'Foot pedal Space' }));
  await person.keyboard('{PageDown}');
  expect(screen.getByRole('button', { name: 'Foot pedal PageDown' })).toHaveFocus();
});

it('lets a button that has the focus be pressed by a person, and not by the Enter of a scanner', async () => {
  const { person } = openBench([benchLine(1)]);
  const button = screen.getByRole('button', { name: /^Label for part 1/ });
  button.focus();
  // Focused by keyboard, which jsdom does not tell.
  const matches = button.matches.bind(button);
  button.matches = (selector: string) => selector === ':focus-visible' || matches(selector);
  const pressed = scanCode(button, 'A7');
  // A browser presses the button for an Enter that nothing prevented.
  expect(pressed.at(-1)).toBe(false);
  expect(await screen.findByRole('textbox', { name: 'Bin or order' })).toHaveValue('A7');
  expect(screen.getAllByRole('status')[0]).toHaveTextContent('Bin A7.');
  await person.keyboard('{Enter}');
  expect(await screen.findByRole('dialog')).toBeVisible();
});

it('takes the bin from a scanner while a dialog is open, and presses nothing there', async () => {
  const { person } = openBench([benchLine(1)]);
  await person.click(screen.getByRole('button', { name: 'New List' }));
  const question = await screen.findByRole('alertdialog');
  const [button] = within(question).getAllByRole('button');
  const pressed = scanCode(button ?? question, 'A7');
  // A browser presses the button for an Enter that nothing prevented.
  expect(pressed.at(-1)).toBe(false);
  expect(screen.getByText('Bin A7.')).toBeInTheDocument();
  expect(question).toBeVisible();
  // What a person presses is the dialog's, and no key of the bench.
  await afterScanner();
  expect(fireEvent.keyDown(button ?? question, { key: 'Enter' })).toBe(true);
  expect(fireEvent.keyDown(button ?? question, { key: 'u' })).toBe(true);
  await afterScanner();
  expect(screen.queryByText('Part 1 is taken out.')).not.toBeInTheDocument();
});

it('tells the bin that a scanner sets also where it is the same once more', async () => {
  openBench([]);
  const scanBin = () => scanCode(document.body, 'A7');
  scanBin();
  const [status] = screen.getAllByRole('status');
  const first = within(status ?? document.body).getByText('Bin A7.');
  scanBin();
  // Those who listen are told what comes into the document.
  await waitFor(() => expect(first).not.toBeInTheDocument());
  expect(status).toHaveTextContent('Bin A7.');
});

it('lets letters and digits be switched off, and remembers that', async () => {
  const { person, unmount } = openBench([benchLine(1)]);
  await person.click(screen.getByRole('button', { name: 'Settings' }));
  await person.click(await screen.findByRole('switch', { name: 'Letter and digit keys' }));
  await person.keyboard('{Escape}');
  unmount();
  openBench([benchLine(1)]);
  for (const key of ['u', 'p', '?', '1', '0']) {
    await person.keyboard(key);
    await afterScanner();
  }
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(screen.queryByText('Part 1 is taken out.')).not.toBeInTheDocument();
  expect(screen.queryByText('Confirmed by you')).not.toBeInTheDocument();
  // No button names a key that does nothing.
  const board = screen.getByRole('region', { name: 'Answer' });
  expect(within(board).getByText('Take Out')).toHaveTextContent(/^Take Out$/);
  expect(within(board).getByRole('button', { name: /Not a part/ })).toHaveTextContent(/^Not/);
  await person.click(screen.getByRole('button', { name: 'Keys' }));
  const keys = within(screen.getByRole('dialog', { name: 'Keys' })).getAllByRole('term');
  expect(keys.map(({ textContent }) => textContent)).toEqual(['Space']);
  await person.keyboard('{Escape}');
  // A scanner types letters as well, but many at once and with Enter.
  scanCode(document.body, 'A7');
  expect(await screen.findByRole('textbox', { name: 'Bin or order' })).toHaveValue('A7');
});
