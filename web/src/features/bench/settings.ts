/** How somebody likes the bench on this machine. */
export type BenchSettings = {
  /** Parts are scanned as soon as they lie still; else the foot pedal does it. */
  isAutomatic: boolean;
  /** The answer is said aloud. */
  speaks: boolean;
  /** A label is printed for each part that was identified. */
  printsLabels: boolean;
  /** Letters and digits do something; else only the foot pedal and a barcode scanner do (WCAG 2.1.4). */
  usesKeys: boolean;
  /** The key of the foot pedal, as `KeyboardEvent.key` names it. */
  pedal: string;
  /** The chosen camera; null for any. */
  camera: string | null;
};

export const DEFAULT_SETTINGS: BenchSettings = {
  isAutomatic: true,
  speaks: false,
  printsLabels: false,
  usesKeys: true,
  pedal: ' ',
  camera: null,
};

const KEY = 'bench-settings';

/** The settings of this browser; those it does not know are the defaults. */
export function readSettings(): BenchSettings {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null') as unknown;
    return typeof kept === 'object' ? known({ ...DEFAULT_SETTINGS, ...kept }) : DEFAULT_SETTINGS;
  } catch {
    return DEFAULT_SETTINGS;
  }
}

/** Keeps them; a browser that forbids it forgets them with the page. */
export function keepSettings(settings: BenchSettings): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Blocked or full: they hold until the page is left.
  }
}

/** Another version of this page may have kept other kinds of values. */
function known(kept: Record<keyof BenchSettings, unknown>): BenchSettings {
  return {
    isAutomatic: kept.isAutomatic !== false,
    speaks: kept.speaks === true,
    printsLabels: kept.printsLabels === true,
    usesKeys: kept.usesKeys !== false,
    pedal:
      typeof kept.pedal === 'string' && kept.pedal !== '' ? kept.pedal : DEFAULT_SETTINGS.pedal,
    camera: typeof kept.camera === 'string' ? kept.camera : null,
  };
}
