/** The camera from off to a running picture. */
type CameraState =
  | { state: 'off' }
  | { state: 'connecting' }
  | { state: 'ready' }
  | { state: 'error'; reason: string };

export type CameraEvent =
  { type: 'start' } | { type: 'playing' } | { type: 'stop' } | { type: 'failed'; reason: string };

export const CAMERA_OFF: CameraState = { state: 'off' };

export function cameraMachine(camera: CameraState, event: CameraEvent): CameraState {
  switch (event.type) {
    case 'start':
      return camera.state === 'off' || camera.state === 'error' ? { state: 'connecting' } : camera;
    case 'playing':
      return camera.state === 'connecting' ? { state: 'ready' } : camera;
    case 'stop':
      return CAMERA_OFF;
    case 'failed':
      // A camera that was switched off meanwhile has nothing to report.
      return camera.state === 'off' ? camera : { state: 'error', reason: event.reason };
  }
}

export const CAMERA_LABELS: Record<CameraState['state'], string> = {
  off: 'Ready',
  connecting: 'Connecting...',
  ready: 'Video Ready',
  error: 'Error',
};

/** Specification 1, section 9. */
export const CAMERA_CONSTRAINTS: MediaStreamConstraints = {
  audio: false,
  video: {
    facingMode: { ideal: 'environment' },
    width: { ideal: 1280, max: 1920 },
    height: { ideal: 720, max: 1080 },
  },
};

/** The same section. */
export const JPEG_QUALITY = 0.8;

/** What the browser's error names mean to the person in front of it. */
export function cameraReason(error: unknown): string {
  switch (error instanceof Error ? error.name : '') {
    case 'NotAllowedError':
      return 'access was refused. Allow the camera for this site in the browser, or upload a photo.';
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'no camera was found. Connect one, or upload a photo.';
    case 'NotReadableError':
      return 'another program is using it. Close that program, or upload a photo.';
    default:
      return 'it could not be started. Try again, or upload a photo.';
  }
}

/** Browsers hide the camera from pages that came over plain HTTP from another machine. */
export const INSECURE_PAGE_REASON =
  'the browser gives it only to pages opened over HTTPS or on this machine. Upload a photo instead.';

export const DISCONNECTED_REASON = 'it was disconnected. Start it again, or upload a photo.';
