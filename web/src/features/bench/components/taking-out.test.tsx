import { act, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import { UNDO_MS } from '@/features/bench/list/model';
import { benchLine, openBench } from '@/testing/bench';
import { server } from '@/testing/server';

/** A part that is taken out of the running list, and put back, by who has no mouse or does not see the screen. */

const board = () => screen.getByRole('region', { name: 'Answer' });
const onBoard = (name: RegExp) => within(board()).getByRole('button', { name });
const rows = () => within(screen.getByRole('list', { name: /^Parts/ })).getAllByRole('listitem');
const newestRow = () => {
  const [row] = rows();
  if (row === undefined) throw new Error('the list is empty');
  return row;
};

/** Lets pass the time in which a part can be put back; a server deletes its scan. */
function letTimePass() {
  server.use(http.delete('/api/scans/:id', () => new HttpResponse(null, { status: 204 })));
  act(() => {
    vi.advanceTimersByTime(2 * UNDO_MS);
  });
}

it('keeps the focus on a line that is taken out of the list, and put back', async () => {
  const { person } = openBench([benchLine(1)]);
  const row = within(screen.getByRole('list', { name: /^Parts/ })).getByRole('listitem');
  await person.click(within(row).getByRole('button', { name: /^Take out part 1/ }));
  expect(row).toHaveFocus();
  await person.click(within(row).getByRole('button', { name: /^Put back part 1/ }));
  expect(row).toHaveTextContent('Brake Rotor');
  expect(row).toHaveFocus();
});

it('keeps the focus on the line of a part that a key takes out, and puts back', async () => {
  const { person } = openBench([benchLine(1)]);
  const row = newestRow();
  screen.getByRole('button', { name: /^Label for part 1/ }).focus();
  await person.keyboard('u');
  await screen.findByText('Part 1 is taken out.', { selector: 'li *' });
  expect(row).toHaveFocus();
  within(row)
    .getByRole('button', { name: /^Put back part 1/ })
    .focus();
  await person.keyboard('u');
  await within(row).findByText('Brake Rotor');
  expect(row).toHaveFocus();
});

it('leads from Take Out on the board to what was taken out, from Put Back to the board, and tells both', async () => {
  const { person } = openBench([benchLine(1)]);
  onBoard(/^Take Out/).focus();
  await person.keyboard('{Enter}');
  expect(document.activeElement).toHaveTextContent(/^Part 1 is taken out: Brake Rotor/);
  expect(screen.getAllByRole('status')[0]).toHaveTextContent('Part 1 is taken out.');
  await person.tab();
  const putBack = onBoard(/^Put back part 1, Brake Rotor/);
  expect(putBack).toHaveFocus();
  await person.click(putBack);
  expect(board()).toHaveFocus();
  expect(screen.getAllByRole('status')[0]).toHaveTextContent('Part 1 is put back.');
});

it('takes out no other part with an Enter that is held a little longer', async () => {
  const { person } = openBench([benchLine(1), benchLine(2)]);
  onBoard(/^Take Out/).focus();
  await person.keyboard('{Enter}{Enter}');
  expect(screen.getByText('Part 2 is taken out.', { selector: 'li *' })).toBeVisible();
  expect(screen.queryByText('Part 1 is taken out.')).not.toBeInTheDocument();
});

it('puts back no other part with an Enter that is held a little longer', async () => {
  const { person } = openBench([1, 2].map((number) => benchLine(number, { takenOutAt: number })));
  onBoard(/^Put back part 2/).focus();
  await person.keyboard('{Enter}{Enter}');
  expect(newestRow()).toHaveTextContent('Brake Rotor');
  expect(onBoard(/^Put back part 1/)).toBeVisible();
  expect(board()).toHaveFocus();
});

it('gives the board the focus of a button of a part that another takes the place of', async () => {
  const { person } = openBench([benchLine(1), benchLine(2)]);
  onBoard(/^Label/).focus();
  await person.keyboard('u');
  await within(board()).findByText('Part 1');
  expect(board()).toHaveFocus();
});

it('lets a part be put back for as long as somebody is about to press the button', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const { person } = openBench([benchLine(1), benchLine(2)]);
  await person.click(screen.getByRole('button', { name: /^Take out part 2/ }));
  const row = newestRow();
  const putBack = within(row).getByRole('button', { name: /^Put back part 2/ });
  act(() => putBack.focus());
  letTimePass();
  expect(putBack).toHaveFocus();
  await person.hover(putBack);
  act(() => putBack.blur());
  letTimePass();
  expect(putBack).toBeVisible();
  await person.unhover(putBack);
  letTimePass();
  await waitFor(() => expect(row).not.toBeInTheDocument());
});

it('gives the focus of a line that is gone to its neighbour, and after the last one to the heading', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const { person } = openBench([benchLine(1), benchLine(2)]);
  const [second, first] = rows();
  await person.click(screen.getByRole('button', { name: /^Take out part 2/ }));
  expect(second).toHaveFocus();
  letTimePass();
  await waitFor(() => expect(second).not.toBeInTheDocument());
  expect(first).toHaveFocus();
  await person.click(screen.getByRole('button', { name: /^Take out part 1/ }));
  letTimePass();
  await waitFor(() => expect(first).not.toBeInTheDocument());
  expect(screen.getByRole('heading', { name: 'Running List' })).toHaveFocus();
});

it('gives the focus of a notice that is gone to the board', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  const { person } = openBench([benchLine(1)]);
  await person.click(onBoard(/^Take Out/));
  letTimePass();
  await waitFor(() => expect(screen.queryByText(/is taken out:/)).not.toBeInTheDocument());
  expect(board()).toHaveFocus();
});
