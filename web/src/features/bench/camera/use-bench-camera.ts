import { useCallback, useEffect, useRef, useState } from 'react';
import {
  cameraProblem,
  InsecureContext,
  UNPLUGGED,
  type CameraProblem,
} from '@/features/bench/camera/camera-problem';

export type BenchCamera =
  | { state: 'off' }
  | { state: 'connecting' }
  | { state: 'ready' }
  | { state: 'lost'; problem: CameraProblem };

/** How often a camera that is gone is looked for, in ms; the browser also tells of one that is plugged in. */
const LOOK_AGAIN_MS = 2000;

/**
 * The camera over the table, on the `<video>` that `videoRef` is put on. One that goes away is looked for until it is
 * there again. `deviceId` is the chosen one; null for any.
 */
export function useBenchCamera(deviceId: string | null) {
  const [camera, setCamera] = useState<BenchCamera>({ state: 'off' });
  const [devices, setDevices] = useState<MediaDeviceInfo[]>([]);
  const videoRef = useRef<HTMLVideoElement>(null);
  const streamRef = useRef<MediaStream | null>(null);
  // Counts starts and stops: a stream that arrives after a stop is closed at once.
  const turnRef = useRef(0);
  // The turn of the last start. While it lasts, the stream is there or on its way, which may take some seconds.
  const startedRef = useRef<number | null>(null);

  const release = useCallback(() => {
    turnRef.current += 1;
    streamRef.current?.getTracks().forEach((track) => track.stop());
    streamRef.current = null;
    if (videoRef.current !== null) videoRef.current.srcObject = null;
  }, []);
  useEffect(() => release, [release]);

  const start = useCallback(
    async (device: string | null) => {
      release();
      const turn = turnRef.current;
      startedRef.current = turn;
      const isOver = () => turn !== turnRef.current;
      // A camera that is looked for stays "lost" on screen until there is a picture.
      setCamera((before) => (before.state === 'lost' ? before : { state: 'connecting' }));
      const lose = (problem: CameraProblem) => {
        if (isOver()) return;
        release();
        setCamera({ state: 'lost', problem });
      };
      try {
        const stream = await openCamera(device);
        if (isOver()) {
          stream.getTracks().forEach((track) => track.stop());
          return;
        }
        streamRef.current = stream;
        stream.getVideoTracks()[0]?.addEventListener('ended', () => lose(UNPLUGGED));
        const video = videoRef.current;
        if (video === null) return;
        video.srcObject = stream;
        await video.play();
        if (isOver()) return;
        setCamera({ state: 'ready' });
        // Only now: browsers hide the names of cameras until one was allowed.
        const all = await navigator.mediaDevices.enumerateDevices();
        if (!isOver()) setDevices(all.filter(({ kind }) => kind === 'videoinput'));
      } catch (error) {
        lose(cameraProblem(error));
      }
    },
    [release],
  );

  const stop = () => {
    release();
    setCamera({ state: 'off' });
  };

  const isSought = camera.state === 'lost' && camera.problem.comesBack;
  useEffect(() => {
    if (!isSought) return;
    const again = () => {
      if (startedRef.current !== turnRef.current) void start(deviceId);
    };
    const timer = setInterval(again, LOOK_AGAIN_MS);
    const { mediaDevices } = navigator;
    mediaDevices.addEventListener('devicechange', again);
    return () => {
      clearInterval(timer);
      mediaDevices.removeEventListener('devicechange', again);
    };
  }, [isSought, start, deviceId]);

  return { camera, devices, videoRef, start, stop };
}

async function openCamera(deviceId: string | null): Promise<MediaStream> {
  // The types say that it is always there; on an insecure page it is not.
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  if (devices === undefined) throw new InsecureContext();
  return devices.getUserMedia({
    audio: false,
    video: {
      // A part is cut out of the picture, so that more pixels than a scan by hand takes are of use.
      width: { ideal: 1920 },
      height: { ideal: 1080 },
      ...(deviceId === null
        ? { facingMode: { ideal: 'environment' } }
        : { deviceId: { exact: deviceId } }),
    },
  });
}
