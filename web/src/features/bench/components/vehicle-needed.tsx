import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { ADD_VEHICLE, paths } from '@/config/paths';

/** Stands where parts cannot be scanned for want of a vehicle. */
export function VehicleNeeded() {
  return (
    <Notice
      tone="warn"
      title="Vehicle Required"
      action={
        <Button asChild size="small">
          <Link to={paths.vehicle} state={ADD_VEHICLE}>
            Add Vehicle
          </Link>
        </Button>
      }
    >
      Every scan is for a vehicle: what cannot be on it is less likely. Add one, then come back.
    </Notice>
  );
}
