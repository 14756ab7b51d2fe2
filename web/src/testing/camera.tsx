import { onTestFinished, vi } from 'vitest';
import { CameraPanel } from '@/features/scanning/capture/components/camera-panel';
import { renderScreen } from '@/testing/render';

/** Renders the camera of a person with a vehicle who has taken no photo yet. */
export function renderCamera() {
  const onPhotos = vi.fn();
  const view = renderScreen(
    <CameraPanel
      hasVehicle
      analysing={false}
      offered={null}
      gathered={null}
      onPhotos={onPhotos}
      onAgain={vi.fn()}
      onCrop={vi.fn()}
      cropFirst={false}
      onCropFirst={vi.fn()}
      onGather={vi.fn()}
      onSend={vi.fn()}
      tray={null}
    />,
  );
  return { ...view, onPhotos };
}

/** Gives the browser a camera, or what takes its place when it is asked for. */
export function provideCamera(getUserMedia: () => Promise<object>): void {
  Object.defineProperty(navigator, 'mediaDevices', { configurable: true, value: { getUserMedia } });
  onTestFinished(() => {
    Reflect.deleteProperty(navigator, 'mediaDevices');
  });
}
