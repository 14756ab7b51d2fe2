import { Switch } from 'radix-ui';
import { useId } from 'react';
import { useFocusBack } from '@/hooks/use-focus-back';

type SwitchFieldProps = {
  label: string;
  hint: string;
  on: boolean;
  disabled: boolean;
  /** Cannot be switched, as the hint says: it keeps the focus, which a disabled one would lose. */
  blocked?: boolean;
  onChange: (on: boolean) => void;
};

/** Something that is on or off from the moment it is switched. */
export function SwitchField({
  label,
  hint,
  on,
  disabled,
  blocked = false,
  onChange,
}: SwitchFieldProps) {
  const id = useId();
  useFocusBack(disabled);
  return (
    <div className="flex items-center justify-between gap-4 rounded-md border p-3">
      <div className="min-w-0 wrap-anywhere">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      </div>
      <Switch.Root
        id={id}
        aria-describedby={`${id}-hint`}
        checked={on}
        disabled={disabled}
        aria-disabled={blocked}
        onCheckedChange={(next) => !blocked && onChange(next)}
        className="group grid small-button shrink-0 place-items-center rounded-full disabled:opacity-60 aria-disabled:opacity-60"
      >
        <span className="block h-7 w-12 rounded-full border border-control bg-canvas p-0.5 transition-colors group-data-[state=checked]:border-accent group-data-[state=checked]:bg-accent">
          <Switch.Thumb className="block size-5 rounded-full bg-muted transition-transform data-[state=checked]:translate-x-5 data-[state=checked]:bg-on-accent" />
        </span>
      </Switch.Root>
    </div>
  );
}
