import { useEffect, useReducer, type RefObject } from 'react';
import { useQuery } from '@tanstack/react-query';
import {
  LIVE_GUESS_OFF,
  liveGuessMachine,
  type LiveGuess,
} from '@/features/scan/on-device/live-guess-machine';
import type { FromWorker, ToWorker } from '@/features/scan/on-device/messages';
import type { BrowserModel } from '@/features/scan/on-device/preprocess';
import { browserModelQuery } from '@/features/scan/queries';

/** Shortest time between two looks: five a second are enough, and a phone stays cool. */
const PAUSE_MS = 200;

/** What the model takes the running picture of `videoRef` for. It is loaded when `active` is first true. */
export function useLiveGuess(
  videoRef: RefObject<HTMLVideoElement | null>,
  active: boolean,
): LiveGuess {
  const [live, dispatch] = useReducer(liveGuessMachine, LIVE_GUESS_OFF);
  const model = useQuery({ ...browserModelQuery(), enabled: active }).data ?? null;

  useEffect(() => {
    if (!active || model === null || !canRun()) return;
    dispatch({ type: 'load' });
    const stop = watch(videoRef, model, dispatch);
    return () => {
      stop();
      dispatch({ type: 'stop' });
    };
  }, [active, model, videoRef]);

  return live;
}

/** Without these the camera works as ever, only without a live guess. */
function canRun(): boolean {
  return typeof Worker !== 'undefined' && typeof OffscreenCanvas !== 'undefined';
}

/** Sends a frame whenever the answer to the last one is there; returns what ends it. */
function watch(
  videoRef: RefObject<HTMLVideoElement | null>,
  model: BrowserModel,
  dispatch: (event: FromWorker) => void,
): () => void {
  const worker = new Worker(new URL('./guess-worker.ts', import.meta.url), { type: 'module' });
  let timer = 0;
  const post = (message: ToWorker, transfer: Transferable[] = []) => {
    worker.postMessage(message, transfer);
  };
  const next = () => {
    timer = window.setTimeout(() => void lookOnce(), PAUSE_MS);
  };
  const lookOnce = async () => {
    const video = videoRef.current;
    // A page in the background gets no frames and should cost nothing.
    if (video === null || video.videoWidth === 0 || document.hidden) {
      next();
      return;
    }
    const frame = await createImageBitmap(video);
    post({ type: 'look', frame }, [frame]);
  };
  worker.addEventListener('message', (event: MessageEvent<FromWorker>) => {
    dispatch(event.data);
    if (event.data.type !== 'failed') next();
  });
  worker.addEventListener('error', () => {
    dispatch({ type: 'failed', reason: 'The worker could not be started.' });
  });
  post({ type: 'open', model });
  return () => {
    window.clearTimeout(timer);
    worker.terminate();
  };
}
