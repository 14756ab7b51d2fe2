import { act, fireEvent, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { PutBack } from '@/features/bench/components/put-back';
import { UNDO_MS } from '@/features/bench/list/model';
import { benchLine } from '@/testing/bench';
import { renderScreen } from '@/testing/render';

it('holds its part while the pointer moves on it, and not for a pointer that rests', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const letGo = vi.fn();
  const hold = vi.fn(() => letGo);
  renderScreen(<PutBack line={benchLine(1)} onPutBack={vi.fn()} hold={hold} />);
  const button = screen.getByRole('button', { name: /^Put back part 1/ });
  const letPass = (ms: number) => {
    act(() => {
      vi.advanceTimersByTime(ms);
    });
  };
  // Drawn under the pointer, which lies there since it pressed something else.
  fireEvent.pointerEnter(button);
  expect(hold).not.toHaveBeenCalled();
  fireEvent.pointerMove(button);
  expect(hold).toHaveBeenCalledExactlyOnceWith('key-1');
  letPass(UNDO_MS - 1);
  fireEvent.pointerMove(button);
  letPass(UNDO_MS - 1);
  expect(letGo).not.toHaveBeenCalled();
  letPass(1);
  expect(letGo).toHaveBeenCalledOnce();
});
