import type { Guess } from '@/features/scanning/on-device/guess';

/** The guess of this browser in a few words. */
export function guessText(guess: Guess | null): string {
  if (guess === null) return 'Not looked at yet';
  return guess.verdict === 'not-a-part' ? 'Perhaps no known part' : guess.name;
}
