import { describe, expect, it } from 'vitest';
import {
  CAMERA_CONSTRAINTS,
  CAMERA_LABELS,
  CAMERA_OFF,
  cameraMachine,
  cameraReason,
  type CameraEvent,
} from '@/features/scanning/capture/camera-machine';

function after(...events: CameraEvent[]) {
  return events.reduce(cameraMachine, CAMERA_OFF);
}

describe('cameraMachine', () => {
  it('ignores a failure and a picture that come after the stop', () => {
    expect(after({ type: 'start' }, { type: 'stop' }, { type: 'playing' })).toBe(CAMERA_OFF);
    expect(after({ type: 'start' }, { type: 'stop' }, { type: 'failed', reason: 'x' })).toBe(
      CAMERA_OFF,
    );
  });
});

it('has the labels of the specification', () => {
  expect(Object.values(CAMERA_LABELS)).toEqual(['Ready', 'Connecting...', 'Video Ready', 'Error']);
});

it('asks for the rear camera at 1280x720, at most 1920x1080', () => {
  expect(CAMERA_CONSTRAINTS.video).toEqual({
    facingMode: { ideal: 'environment' },
    width: { ideal: 1280, max: 1920 },
    height: { ideal: 720, max: 1080 },
  });
});

it.each(['NotAllowedError', 'NotFoundError', 'NotReadableError', 'SomethingElse'])(
  'says what to do about %s',
  (name) => {
    expect(cameraReason(new DOMException('', name))).toMatch(/upload a photo\.$/);
  },
);
