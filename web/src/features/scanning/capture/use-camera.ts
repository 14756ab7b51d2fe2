import { useCallback, useEffect, useReducer, useRef, useState } from 'react';
import {
  CAMERA_CONSTRAINTS,
  CAMERA_OFF,
  cameraMachine,
  cameraReason,
  DISCONNECTED_REASON,
  INSECURE_PAGE_REASON,
  JPEG_QUALITY,
} from '@/features/scanning/capture/camera-machine';
import { hasTorch, switchTorch } from '@/features/scanning/capture/torch';
import type { Photo } from '@/lib/photos/photo';

/** Joins the camera machine to the device and to the `<video>` that `videoRef` is put on. */
export function useCamera() {
  const [camera, dispatch] = useReducer(cameraMachine, CAMERA_OFF);
  const videoRef = useRef<HTMLVideoElement>(null);
  const streamRef = useRef<MediaStream | null>(null);
  // Counts starts and stops: a stream that arrives after a stop is closed at once.
  const turnRef = useRef(0);
  // The light goes out with the camera.
  const [torch, setTorch] = useState({ isThere: false, isOn: false });

  const release = useCallback(() => {
    turnRef.current += 1;
    streamRef.current?.getTracks().forEach((track) => track.stop());
    streamRef.current = null;
  }, []);

  useEffect(() => release, [release]);

  const start = async () => {
    release();
    dispatch({ type: 'start' });
    const turn = turnRef.current;
    try {
      const stream = await openCamera();
      if (turn !== turnRef.current) {
        stream.getTracks().forEach((track) => track.stop());
        return;
      }
      streamRef.current = stream;
      stream.getVideoTracks()[0]?.addEventListener('ended', () => {
        if (turn !== turnRef.current) return;
        release();
        if (videoRef.current !== null) videoRef.current.srcObject = null;
        dispatch({ type: 'failed', reason: DISCONNECTED_REASON });
      });
      const video = videoRef.current;
      if (video === null) return;
      video.srcObject = stream;
      await video.play();
      if (turn !== turnRef.current) return;
      setTorch({ isThere: hasTorch(stream), isOn: false });
      dispatch({ type: 'playing' });
    } catch (error) {
      if (turn !== turnRef.current) return;
      release();
      dispatch({
        type: 'failed',
        reason: error instanceof InsecurePageError ? INSECURE_PAGE_REASON : cameraReason(error),
      });
    }
  };

  const stop = () => {
    release();
    if (videoRef.current !== null) videoRef.current.srcObject = null;
    dispatch({ type: 'stop' });
  };

  const capture = async (): Promise<Photo | null> => {
    const video = videoRef.current;
    // A stream can be there before its first frame.
    if (video === null || video.videoWidth === 0) return null;
    const canvas = document.createElement('canvas');
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    canvas.getContext('2d')?.drawImage(video, 0, 0);
    const blob = await new Promise<Blob | null>((resolve) =>
      canvas.toBlob(resolve, 'image/jpeg', JPEG_QUALITY),
    );
    return blob === null ? null : { blob, name: 'capture.jpg' };
  };

  /** Returns what went wrong, or null. */
  const toggleTorch = async (): Promise<string | null> => {
    const problem = await switchTorch(streamRef.current, !torch.isOn);
    if (problem === null) setTorch({ ...torch, isOn: !torch.isOn });
    return problem;
  };

  return { camera, videoRef, torch, toggleTorch, start, stop, capture };
}

class InsecurePageError extends Error {}

async function openCamera(): Promise<MediaStream> {
  // The types say that it is always there; on an insecure page it is not.
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  if (devices === undefined) throw new InsecurePageError();
  return devices.getUserMedia(CAMERA_CONSTRAINTS);
}
