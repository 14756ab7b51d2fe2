import { oneOfSentence } from '@/features/scanning/candidate-set';
import type { Guess } from '@/features/scanning/on-device/guess';

/** The guess of this browser in a few words. */
export function guessText(guess: Guess | null): string {
  if (guess === null) return 'Not looked at yet';
  return guess.verdict === 'not-a-part' ? 'Perhaps no known part' : guess.name;
}

/** The few parts that the guess is one of, as a sentence; null where none are promised. */
export function guessSetText(guess: Guess | null): string | null {
  return guess?.candidateSet === undefined ? null : oneOfSentence(guess.candidateSet);
}
