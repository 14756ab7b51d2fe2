import { Car, ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';

type VehicleButtonProps = ComponentProps<'button'> & {
  /** The default vehicle; null where none is chosen. */
  vehicle: string | null;
};

/** What opens the dropdown of vehicles. */
export function VehicleButton({ vehicle, ...props }: VehicleButtonProps) {
  return (
    <button
      type="button"
      aria-haspopup="menu"
      className="flex min-h-10 max-w-full items-center gap-2 rounded-full border border-control/60 bg-surface px-3.5 text-sm font-medium hover:border-control hover:bg-raised"
      {...props}
    >
      <Car className="size-4 text-accent" aria-hidden />
      <span className="sr-only">Default vehicle:</span>
      <bdi className="truncate" title={vehicle ?? undefined}>
        {vehicle ?? 'Choose a vehicle'}
      </bdi>
      <ChevronDown className="size-4 text-muted" aria-hidden />
    </button>
  );
}
