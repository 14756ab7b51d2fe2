import { useState, type KeyboardEvent } from 'react';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { SelectField } from '@/components/ui/select-field';
import { SwitchField } from '@/components/ui/switch-field';
import { VehicleSelect } from '@/components/vehicle-select';
import { keyName } from '@/features/bench/keys';
import type { BenchSettings } from '@/features/bench/settings';
import { canSpeak, hush, say } from '@/features/bench/speech';
import type { ScannedVehicle } from '@/features/scanning/offline-queue/waiting-scan';

type BenchSettingsDialogProps = {
  settings: BenchSettings;
  onSettings: (changes: Partial<BenchSettings>) => void;
  /** Cameras; known once one was started. */
  devices: MediaDeviceInfo[];
  vehicle: ScannedVehicle | null;
  vehicles: Schemas['Vehicle'][];
  onVehicle: (id: string) => void;
  onClose: () => void;
};

/** How the bench works on this machine. */
export function BenchSettingsDialog({
  settings,
  onSettings,
  devices,
  vehicle,
  vehicles,
  onVehicle,
  onClose,
}: BenchSettingsDialogProps) {
  const chosen = settings.camera ?? '';
  // One that is unplugged stays the chosen one.
  const isMissing = chosen !== '' && !devices.some(({ deviceId }) => deviceId === chosen);
  return (
    <Dialog
      open
      onClose={onClose}
      title="Bench Settings"
      description="What is chosen here holds for this browser."
    >
      <div className="grid gap-3">
        <SwitchField
          label="Scan by itself"
          hint="A part is scanned once it lies still. When off, the pedal scans."
          on={settings.isAutomatic}
          disabled={false}
          onChange={(isAutomatic) => onSettings({ isAutomatic })}
        />
        <SwitchField
          label="Say answers aloud"
          hint={canSpeak() ? 'In the voice of this computer.' : 'This browser has no voice.'}
          on={settings.speaks && canSpeak()}
          disabled={!canSpeak()}
          onChange={(speaks) => {
            onSettings({ speaks });
            if (speaks) say('Answers are said aloud.');
            else hush();
          }}
        />
        <SwitchField
          label="Print a label for each part"
          hint="For those that were identified. Chromium prints without asking if it is started with --kiosk-printing."
          on={settings.printsLabels}
          disabled={false}
          onChange={(printsLabels) => onSettings({ printsLabels })}
        />
        <SwitchField
          label="Letter and digit keys"
          hint="All that they do can be done on the screen. When off, only the pedal and a barcode scanner work."
          on={settings.usesKeys}
          disabled={false}
          onChange={(usesKeys) => onSettings({ usesKeys })}
        />
        <PedalField pedal={settings.pedal} onPedal={(pedal) => onSettings({ pedal })} />
        <SelectField
          label="Camera"
          hint={devices.length === 0 ? 'They are listed once the camera was started.' : ''}
          value={chosen}
          onChange={({ target }) =>
            onSettings({ camera: target.value === '' ? null : target.value })
          }
        >
          <option value="">Any camera</option>
          {isMissing && <option value={chosen}>The chosen one (not there)</option>}
          {devices.map(({ deviceId, label }, n) => (
            <option key={deviceId} value={deviceId}>
              {label === '' ? `Camera ${n + 1}` : label}
            </option>
          ))}
        </SelectField>
        {vehicles.length > 0 && (
          <VehicleSelect
            vehicles={vehicles}
            label="Parts are for"
            hint="The default vehicle of your account. Parts that it cannot have are less likely."
            value={vehicle?.id ?? ''}
            onChange={({ target }) => onVehicle(target.value)}
          />
        )}
      </div>
    </Dialog>
  );
}

/** Keys that move the focus or close the dialog, or that the bench needs for something else. */
const TAKEN = /^(Tab|Escape|Enter|Shift|Control|Alt|AltGraph|Meta|CapsLock|[0-5]|[upblsf?])$/i;

type PedalFieldProps = { pedal: string; onPedal: (pedal: string) => void };

function PedalField({ pedal, onPedal }: PedalFieldProps) {
  const [state, setState] = useState<'idle' | 'listening' | 'taken'>('idle');
  const listen = (event: KeyboardEvent) => {
    if (state === 'idle' || event.key === 'Tab' || event.key === 'Escape') return;
    event.preventDefault();
    if (TAKEN.test(event.key)) {
      setState('taken');
      return;
    }
    onPedal(event.key);
    setState('idle');
  };
  return (
    <div className="flex items-center justify-between gap-4 rounded-md border p-3">
      <div>
        <p id="pedal-label" className="text-sm font-medium">
          Foot pedal
        </p>
        <p role="status" className="text-xs text-muted">
          {state === 'idle' && 'The key that it presses.'}
          {state === 'listening' && 'Press the pedal now.'}
          {state === 'taken' && 'That key does something else. Press another one.'}
        </p>
      </div>
      <Button
        id="pedal-key"
        aria-labelledby="pedal-label pedal-key"
        aria-pressed={state !== 'idle'}
        onClick={() => setState(state === 'idle' ? 'listening' : 'idle')}
        onKeyDown={listen}
        // A pedal that is Space would press the button on the way up.
        onKeyUp={(event) => event.key === ' ' && state === 'idle' && event.preventDefault()}
        onBlur={() => setState('idle')}
      >
        {state === 'idle' ? keyName(pedal) : 'Press a key...'}
      </Button>
    </div>
  );
}
