import { act, fireEvent, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Footer } from '@/app/shell/footer';

const RESET = { name: 'Reset App (Clear Cache)' };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

// Its code is loaded when it first shows; here it is there before the clocks stand still.
await import('@/app/shell/reset-button');

async function click(times: number, pauseMs: number) {
  for (let turn = 0; turn < times; turn += 1) {
    fireEvent.click(screen.getByText(/© 2025/));
    act(() => {
      vi.advanceTimersByTime(pauseMs);
    });
  }
  await act(() => vi.advanceTimersByTimeAsync(0));
}

it('shows the reset after more than four quick clicks, for ten seconds', async () => {
  render(<Footer />);
  await click(4, 500);
  expect(screen.queryByRole('button', RESET)).not.toBeInTheDocument();
  await click(1, 500);
  expect(screen.getByRole('button', RESET)).toBeVisible();
  act(() => {
    vi.advanceTimersByTime(9_400);
  });
  expect(screen.getByRole('button', RESET)).toBeVisible();
  act(() => {
    vi.advanceTimersByTime(200);
  });
  expect(screen.queryByRole('button', RESET)).not.toBeInTheDocument();
});

it('shows the reset at a keyboard too', async () => {
  vi.useRealTimers();
  const person = userEvent.setup();
  render(<Footer />);
  await person.tab();
  await person.keyboard('{Enter}{Enter}{Enter}{Enter}');
  expect(screen.queryByRole('button', RESET)).not.toBeInTheDocument();
  await person.keyboard('{Enter}');
  expect(await screen.findByRole('button', RESET)).toBeVisible();
});

it('brings the reset out from under the bottom bar', async () => {
  const shown = vi.spyOn(Element.prototype, 'scrollIntoView');
  render(<Footer />);
  await click(5, 100);
  expect(shown.mock.contexts).toEqual([screen.getByRole('button', RESET)]);
  shown.mockRestore();
});

it('counts anew after a pause', async () => {
  render(<Footer />);
  await click(8, 2_100);
  expect(screen.queryByRole('button', RESET)).not.toBeInTheDocument();
});

it('asks before it clears, and does not go while it asks', async () => {
  render(<Footer />);
  await click(5, 100);
  fireEvent.click(screen.getByRole('button', RESET));
  act(() => {
    vi.advanceTimersByTime(60_000);
  });
  expect(
    screen.getByText('This will clear all caches and reload the app. Continue?'),
  ).toBeVisible();
  sessionStorage.setItem('kept', 'yes');
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(sessionStorage.getItem('kept')).toBe('yes');
});
