import { Car, ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';

type VehicleButtonProps = ComponentProps<'button'> & {
  /** The default vehicle; null where none is chosen. */
  vehicle: string | null;
};

/** What opens the dropdown of vehicles. */
export function VehicleButton({ vehicle, ...props }: VehicleButtonProps) {
  return (
    <button type="button" aria-haspopup="menu" className="vehicle-button" {...props}>
      <Car className="size-4 text-accent tight:hidden" aria-hidden />
      <span className="sr-only">Default vehicle:</span>
      <bdi className="truncate tight:whitespace-normal" title={vehicle ?? undefined}>
        {vehicle ?? 'Choose a vehicle'}
      </bdi>
      <ChevronDown className="size-4 text-muted" aria-hidden />
    </button>
  );
}
