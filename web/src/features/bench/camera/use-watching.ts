import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { frameReader, shoot, type Shot } from '@/features/bench/camera/frames';
import { FRAME_MS, Watcher, type Phase } from '@/features/bench/watching/watcher';

type WatchingOptions = {
  videoRef: RefObject<HTMLVideoElement | null>;
  /** The camera shows a picture. */
  isOn: boolean;
  /** Parts are photographed without being asked. */
  isAutomatic: boolean;
  onShot: (shot: Shot) => void;
};

/**
 * Watches the table; `scanNow` photographs what lies there, and `learn` takes it for the empty table. `isShot` while
 * what was photographed last still lies there.
 */
export function useWatching({ videoRef, isOn, isAutomatic, onShot }: WatchingOptions) {
  const [phase, setPhase] = useState<Phase>('learning');
  // A part that is laid there while nothing is photographed by itself is another one than the last answer is about.
  const [isShot, setIsShot] = useState(false);
  // Outlives a camera that is unplugged, so that a part that lies there is not scanned again.
  const [watcher] = useState(() => new Watcher());
  const [read] = useState(frameReader);
  const held = useRef<Shot | null>(null);
  const heard = useRef({ onShot, isAutomatic });
  useEffect(() => {
    heard.current = { onShot, isAutomatic };
  }, [onShot, isAutomatic]);

  const look = useCallback(() => {
    const video = videoRef.current;
    const frame = video === null ? null : read(video);
    if (video === null || frame === null) return;
    const seen = watcher.look(frame);
    setPhase(seen.phase);
    if (seen.phase === 'learning') setIsShot(false);
    switch (seen.event?.type) {
      case 'photograph':
        held.current = shoot(video, seen.event.region);
        break;
      case 'spoiled':
        held.current = null;
        break;
      case 'keep': {
        const shot = heard.current.isAutomatic ? held.current : null;
        held.current = null;
        setIsShot(shot !== null);
        if (shot !== null) heard.current.onShot(shot);
        break;
      }
      case 'removed':
        setIsShot(false);
        break;
    }
  }, [videoRef, read, watcher]);

  useEffect(() => {
    const video = videoRef.current;
    if (!isOn || video === null) return;
    return everyFrame(video, look);
  }, [isOn, videoRef, look]);

  const scanNow = () => {
    const video = videoRef.current;
    const frame = video === null || !isOn ? null : read(video);
    if (video === null || frame === null) return;
    held.current = null;
    const shot = shoot(video, watcher.scanNow(frame));
    setIsShot(shot !== null);
    if (shot !== null) onShot(shot);
  };
  const learn = () => {
    held.current = null;
    watcher.learn();
    setPhase('learning');
  };
  return { phase, isShot, scanNow, learn };
}

/** Calls `look` for new frames, at most every `FRAME_MS`; what it returns ends that. */
function everyFrame(video: HTMLVideoElement, look: () => void): () => void {
  // Not every browser tells of frames; a timer then looks at the same frame twice, which does no harm.
  if (!('requestVideoFrameCallback' in video)) {
    const timer = setInterval(look, FRAME_MS);
    return () => clearInterval(timer);
  }
  let last = -Infinity;
  let handle = 0;
  const next = () => {
    handle = video.requestVideoFrameCallback((now) => {
      // Half a frame of a camera less, so that the pace does not fall to every second frame.
      if (now - last >= FRAME_MS - 10) {
        last = now;
        look();
      }
      next();
    });
  };
  next();
  return () => video.cancelVideoFrameCallback(handle);
}
