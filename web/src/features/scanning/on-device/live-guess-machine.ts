import type { Guess } from '@/features/scanning/on-device/guess';
import type { Looked } from '@/features/scanning/on-device/messages';
import type { PictureProblem } from '@/features/scanning/on-device/picture-quality';

/** What the viewfinder says by itself, before anything is uploaded. */
export type LiveGuess =
  | { state: 'off' }
  | { state: 'loading' }
  | { state: 'looking'; shown: string | null; last: Guess | null; problem: PictureProblem | null };

export const LIVE_GUESS_OFF: LiveGuess = { state: 'off' };

export type LiveGuessEvent =
  { type: 'load' } | { type: 'ready' } | Looked | { type: 'failed' } | { type: 'stop' };

/**
 * A name is shown once two frames in a row agree on it, so that it does not flicker; it stays until two others agree,
 * or no part is in view.
 */
export function liveGuessMachine(live: LiveGuess, event: LiveGuessEvent): LiveGuess {
  switch (event.type) {
    case 'load':
      return { state: 'loading' };
    case 'stop':
    case 'failed':
      return LIVE_GUESS_OFF;
    case 'ready':
      return live.state === 'loading'
        ? { state: 'looking', shown: null, last: null, problem: null }
        : live;
    case 'guess': {
      if (live.state !== 'looking') return live;
      const { guess, problem } = event;
      return { state: 'looking', shown: shownOf(live, guess), last: guess, problem };
    }
  }
}

function shownOf(live: Extract<LiveGuess, { state: 'looking' }>, guess: Guess): string | null {
  if (guess.verdict === 'not-a-part') {
    return live.last?.verdict === 'not-a-part' ? null : live.shown;
  }
  return live.last?.label === guess.label && live.last.verdict !== 'not-a-part'
    ? guess.name
    : live.shown;
}

/** The line in the viewfinder. */
export function liveGuessText(live: LiveGuess): string {
  if (live.state !== 'looking') return '';
  if (live.problem === 'dark') return 'Too dark: add light';
  if (live.problem === 'blurred') return 'Blurred: hold still, or move back a little';
  return live.shown === null ? 'No part in view yet' : `Looks like: ${live.shown}`;
}
