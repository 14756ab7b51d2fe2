import { act, screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { Shot } from '@/features/bench/camera/frames';
import { benchLine, openBench } from '@/testing/bench';

// The camera, in whose place the test lays parts down.
let lay: (shot: Shot) => void = () => undefined;
vi.mock('@/features/bench/camera/use-watching', () => ({
  useWatching: ({ onShot }: { onShot: typeof lay }) => {
    lay = onShot;
    return { phase: 'empty', scanNow: vi.fn(), learn: vi.fn() };
  },
}));

it('keeps the focus while another part arrives, and gives it to the board where its button is gone', async () => {
  const { person } = openBench([benchLine(1)]);
  const board = screen.getByRole('region', { name: 'Answer' });
  await person.click(within(board).getByRole('button', { name: /^Label/ }));
  const dialog = await screen.findByRole('dialog', { name: 'Label of Part 1' });
  act(() => lay({ photo: Promise.resolve(null), thumb: 'data:,' }));
  await within(board).findByText('Part 2');
  expect(dialog).toContainElement(document.activeElement as HTMLElement);
  await person.keyboard('{Escape}');
  expect(dialog).not.toBeInTheDocument();
  expect(board).toHaveFocus();
});

it('gives the focus back to its button in the list', async () => {
  const { person } = openBench([benchLine(1)]);
  const button = screen.getByRole('button', { name: /^Label for part 1/ });
  await person.click(button);
  act(() => lay({ photo: Promise.resolve(null), thumb: 'data:,' }));
  await screen.findByText('Part 2');
  await person.keyboard('{Escape}');
  expect(button).toHaveFocus();
});
