import type { BenchCamera } from '@/features/bench/camera/use-bench-camera';
import { keyName } from '@/features/bench/keys';
import type { BenchSettings } from '@/features/bench/settings';
import type { Phase } from '@/features/bench/watching/watcher';

/** What the table asks for now: a few words that are read from afar, and more for who stands nearer. */
type PhaseText = { tone: 'calm' | 'busy' | 'stop'; title: string; hint: string };

export function phaseText(
  camera: BenchCamera,
  phase: Phase,
  { isAutomatic, pedal }: Pick<BenchSettings, 'isAutomatic' | 'pedal'>,
  /** Whether the pedal confirms the best guess now, in place of scanning. */
  confirms: boolean,
): PhaseText {
  switch (camera.state) {
    case 'off':
      return {
        tone: 'calm',
        title: 'The camera is off',
        hint: 'Point it straight down at the table, clear the table, and start.',
      };
    case 'connecting':
      return { tone: 'busy', title: 'Starting the camera', hint: 'Allow it if the browser asks.' };
    case 'lost':
      return { tone: 'stop', title: camera.problem.title, hint: camera.problem.advice };
    case 'ready':
      break;
  }
  const key = keyName(pedal);
  if (!isAutomatic && phase !== 'learning' && phase !== 'view-changed') {
    return {
      tone: 'calm',
      title: confirms ? `${key} confirms` : `${key} scans`,
      hint: 'Automatic scanning is off; you can turn it on in the settings.',
    };
  }
  return ready(phase, key, confirms);
}

/** Names the buttons as well as their keys: a phone has no keyboard. */
function ready(phase: Phase, key: string, confirms: boolean): PhaseText {
  switch (phase) {
    case 'learning':
      return {
        tone: 'busy',
        title: 'Leave the table empty',
        hint: 'The bench learns how it looks; that takes a second.',
      };
    case 'empty':
      return { tone: 'calm', title: 'Lay a part down', hint: `Or press Scan Now (${key}).` };
    case 'moving':
      return { tone: 'busy', title: 'Moving', hint: 'A part is scanned once it lies still.' };
    case 'settling':
      return { tone: 'busy', title: 'Hold still', hint: 'The photo is being taken.' };
    case 'over-edge':
      return {
        tone: 'stop',
        title: 'Hands off the table',
        hint: confirms
          ? `Something goes over the edge of the picture. To confirm the best guess press Confirm (${key}).`
          : `Something goes over the edge of the picture. For a large part press Scan Now (${key}).`,
      };
    case 'view-changed':
      return {
        tone: 'stop',
        title: 'The view has changed',
        hint: 'Clear the table and press Learn Table, so that the bench learns it anew.',
      };
    case 'lying':
      return {
        tone: 'calm',
        title: 'Next part',
        hint: confirms
          ? `Take this one away. To confirm the best guess press Confirm (${key}).`
          : `Take this one away. To scan it once more press Scan Now (${key}).`,
      };
  }
}
