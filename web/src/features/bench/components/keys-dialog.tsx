import { Dialog } from '@/components/ui/dialog';
import { keyName } from '@/features/bench/keys';
import type { BenchSettings } from '@/features/bench/settings';

type KeysDialogProps = Pick<BenchSettings, 'pedal' | 'usesKeys'> & { onClose: () => void };

const KEYS = [
  ['1 to 5', 'The part is this one; the same key once more takes that back'],
  ['0', 'It is not a part'],
  ['U', 'Take the last part out, or put it back'],
  ['P', 'Label of the last part'],
  ['B', 'Type a bin or order'],
  ['L', 'Learn the empty table anew'],
  ['S', 'Say answers aloud, or not'],
  ['F', 'Full screen'],
  ['?', 'This list'],
];

/** What each key does. */
export function KeysDialog({ pedal, usesKeys, onClose }: KeysDialogProps) {
  const keys = [
    [keyName(pedal), 'Scan now; confirm the best guess while a part that is not sure lies there'],
    ...(usesKeys ? KEYS : []),
  ];
  return (
    <Dialog
      open
      onClose={onClose}
      title="Keys"
      description={
        usesKeys
          ? 'A foot pedal is one of these keys; the settings say which, and can switch the others off. What a barcode scanner reads becomes the bin.'
          : 'Letters and digits are switched off in the settings. What a barcode scanner reads becomes the bin.'
      }
      className="max-w-lg"
    >
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-4 gap-y-2">
        {keys.map(([key, text]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded-sm border border-control/60 bg-raised px-2 py-0.5 font-sans text-sm font-semibold whitespace-nowrap">
                {key}
              </kbd>
            </dt>
            <dd className="text-sm text-soft">{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
