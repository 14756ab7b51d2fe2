import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { Guess } from '@/features/scanning/on-device/guess';
import { KeptResult } from '@/features/scanning/offline-queue/components/kept-result';
import { waitingScan } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';

function open(guess: Guess) {
  renderScreen(<KeptResult scan={{ ...waitingScan, guess }} photos={[]} onClose={vi.fn()} />);
}

const UNSURE: Guess = { verdict: 'not-sure', label: 'rim', name: 'Wheel Rim', confidence: 0.4 };

it('says which few parts a guess that is not sure is one of, and how often that is right', () => {
  const candidateSet = { names: ['Wheel Rim', 'Brake Drum'], coverage: 0.9, onlyIfKnown: false };
  open({ ...UNSURE, candidateSet });
  expect(screen.getByText('It is one of these two: Wheel Rim or Brake Drum.')).toBeVisible();
  expect(screen.getByText(/^Right 90 times in 100/)).toBeVisible();
});

it('promises nothing where the model was not measured for it', () => {
  open(UNSURE);
  expect(screen.getByText('Wheel Rim')).toBeVisible();
  expect(screen.queryByText(/one of these/)).not.toBeInTheDocument();
});
