import type { RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { BenchSettingsDialog } from '@/features/bench/components/bench-settings-dialog';
import { KeysDialog } from '@/features/bench/components/keys-dialog';
import { LabelDialog } from '@/features/bench/label/label-dialog';
import type { BenchLine } from '@/features/bench/list/model';
import type { BenchSettings } from '@/features/bench/settings';
import type { ScannedVehicle } from '@/features/scanning/offline-queue/waiting-scan';

export type OpenDialog =
  { type: 'keys' } | { type: 'settings' } | { type: 'label'; line: BenchLine } | null;

type BenchDialogsProps = {
  open: OpenDialog;
  onClose: () => void;
  onPrint: (line: BenchLine) => void;
  board: RefObject<HTMLElement | null>;
  settings: BenchSettings;
  onSettings: (changes: Partial<BenchSettings>) => void;
  devices: MediaDeviceInfo[];
  vehicle: ScannedVehicle | null;
  vehicles: Schemas['Vehicle'][];
  onVehicle: (id: string) => void;
};

/** The one dialog of the bench that is open, if any. */
export function BenchDialogs({
  open,
  onClose,
  onPrint,
  board,
  settings,
  ...rest
}: BenchDialogsProps) {
  switch (open?.type) {
    case 'keys':
      return <KeysDialog {...settings} onClose={onClose} />;
    case 'settings':
      return <BenchSettingsDialog settings={settings} onClose={onClose} {...rest} />;
    case 'label':
      return <LabelDialog line={open.line} heir={board} onClose={onClose} onPrint={onPrint} />;
    default:
      return null;
  }
}
