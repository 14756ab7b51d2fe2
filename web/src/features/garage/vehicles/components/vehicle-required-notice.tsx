import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { ADD_VEHICLE, paths } from '@/config/paths';

export function VehicleRequiredNotice() {
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
      Prices and guides depend on the car. Add yours, then scan.
    </Notice>
  );
}
