/** The light of the camera. The types of the browser do not know it yet (W3C, "MediaStream Image Capture"). */
type TorchCapabilities = MediaTrackCapabilities & { torch?: boolean };
type TorchConstraint = MediaTrackConstraintSet & { torch: boolean };

/** Whether the camera of a stream has a light that can be switched. */
export function hasTorch(stream: MediaStream | null): boolean {
  return capabilitiesOf(stream?.getVideoTracks()[0]).torch === true;
}

/** Switches the light; returns what went wrong in the words of the specification (section 8), or null. */
export async function switchTorch(stream: MediaStream | null, on: boolean): Promise<string | null> {
  if (stream === null) return 'Camera must be active to use flashlight';
  const [track] = stream.getVideoTracks();
  if (track === undefined) return 'No video track available';
  if (!hasTorch(stream)) return 'Flashlight not supported on this device';
  try {
    const constraint: TorchConstraint = { torch: on };
    await track.applyConstraints({ advanced: [constraint] });
    return null;
  } catch (error) {
    return `Flashlight error: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function capabilitiesOf(track: MediaStreamTrack | undefined): TorchCapabilities {
  // Some browsers have no such method.
  return (track as Partial<MediaStreamTrack> | undefined)?.getCapabilities?.() ?? {};
}
